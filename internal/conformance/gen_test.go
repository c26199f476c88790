package conformance

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A generator writes sequential Go programs: functions progN of one file, each
// a function of its seed. They compute with integers of all widths, floats,
// strings, slices, arrays, maps, structs, closures, methods, generic functions
// and interfaces, and may panic wherever Go lets them; their output has the value of every variable. They
// avoid behaviour that the language leaves open (the order of map iteration, conversions of floats that do
// not fit).
type generator struct {
	r     *rand.Rand
	b     strings.Builder
	scope []variable
	tabs  int
	next  int // number of the next variable
	fuel  int // statements left
	loops []string
}

type variable struct {
	name, typ string
	fixed     bool // not to be assigned: a loop variable
}

var (
	intTypes   = []string{"int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr"}
	floatTypes = []string{"float64", "float32"}
	otherTypes = []string{"string", "bool", "pair", "*pair", "[]int", "[]byte", "[]pair", "[4]int16", "[3]pair", "map[string]int", "map[pair]uint8", "any", "shape", "func(int) int", "complex128", "stack[int32]"}
)

// prelude is the part of the file that is the same for all seeds.
const prelude = `package main

import (
	"fmt"
	"strings"
)

type pair struct {
	a int
	b uint8
	s string
}

func (p pair) sum() int     { return p.a + int(p.b) + len(p.s) }
func (p *pair) add(n int)   { p.a += n; p.b++ }
func (p pair) area() int    { return p.a * int(p.b) }
func (p pair) with(n int) pair { p.a = n; return p }

type square int16

func (s square) area() int { return int(s) * int(s) }

type shape interface{ area() int }

type named struct {
	pair
	list [2]int
}

type stack[T any] struct{ items []T }

func (s *stack[T]) push(x T) { s.items = append(s.items, x) }
func (s *stack[T]) pop() (x T) {
	x = s.items[len(s.items)-1]
	s.items = s.items[:len(s.items)-1]
	return x
}

type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

func id[T any](x T) T { return x }

func pick[T any](c bool, x, y T) T {
	if c {
		return x
	}
	return y
}

func sumOf[T integer](xs ...T) (s T) {
	for _, x := range xs {
		s += x
	}
	return s
}

func quo[T integer](x, y T) T            { return x / y }
func rem[T integer](x, y T) T            { return x % y }
func shl[T integer](x T, n int8) T       { return x << n }
func shr[T integer](x T, n int8) T       { return x >> n }
func at[T any](s []T, i int) T           { return s[i] }
func upTo[T any](s []T, i int) []T       { return s[:i] }
func char(s string, i int) byte          { return s[i] }
func from(s string, i int) string        { return s[i:] }
func load[T any](p *T) T                 { return *p }
func areaOf(s shape) int                 { return s.area() }
func same(x, y any) bool                 { return x == y }

func mapped[T, U any](xs []T, f func(T) U) []U {
	var ys []U
	for _, x := range xs {
		ys = append(ys, f(x))
	}
	return ys
}

func upto(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := 0; i < n && yield(i); i++ {
		}
	}
}

// small makes an index that is mostly in range.
func small(n int) int { return n & 3 }

func clamp(f float64) float64 {
	if f != f || f > 1e9 || f < -1e9 {
		return 0
	}
	return f
}

func short(s string) string {
	if len(s) > 12 {
		return s[:12]
	}
	return s
}

func kind(v any) string {
	switch x := v.(type) {
	case nil:
		return "nil"
	case int, int8, uint16:
		return fmt.Sprint("int ", x)
	case string:
		return "string " + x
	case pair:
		return fmt.Sprint("pair ", x.sum())
	case shape:
		return fmt.Sprint("shape ", x.area())
	case func(int) int:
		return fmt.Sprint("func ", x(3))
	case error:
		return "error " + x.Error()
	}
	return fmt.Sprintf("other %T", v)
}

func show(name string, v any) {
	switch x := v.(type) {
	case *pair:
		if x == nil {
			fmt.Println(name, "nil")
		} else {
			fmt.Println(name, *x)
		}
	case func(int) int:
		fmt.Println(name, x != nil)
	case shape:
		fmt.Printf("%s %T %v\n", name, x, x)
	default:
		fmt.Printf("%s %T %#v\n", name, v, v)
	}
}

// depth counts loops, so that all programs end.
var depth int

func run(n int, prog func()) {
	fmt.Println("==", n)
	defer func() {
		if r := recover(); r != nil {
			fmt.Println("escaped:", r)
		}
	}()
	depth = 0
	prog()
}

func rec(n int) int {
	if n <= 0 {
		return 1
	}
	return n + rec(n-1)/2
}

var _ = strings.Repeat
var _ = named{}
`

// generate returns a program of n functions, of seeds from first on.
func generate(first, n int) string {
	var b strings.Builder
	b.WriteString(prelude)
	for i := first; i < first+n; i++ {
		g := &generator{r: rand.New(rand.NewPCG(uint64(i), 7)), tabs: 1, fuel: 40}
		b.WriteString("\n" + g.program(i))
	}
	b.WriteString("\nfunc main() {\n")
	for i := first; i < first+n; i++ {
		fmt.Fprintf(&b, "\trun(%d, prog%d)\n", i, i)
	}
	b.WriteString("}\n")
	return b.String()
}

// program returns function progN.
func (g *generator) program(n int) string {
	captured := g.r.IntN(2) == 0 // print in a deferred closure, so that all variables are captured
	for range 5 + g.r.IntN(6) {
		g.declare()
	}
	vars := g.scope[:len(g.scope):len(g.scope)]
	body := g.b.String()
	g.b.Reset()
	for g.fuel > 0 {
		g.statement(3)
	}
	shows := func(tabs string) string {
		var s strings.Builder
		for _, v := range vars {
			fmt.Fprintf(&s, "%sshow(%q, %s)\n", tabs, v.name, v.name)
		}
		return s.String()
	}
	text := fmt.Sprintf("func prog%d() {\n", n)
	if captured {
		text += body + "\tdefer func() {\n\t\tif r := recover(); r != nil {\n\t\t\tfmt.Println(\"panic:\", r)\n\t\t}\n" + shows("\t\t") + "\t}()\n" + g.b.String()
	} else {
		text += "\tdefer func() {\n\t\tif r := recover(); r != nil {\n\t\t\tfmt.Println(\"panic:\", r)\n\t\t}\n\t}()\n" + body + g.b.String() + shows("\t")
	}
	return text + "}\n"
}

func (g *generator) line(format string, args ...any) {
	g.b.WriteString(strings.Repeat("\t", g.tabs))
	fmt.Fprintf(&g.b, format, args...)
	g.b.WriteByte('\n')
}

func one(r *rand.Rand, list []string) string { return list[r.IntN(len(list))] }

// typ returns a random type.
func (g *generator) typ() string {
	switch g.r.IntN(4) {
	case 0, 1:
		return one(g.r, intTypes)
	case 2:
		return one(g.r, otherTypes)
	}
	return one(g.r, append(floatTypes, "string", "int", "bool"))
}

// declare declares a new variable.
func (g *generator) declare() {
	t := g.typ()
	name := fmt.Sprintf("v%d", g.next)
	g.next++
	if g.r.IntN(6) == 0 {
		g.line("var %s %s", name, t)
	} else {
		g.line("var %s %s = %s", name, t, g.expr(t, 2))
	}
	g.line("_ = %s", name)
	g.scope = append(g.scope, variable{name: name, typ: t})
}

// pickVar returns a variable of type t, or "".
func (g *generator) pickVar(t string, assign bool) string {
	var names []string
	for _, v := range g.scope {
		if v.typ == t && !(assign && v.fixed) {
			names = append(names, v.name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return one(g.r, names)
}

// block writes statements between braces, with a scope of their own.
func (g *generator) block(depth int, before func()) {
	n := len(g.scope)
	g.tabs++
	if before != nil {
		before()
	}
	for range 1 + g.r.IntN(3) {
		g.statement(depth - 1)
	}
	g.tabs--
	g.scope = g.scope[:n]
}

// function is block for the body of a function, which cannot leave the loops around it.
func (g *generator) function(depth int, before func()) {
	loops := g.loops
	g.loops = nil
	g.block(depth, before)
	g.loops = loops
}
