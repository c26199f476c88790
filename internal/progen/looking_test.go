package progen_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// This test implements the results of clock reads (vm/step_look.go) a second time, like the passing of time
// in passing_test.go: at every look, one of many amounts of time may pass. The machine, which begins with
// looks at which no time passes, finds the same outcomes with each explorer.

// A glance is one operation of a program without branches.
type glance struct {
	op   string // look, since, sleep, print, put, get; go, join; arm, wake, say
	i    int    // the printed text, the goroutine, or the form of a comparison
	c    int64  // the duration
	mine bool   // since the goroutine's own look instead of the start of the program
}

const micro = 1000

func (s glance) text() string {
	since := "x"
	if s.mine {
		since = "y"
	}
	switch s.op {
	case "look":
		return "y = time.Now()"
	case "put":
		return "{ v := y; z.Store(&v) }"
	case "get":
		return "y = *z.Load()"
	case "sleep":
		return fmt.Sprintf("time.Sleep(%d)", s.c)
	case "print":
		return fmt.Sprintf("fmt.Println(\"%c\")", 'a'+rune(s.i))
	}
	form := []string{"time.Since(%s) > %d", "time.Now().Sub(%s) > %d", "time.Now().After(%s.Add(%d))", "%s.Add(%d).Before(time.Now())",
		"time.Until(%s.Add(%d)) < 0", "float64(time.Since(%s)) > %d"}[s.i]
	return fmt.Sprintf("fmt.Println("+form+")", since, s.c)
}

// randomGlances returns the bodies of goroutines, of which the first one starts the others.
func randomGlances(r *rand.Rand) (bodies [][]glance) {
	looks := 0
	for g := range 1 + r.IntN(2) {
		body := []glance{}
		own := false
		for k := range 1 + r.IntN(4) {
			s := glance{op: "print", i: g*3 + k}
			switch n := r.IntN(11); {
			case n == 8 || n == 9 && !own:
				s = glance{op: "get"}
				own = true
			case n > 8:
				s = glance{op: "put"}
			case n < 2:
				s = glance{op: "sleep", c: micro * int64(1+r.IntN(4))}
			case n == 2 && looks < 2:
				s = glance{op: "look"}
				own = true
				looks++
			case n > 2 && n < 7 && looks < 2:
				s = glance{op: "since", i: r.IntN(6), c: micro * int64(1+r.IntN(4)), mine: own && r.IntN(2) == 0}
				looks++
			}
			body = append(body, s)
		}
		bodies = append(bodies, body)
	}
	return bodies
}

func glanceSource(name string, bodies [][]glance) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package main\n\nimport (\n\"fmt\"\n\"sync\"\n\"sync/atomic\"\n\"time\"\n)\n\nfunc %s() {\n"+
		"var wg sync.WaitGroup\nvar z atomic.Pointer[time.Time]\nx := time.Now()\n{ v := x; z.Store(&v) }\n_, _ = x, fmt.Sprint\n", name)
	write := func(body []glance) {
		b.WriteString("y := x\n_ = y\n")
		for _, s := range body {
			b.WriteString(s.text() + "\n")
		}
	}
	for _, body := range bodies[1:] {
		b.WriteString("wg.Add(1)\ngo func() {\n")
		write(body)
		b.WriteString("wg.Done()\n}()\n")
	}
	write(bodies[0])
	b.WriteString("wg.Wait()\n}\n")
	return b.String()
}

// A watch is a state of the model.
type watch struct {
	now, debt, shown int64
	pc               []int
	wake, y          []int64
	reg              []string
	x, z             int64 // z is stored where all goroutines find it
	out              string
}

func (m *watch) clone() *watch {
	n := *m
	n.pc, n.wake, n.y, n.reg = slices.Clone(m.pc), slices.Clone(m.wake), slices.Clone(m.y), slices.Clone(m.reg)
	return &n
}

type watchModel struct {
	code  [][]glance
	slack int64
	seen  map[string]bool
	ends  map[string]bool
}

func glanceOutcomes(bodies [][]glance, slack int64) map[string]bool {
	k := &watchModel{slack: slack, seen: map[string]bool{}, ends: map[string]bool{}}
	for g, body := range bodies {
		var code []glance
		if g == 0 {
			code = append(code, glance{op: "begin"})
			for j := range bodies[1:] {
				code = append(code, glance{op: "go", i: j + 1})
			}
		}
		for _, s := range body {
			switch s.op {
			case "sleep":
				code = append(code, glance{op: "arm", c: s.c}, glance{op: "wake"})
			case "since":
				code = append(code, s, glance{op: "say"})
			default:
				code = append(code, s)
			}
		}
		if g == 0 {
			code = append(code, glance{op: "join"})
		}
		k.code = append(k.code, code)
	}
	n := len(k.code)
	m := &watch{pc: make([]int, n), wake: make([]int64, n), y: make([]int64, n), reg: make([]string, n)}
	for g := range m.pc[1:] {
		m.pc[g+1] = -1
	}
	k.visit(m)
	return k.ends
}

func (k *watchModel) at(m *watch, g int) string {
	if m.pc[g] < 0 || m.pc[g] == len(k.code[g]) {
		return ""
	}
	return k.code[g][m.pc[g]].op
}

func (k *watchModel) visit(m *watch) {
	key := fmt.Sprintf("%+v", *m)
	if k.seen[key] {
		return
	}
	k.seen[key] = true
	busy, due, first := false, false, int64(1)<<60
	for g := range k.code {
		if k.at(m, g) == "wake" {
			due = due || m.wake[g] <= m.now
			first = min(first, m.wake[g])
		}
	}
	for g := range k.code {
		op := k.at(m, g)
		switch op {
		case "", "wake":
			continue
		case "join":
			if m.pc[len(m.pc)-1] < len(k.code[len(k.code)-1]) && len(k.code) > 1 {
				continue
			}
		}
		busy = true
		if op != "look" && op != "since" && op != "begin" {
			k.visit(k.step(m, g, 0))
			continue
		}
		// Rule 4, a quarter of a microsecond at a time.
		room := min(k.slack-m.debt, first-m.now-1)
		if due {
			room = 0
		}
		for d := int64(0); d < room; d += micro / 4 {
			k.visit(k.step(m, g, d))
		}
		k.visit(k.step(m, g, max(room, 0)))
	}
	stuck := !busy
	for g := range k.code {
		if k.at(m, g) != "wake" {
			continue
		}
		stuck = false
		n := m.clone()
		n.pc[g]++
		switch at := m.wake[g]; {
		case at <= m.now:
		case due || at > first:
			continue
		case !busy:
			n.now, n.debt = at, 0
		case m.debt+at-m.now <= k.slack:
			n.debt += at - m.now
			n.now = at
		default:
			continue
		}
		k.visit(n)
	}
	if stuck {
		k.ends[m.out+"ended"] = true
	}
}

// step executes the next operation of g; d passes at a look.
func (k *watchModel) step(m *watch, g int, d int64) *watch {
	op := k.code[g][m.pc[g]]
	n := m.clone()
	n.pc[g]++
	n.now += d
	n.debt += d
	switch op.op {
	case "begin", "look", "since":
		n.shown = max(n.now, n.shown)
		if k.slack > 0 { // virtual time stands still, as in a bubble
			n.shown++
		}
	}
	switch op.op {
	case "begin":
		n.x, n.y[g], n.z = n.shown, n.shown, n.shown
	case "go":
		n.pc[op.i], n.y[op.i] = 0, n.x
	case "look":
		n.y[g] = n.shown
	case "put":
		n.z = n.y[g]
	case "get":
		n.y[g] = n.z
	case "since":
		from := n.x
		if op.mine {
			from = n.y[g]
		}
		n.reg[g] = fmt.Sprint(n.shown-from > op.c)
	case "arm":
		n.wake[g] = max(n.now, n.shown) + op.c
	case "say":
		n.out += n.reg[g] + " "
		n.reg[g] = ""
	case "print":
		n.out += string('a'+rune(op.i)) + " "
	}
	return n
}

// TestLooking: every explorer finds the outcomes of the model, for every slack.
func TestLooking(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{"go.mod": "module looking\n\ngo 1.26\n", "main.go": "package main\n\nfunc main() {}\n"}
	var progs [][][]glance
	seeds := deep.Seeds(t, 4, 24)
	for i, seed := range seeds {
		bodies := randomGlances(rand.New(rand.NewPCG(seed, 0x100c)))
		progs = append(progs, bodies)
		files[fmt.Sprintf("p%d.go", i)] = glanceSource(fmt.Sprintf("P%d", i), bodies)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := load.Load(load.Config{Dir: dir, Implicit: []string{"runtime"}, Cache: &cache})
	if err != nil {
		t.Fatal(err)
	}
	compared, left, seen := 0, 0, 0
	for i, bodies := range progs {
		// The length of a sleep is not compared, because looks without a comparison take no time, so it
		// differs by a nanosecond.
		for _, slack := range []int64{0, 1500, 3*micro + 100, 6*micro + 100} {
			want := glanceOutcomes(bodies, slack)
			for k, e := range explorers.Exhaustive() {
				if deep.Quick() && k%2 != i%2 {
					continue
				}
				got, ok := lookWith(t, prog, fmt.Sprintf("P%d", i), e, slack)
				if ok {
					compared, seen = compared+1, seen+len(want)
				} else {
					left++
				}
				if ok && !maps.Equal(got, want) {
					t.Errorf("seed %d, slack %d, %s:\n%s\n%s", seeds[i], slack, e.Name, difference(got, want), numbered(files[fmt.Sprintf("p%d.go", i)]))
					return
				}
			}
		}
	}
	t.Logf("%d searches compared, with %d outcomes; %d that left something out", compared, seen, left)
	if compared < 2*left {
		t.Error("too little is compared")
	}
}

// lookWith returns the outcomes of an explorer, which begins with looks that are not operations, unless the
// search is incomplete.
func lookWith(t *testing.T, prog *load.Program, name string, e *por.Explorer, slack int64) (map[string]bool, bool) {
	entry, err := prog.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := vm.New(prog, entry, vm.Config{VisibleOutput: true, OrderedTime: true, Slack: slack})
	for range 20 {
		if err != nil {
			t.Fatal(err)
		}
		if e.Name == "optimal" && m.Overtakes() {
			return nil, false // it leaves these to source
		}
		v := &timedVisitor{m, map[string]bool{}}
		cfg := por.Config{MaxExecutions: 20000, Match: e.Stateful}
		if e.Stateful {
			cfg = por.Config{MaxStates: 50000, Match: true}
		}
		r := e.Explore(m, v, cfg)
		if !m.Environment().NeedsRefining() {
			return v.ends, len(r.Incomplete) == 0 && !r.Stopped && len(m.Environment().Assumed()) == 0
		}
		m, err = m.With(m.Refined().Refine, nil)
	}
	t.Errorf("%s: the search begins again forever", name)
	return nil, false
}
