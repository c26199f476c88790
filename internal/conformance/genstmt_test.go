package conformance

import (
	"fmt"
	"strings"
)

// statement writes a statement; depth bounds nesting.
func (g *generator) statement(depth int) {
	g.fuel--
	choice := g.r.IntN(24)
	if depth <= 0 && choice >= 10 {
		choice = g.r.IntN(10)
	}
	switch choice {
	case 0:
		g.declare()
	case 1, 2, 3, 4:
		g.assign()
	case 5:
		if v := g.pickVar(g.anyInt(), true); v != "" {
			g.line("%s%s", v, one(g.r, []string{"++", "--"}))
		} else {
			g.assign()
		}
	case 6:
		g.mutate()
	case 7:
		g.line("fmt.Println(%s, %s)", g.expr(g.anyInt(), 2), g.expr("string", 2))
	case 8:
		g.line("fmt.Println(kind(%s))", g.expr("any", 2))
	case 9:
		g.swap()
	case 10, 11, 12:
		g.line("if %s {", g.expr("bool", 2))
		g.block(depth, nil)
		if g.r.IntN(2) == 0 {
			g.line("} else {")
			g.block(depth, nil)
		}
		g.line("}")
	case 13, 14, 15:
		g.loop(depth)
	case 16:
		g.switches(depth)
	case 17, 18:
		g.closure(depth)
	case 19:
		g.line("defer func() {")
		g.function(depth, func() {
			if g.r.IntN(3) == 0 {
				g.line("fmt.Println(\"recovered\", recover())")
			}
		})
		g.line("}()")
	case 20:
		g.line("func() {")
		g.function(depth, func() {
			g.line("defer func() { fmt.Println(recover()) }()")
		})
		if g.r.IntN(2) == 0 {
			g.line("\tpanic(%s)", g.expr(one(g.r, []string{"string", "int", "pair"}), 1))
		}
		g.line("}()")
	case 21:
		if len(g.loops) > 0 {
			g.line("if %s {", g.expr("bool", 1))
			g.line("\t%s %s", one(g.r, []string{"break", "continue"}), one(g.r, g.loops))
			g.line("}")
			return
		}
		g.assign()
	case 22:
		x, ok := g.fresh(), g.fresh()
		t := one(g.r, []string{"int", "string", "pair", "shape", "uint16"})
		g.line("%s, %s := (%s).(%s)", x, ok, g.expr("any", 1), t)
		g.line("_, _ = %s, %s", x, ok)
		g.scope = append(g.scope, variable{name: x, typ: t}, variable{name: ok, typ: "bool"})
	case 23:
		if v := g.pickVar("map[string]int", false); v != "" {
			k, n := g.fresh(), g.fresh()
			g.line("for %s, %s := range %s {", k, n, v)
			g.line("\tdepth += %s + len(%s)", n, k) // order does not matter
			g.line("}")
			g.line("fmt.Println(depth)")
			return
		}
		g.assign()
	}
}

func (g *generator) fresh() string {
	g.next++
	return fmt.Sprintf("v%d", g.next-1)
}

func (g *generator) anyInt() string { return one(g.r, intTypes) }

// assign writes an assignment to a random variable.
func (g *generator) assign() {
	var vars []variable
	for _, v := range g.scope {
		if !v.fixed {
			vars = append(vars, v)
		}
	}
	if len(vars) == 0 {
		g.declare()
		return
	}
	v := vars[g.r.IntN(len(vars))]
	isInt := strings.HasPrefix(v.typ, "int") || strings.HasPrefix(v.typ, "uint")
	switch {
	case isInt && g.r.IntN(3) == 0:
		op := one(g.r, []string{"+", "-", "*", "&", "|", "^", "&^"})
		g.line("%s %s= %s", v.name, op, g.expr(v.typ, 2))
	case v.typ == "string":
		g.line("%s = short(%s)", v.name, g.expr(v.typ, 2))
	case (v.typ == "float64" || v.typ == "complex128") && g.r.IntN(3) == 0:
		g.line("%s %s= %s", v.name, one(g.r, []string{"+", "-", "*"}), g.expr(v.typ, 1))
	default:
		g.line("%s = %s", v.name, g.expr(v.typ, 3))
	}
}

// mutate changes a part of a composite variable.
func (g *generator) mutate() {
	at := "%s[small(" + strings.ReplaceAll(g.expr("int", 1), "%", "%%") + ")]"
	forms := []struct{ typ, format, arg string }{
		{"[]int", at + " = %s", "int"},
		{"[]byte", at + " ^= %s", "uint8"},
		{"[]int", "%[1]s = append(%[1]s, %[2]s)", "int"},
		{"[]pair", "%[1]s = append(%[1]s[:len(%[1]s)/2], %[2]s)", "pair"},
		{"[]pair", at + ".a += %s", "int"},
		{"[4]int16", at + " -= %s", "int16"},
		{"[3]pair", at + ".b = %s", "uint8"},
		{"map[string]int", "%s[\"b\"] += %s", "int"},
		{"map[string]int", "delete(%s, short(%s))", "string"},
		{"map[pair]uint8", "%s[pair{b: 5}] = %s", "uint8"},
		{"map[pair]uint8", "delete(%s, %s)", "pair"},
		{"pair", "%s.add(%s)", "int"},
		{"pair", "%s.s = short(%s)", "string"},
		{"*pair", "%s.add(%s)", "int"},
		{"*pair", "*%s = %s", "pair"},
		{"stack[int32]", "%s.push(%s)", "int32"},
		{"stack[int32]", "fmt.Println(%s.pop(), %s)", "bool"},
		{"[]int", "fmt.Println(copy(%s, %s))", "[]int"},
		{"[]byte", "fmt.Println(copy(%s, %s))", "string"},
		{"[]int", "clear(%s[:len(%[1]s)/2]); _ = %s", "int"},
	}
	for range 6 {
		f := forms[g.r.IntN(len(forms))]
		if v := g.pickVar(f.typ, true); v != "" {
			g.line(f.format, v, g.expr(f.arg, 2))
			return
		}
	}
	g.assign()
}

// swap assigns two variables at once.
func (g *generator) swap() {
	t := g.typ()
	x, y := g.pickVar(t, true), g.pickVar(t, true)
	if x == "" || x == y {
		g.assign()
		return
	}
	g.line("%s, %s = %s, %s", x, y, y, g.expr(t, 1))
}

// loop writes one of the forms of for.
func (g *generator) loop(depth int) {
	label := fmt.Sprintf("L%d", g.next)
	i := g.fresh()
	loops := g.loops
	g.tabs--
	g.line("%s:", label)
	g.tabs++
	g.loops = append(loops[:len(loops):len(loops)], label)
	index := variable{name: i, typ: "int", fixed: true}
	n := len(g.scope)
	switch g.r.IntN(5) {
	case 0:
		g.line("for %s := 0; %s < %d; %s++ {", i, i, 1+g.r.IntN(5), i)
	case 1:
		g.line("for %s := range %d {", i, 1+g.r.IntN(5))
	case 2:
		x := g.fresh()
		g.line("for %s, %s := range short(%s) {", i, x, g.expr("string", 1))
		g.line("\t_, _ = %s, %s", i, x)
		g.scope = append(g.scope, variable{name: x, typ: "int32"})
	case 3:
		x := g.fresh()
		g.line("for %s, %s := range (%s) {", i, x, g.expr(one(g.r, []string{"[4]int16", "[3]pair"}), 1))
		g.line("\t_, _ = %s, %s", i, x)
	case 4:
		g.line("for %s := range upto(small(%s)) {", i, g.expr("int", 1))
	}
	g.scope = append(g.scope, index)
	// Whatever the conditions of its loops, a program ends soon.
	g.line("\tif depth++; depth > 300 {")
	g.line("\t\tbreak %s", label)
	g.line("\t}")
	g.line("\t_ = %s", i)
	g.block(depth, nil)
	g.line("}")
	g.scope = g.scope[:n]
	g.loops = loops
}

// switches writes a switch over an integer, or one without an operand.
func (g *generator) switches(depth int) {
	t := g.anyInt()
	if g.r.IntN(2) == 0 {
		g.line("switch %s & 3 {", g.expr(t, 2))
		for k := range 3 {
			g.line("case %d:", k)
			g.block(depth, nil)
			if k == 1 && g.r.IntN(2) == 0 {
				g.line("\tfallthrough")
			}
		}
	} else {
		g.line("switch {")
		for range 2 {
			g.line("case %s:", g.expr("bool", 2))
			g.block(depth, nil)
		}
	}
	g.line("default:")
	g.block(depth, nil)
	g.line("}")
}

// closure declares a function that uses variables of its surroundings, and calls it.
func (g *generator) closure(depth int) {
	f, x, r := g.fresh(), g.fresh(), g.fresh()
	t := one(g.r, []string{"int", "int16", "uint32", "string", "pair", "float64"})
	g.line("%s := func(%s %s) (%s %s) {", f, x, t, r, t)
	n := len(g.scope)
	g.scope = append(g.scope, variable{name: x, typ: t}, variable{name: r, typ: t})
	g.function(depth, func() {
		if g.r.IntN(3) == 0 {
			g.line("defer func() { %s = %s }()", r, g.expr(t, 1))
		}
	})
	g.line("\treturn %s", g.expr(t, 2))
	g.scope = g.scope[:n]
	g.line("}")
	g.line("fmt.Println(%s(%s), %s(%s))", f, g.expr(t, 1), f, g.expr(t, 1))
}
