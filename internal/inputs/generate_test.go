package inputs

import (
	"fmt"
	"math/rand"
	"strings"
)

// A generator writes random functions of two inputs. Their behaviour depends on the inputs by all
// operations of integers, in all widths; each path panics with a different value.
type generator struct {
	r    *rand.Rand
	b    strings.Builder
	vars map[string][]string // by type
	x, y string              // the types of x and y
	n    int
	ifs  int
}

var ints = []string{"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "int", "uint"}

func (g *generator) pick(list []string) string { return list[g.r.Intn(len(list))] }

// expr returns an expression of type t.
func (g *generator) expr(t string, depth int) string {
	if depth == 0 || g.r.Intn(6) == 0 {
		if vs := g.vars[t]; len(vs) > 0 && g.r.Intn(4) > 0 {
			return g.pick(vs)
		}
		if u := g.pick([]string{g.x, g.y, g.x, ""}); u != "" {
			return fmt.Sprintf("%s(%s)", t, g.pick(g.vars[u]))
		}
		return fmt.Sprintf("keep1[%s](%d)", t, []int{0, 1, 2, 3, 7, 16, 100, 127}[g.r.Intn(8)])
	}
	x := func() string { return g.expr(t, depth-1) }
	switch g.r.Intn(14) {
	case 0, 1:
		return "(" + x() + " + " + x() + ")"
	case 2:
		return "(" + x() + " - " + x() + ")"
	case 3:
		return "(" + x() + " * " + g.expr(t, 0) + ")"
	case 4: // 0 is a panic, one path of two
		d := g.expr(t, 1)
		if g.r.Intn(3) > 0 {
			d = "(" + d + " | 1)"
		}
		return "(" + x() + g.pick([]string{" / ", " % "}) + d + ")"
	case 5:
		return "(" + x() + g.pick([]string{" & ", " | ", " ^ ", " &^ "}) + x() + ")"
	case 6:
		return "(" + x() + g.pick([]string{" << ", " >> "}) + fmt.Sprint(g.r.Intn(10)) + ")"
	case 7: // a negative count is a panic
		u := g.pick([]string{"uint8", "uint16", "uint", "int8", "uint64"})
		return "(" + x() + g.pick([]string{" << ", " >> "}) + g.expr(u, 1) + ")"
	case 8:
		return g.pick([]string{"-", "^"}) + "(" + x() + ")"
	case 9, 10, 11:
		return t + "(" + g.expr(g.pick(ints), depth-1) + ")"
	case 12:
		return fmt.Sprintf("%s(min(%s, %s))", t, x(), x())
	default:
		return fmt.Sprintf("pick(%s, %s, %s)", g.cond(depth-1), x(), x())
	}
}

// cond returns a condition.
func (g *generator) cond(depth int) string {
	if depth > 0 && g.r.Intn(4) == 0 {
		return "(" + g.cond(depth-1) + g.pick([]string{" && ", " || ", " == ", " != "}) + g.cond(depth-1) + ")"
	}
	t := g.pick(ints)
	return "(" + g.expr(t, depth) + g.pick([]string{" < ", " <= ", " > ", " >= ", " == ", " != "}) + g.expr(t, depth) + ")"
}

func (g *generator) line(format string, args ...any) { fmt.Fprintf(&g.b, format+"\n", args...) }

// statement writes one statement.
func (g *generator) statement(depth int) {
	t := g.pick(ints)
	switch g.r.Intn(10) {
	case 0, 1, 2:
		g.n++
		v := fmt.Sprintf("v%d", g.n)
		g.line("%s := %s; _ = %s", v, g.expr(t, 2), v)
		g.vars[t] = append(g.vars[t], v)
		return
	case 3:
		if vs := g.vars[t]; len(vs) > 0 {
			g.line("%s %s %s", g.pick(vs), g.pick([]string{"=", "+=", "^=", "-="}), g.expr(t, 2))
			return
		}
	case 4: // through memory
		g.n++
		v := fmt.Sprintf("v%d", g.n)
		switch g.r.Intn(5) {
		case 0:
			g.line("%s := keep(&box[%s]{a: 1, b: %s}).b; _ = %s", v, t, g.expr(t, 2), v)
		case 1:
			g.line("%s := throughAny(%s).(%s); _ = %s", v, g.expr(t, 2), t, v)
		case 2:
			g.line("%s := throughChan(%s); _ = %s", v, g.expr(t, 2), v)
		case 3:
			g.line("%s := throughMap(%s); _ = %s", v, g.expr(t, 2), v)
		case 4:
			g.line("%s := [3]%s{1, %s, 3}[index(%s, 3)]; _ = %s", v, t, g.expr(t, 1), g.expr("int", 1), v)
		}
		g.vars[t] = append(g.vars[t], v)
		return
	case 5:
		g.line("if at(%s) == 4 { path = path*3 + 2 }", g.expr("int", 2))
		return
	}
	if depth == 0 || g.ifs == 0 {
		return
	}
	g.ifs--
	saved := map[string][]string{}
	for t, vs := range g.vars {
		saved[t] = vs[:len(vs):len(vs)]
	}
	g.line("if %s {", g.cond(2))
	g.line("path = path*3 + 1")
	g.statement(depth - 1)
	g.vars = map[string][]string{}
	for t, vs := range saved {
		g.vars[t] = vs
	}
	g.line("} else {")
	g.line("path = path*3 + 2")
	g.statement(depth - 1)
	g.line("}")
	g.vars = saved
}

// function returns a function of x and y of those types.
func (g *generator) function(name, tx, ty string) string {
	g.b.Reset()
	g.vars, g.x, g.y = map[string][]string{}, tx, ty
	g.vars[tx] = append(g.vars[tx], "x")
	g.vars[ty] = append(g.vars[ty], "y")
	g.ifs = 5
	g.line("func %s(x %s, y %s) {", name, tx, ty)
	g.line("path := 1")
	for range 3 + g.r.Intn(5) {
		g.statement(2)
	}
	g.line("if %s { path = -path }", g.cond(2))
	g.line("panic(path)")
	g.line("}")
	return g.b.String()
}

// helpers are functions that these call.
const helpers = `
type box[T any] struct { a int8; b T; c bool }

func keep[T any](p *box[T]) *box[T] { q := new(box[T]); *q = *p; return q }
func throughAny(x any) any { return []any{nil, x}[1] }
func throughChan[T any](x T) T { c := make(chan T, 1); c <- x; return <-c }
func throughMap[T any](x T) T { m := map[int]T{}; m[1] = x; m[2] = x; delete(m, 2); return m[1] }
func keep1[T any](x T) T { return x } // no constant
func pick[T any](c bool, a, b T) T { if c { return a }; return b }
func index(i, n int) int { if i < 0 || i >= n { return 0 }; return i }

var table = []int{3, 1, 4, 1, 5}

func at(i int) int { return table[i] }
`
