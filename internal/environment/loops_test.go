package environment

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/vm"
)

// TestLoops: generated loops over maps that make no choice have the same result in each order.
func TestLoops(t *testing.T) {
	n := deep.N(12, 600)
	const most = 200 // in one package
	free := 0
	for first := deep.Seed(); first < deep.Seed()+uint64(n); first += most {
		dir := t.TempDir()
		var b strings.Builder
		b.WriteString(loopsHead)
		last := min(first+most, deep.Seed()+uint64(n))
		for s := first; s < last; s++ {
			b.WriteString(newLoop(s).source())
		}
		writeTests(t, dir, b.String())
		prog := loadDir(t, dir)
		for k, e := range prog.Entries {
			auto := exploreEntry(t, prog, e, vm.Config{}, reference)
			if auto.result.Stats.Executions > 1 || auto.assumed() != "" {
				continue
			}
			free++
			every := exploreEntry(t, prog, e, vm.Config{Maps: vm.MapsEvery}, reference)
			if len(every.outcomes) != 1 {
				t.Errorf("the order can be noticed:\n%s\n%s", lines(every.outcomes), newLoop(first+uint64(k)).source())
			}
		}
	}
	t.Logf("%d loops, %d free", n, free)
	if free < n/10 {
		t.Errorf("of %d loops only %d are free", n, free)
	}
}

const loopsHead = `package loops

import (
	"fmt"
	"testing"
)

type node struct {
	items, other map[string]int
	names        map[int]int
	lists        map[string][]int
	n, last      int
	set          bool
	next         *node
}

type point struct{ x, y int }

func (p point) sum() int    { return p.x + 2*p.y }
func (p *point) left() bool { return p.x < 2 }

func (c *node) has(k string) bool { _, ok := c.items[k]; return ok }
func (c *node) odd(k string) bool { return c.items[k]%2 == 1 }
func (c *node) late(k string) bool { return k == "b" && c.n == 0 }
func (c *node) inc() int          { c.n++; return c.n }
func (c *node) total() int {
	n := 0
	for _, v := range c.other {
		n += v
	}
	return n
}

func show(name string, c, d *node, f func(c, d *node) int) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println(name, r)
		}
		if d != nil {
			fmt.Println(d.items, d.other, d.names, d.lists, d.n, d.last, d.set)
		}
		fmt.Println(c.items, c.other, c.names, c.lists, c.n, c.last, c.set)
	}()
	fmt.Println(f(c, d))
}

func fresh(n int) *node {
	return &node{items: map[string]int{"a": 1, "b": 2}, other: map[string]int{"b": n, "c": 2}, names: map[int]int{1: n},
		lists: map[string][]int{"a": {1, 2}, "b": {n}}, n: n, next: &node{n: 1, last: 2, names: map[int]int{}}}
}
`

// loop generates a loop over a map.
type loop struct {
	seed uint64
	r    *rand.Rand
}

func newLoop(seed uint64) *loop { return &loop{seed, rand.New(rand.NewPCG(seed, 1))} }

func (g *loop) pick(list ...string) string { return list[g.r.IntN(len(list))] }

// expand replaces C by a node, X by a number, and so on.
func (g *loop) expand(s string) string {
	for _, x := range []struct {
		from string
		to   []string
	}{
		{"COND", []string{"v == 1", `k == "b"`, "C.has(k)", "C.odd(k)", "C.late(k)", "X > 1", "C.set", "(point{X, X}).sum() > 3", "ok(C, k)"}},
		{"MAP", []string{"C.items", "C.other"}},
		{"X", []string{"v", "n", "1", "C.n", "C.last", "MAP[k]", `MAP["a"]`, "C.names[v]", "v*v", "start", "(point{v, 1}).sum()", "C.total()", "2"}},
		{"MAP", []string{"C.items", "C.other", "local"}},
		{"KEY", []string{"k", "k", "k", `"b"`}},
		{"C", []string{"c", "c", "d", "c.next"}},
	} {
		for strings.Contains(s, x.from) {
			s = strings.Replace(s, x.from, g.pick(x.to...), 1)
		}
	}
	return s
}

func (g *loop) statement(depth int) string {
	switch g.r.IntN(16) {
	case 0, 1:
		return g.expand("MAP[KEY] = X")
	case 2:
		return g.expand("delete(MAP, KEY)")
	case 3:
		return g.expand("C.names[X] " + g.pick("+=", "=") + " X")
	case 4:
		return g.expand("n " + g.pick("+=", "+=", "=", "-=") + " X")
	case 5:
		return g.expand("C." + g.pick("n", "last") + g.pick(" += ", " = ") + "X")
	case 6:
		return g.pick("return 1", "return v", "break", "continue", "return 1")
	case 7:
		return g.expand("C.set = true")
	case 8:
		return g.expand("{\n\tp := point{X, 0}\n\tif p.left() {\n\t\tp.y = v\n\t}\n\tn += p.sum()\n}")
	case 9:
		return g.expand("for _, x := range C.lists[k] {\n\tn += x\n}")
	case 10:
		return g.expand("for _, x := range MAP {\n\tn += x\n}")
	case 11:
		return g.expand("MAP[k] = C.inc()")
	}
	if depth == 0 {
		return "n++"
	}
	s := g.expand("if COND {\n") + g.statement(depth-1) + "\n}"
	if g.r.IntN(4) == 0 {
		s += " else {\n" + g.statement(depth-1) + "\n}"
	}
	return s
}

func (g *loop) source() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nfunc Test%d(t *testing.T) {\n\tf := func(c, d *node) (n int) {\n", g.seed)
	b.WriteString("\t\tlocal, start := map[string]int{}, c.n\n\t\tok := func(c *node, k string) bool { return c.other[k] == start }\n\t\t_, _ = local, ok\n")
	fmt.Fprintf(&b, "\t\tfor k, v := range %s {\n\t\t\t_, _ = k, v\n", g.pick("c.items", "d.items", "c.other", `map[string]int{"a": 1, "b": 2, "c": 1}`))
	for range 1 + g.r.IntN(3) {
		b.WriteString(g.statement(2) + "\n")
	}
	b.WriteString("\t\t}\n\t\treturn n + len(local)\n\t}\n\tc := fresh(0)\n")
	for _, d := range []string{"fresh(1)", "c", "nil"} {
		fmt.Fprintf(&b, "\tc = fresh(%d)\n\tshow(%q, c, %s, f)\n", g.r.IntN(3), d, d)
	}
	b.WriteString("}\n")
	return b.String()
}
