package conformance

import (
	"fmt"
	"strconv"
)

// expr returns an expression of type t. Literals of basic types are arguments
// of id, lest the compiler find constants that overflow. Only calls may panic inside an expression: for
// other operations the language leaves open whether they come before or after calls.
func (g *generator) expr(t string, depth int) string {
	if depth <= 0 || g.r.IntN(5) == 0 {
		if v := g.pickVar(t, false); v != "" && g.r.IntN(4) > 0 {
			return v
		}
		return g.literal(t)
	}
	d := depth - 1
	if g.r.IntN(12) == 0 {
		return fmt.Sprintf("pick(%s, %s, %s)", g.expr("bool", d), g.typed(t, d), g.typed(t, d))
	}
	switch t {
	case "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr":
		return g.integer(t, d)
	case "float64", "float32":
		switch g.r.IntN(6) {
		case 0:
			return fmt.Sprintf("%s(%s)", t, g.expr(g.anyInt(), d))
		case 1:
			return fmt.Sprintf("%s(%s)", t, g.expr(one(g.r, floatTypes), d))
		case 2:
			return fmt.Sprintf("min(%s, %s)", g.expr(t, d), g.expr(t, d))
		case 3:
			return fmt.Sprintf("-(%s)", g.expr(t, d))
		}
		return fmt.Sprintf("%s(%s %s %s)", t, g.expr(t, d), one(g.r, []string{"+", "-", "*", "/"}), g.expr(t, d))
	case "complex128":
		switch g.r.IntN(3) {
		case 0:
			return fmt.Sprintf("complex(%s, clamp(%s))", g.expr("float64", d), g.expr("float64", d))
		case 1:
			return fmt.Sprintf("complex128(complex64(%s))", g.expr(t, d))
		}
		return fmt.Sprintf("(%s %s %s)", g.expr(t, d), one(g.r, []string{"+", "-", "*"}), g.expr(t, d))
	case "string":
		return g.str(d)
	case "bool":
		return g.boolean(d)
	}
	return g.composite(t, d)
}

// typed is expr where inference could take another type.
func (g *generator) typed(t string, d int) string {
	switch t {
	case "any", "shape", "func(int) int", "*pair", "[]int", "[]byte", "[]pair":
		return fmt.Sprintf("(%s)(%s)", t, g.expr(t, d))
	}
	return g.expr(t, d)
}

func (g *generator) literal(t string) string {
	switch t {
	case "int", "int8", "int16", "int32", "int64":
		bits := map[string]int{"int": 64, "int8": 8, "int16": 16, "int32": 32, "int64": 64}[t]
		n := int64(g.r.Uint64()) >> (64 - bits)
		if g.r.IntN(3) > 0 {
			n = int64(g.r.IntN(20)) - 8
		}
		return fmt.Sprintf("id[%s](%d)", t, n)
	case "uint", "uint8", "uint16", "uint32", "uint64", "uintptr":
		bits := map[string]int{"uint": 64, "uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64, "uintptr": 64}[t]
		n := g.r.Uint64() >> (64 - bits)
		if g.r.IntN(3) > 0 {
			n = uint64(g.r.IntN(20))
		}
		return fmt.Sprintf("id[%s](%d)", t, n)
	case "float64", "float32":
		return fmt.Sprintf("id[%s](%s)", t, strconv.FormatFloat(float64(g.r.IntN(4001)-2000)/8, 'g', -1, 64))
	case "complex128":
		return fmt.Sprintf("id(complex(%d.5, %d))", g.r.IntN(9)-4, g.r.IntN(9))
	case "string":
		return strconv.Quote(one(g.r, []string{"", "a", "héllo", "日本", "xyz\x00", "go", "\xff!", "long enough text"}))
	case "bool":
		return one(g.r, []string{"true", "false"})
	case "pair":
		return fmt.Sprintf("pair{%d, %d, %q}", g.r.IntN(30)-9, g.r.IntN(256), one(g.r, []string{"", "p", "qq"}))
	case "*pair":
		if g.r.IntN(5) == 0 {
			return "(*pair)(nil)"
		}
		return "&" + g.literal("pair")
	case "[]int":
		return one(g.r, []string{"[]int{1, -2, 3, 4}", "[]int(nil)", "[]int{7}", "make([]int, 3, 9)"})
	case "[]byte":
		return one(g.r, []string{`[]byte("bytes")`, "[]byte{}", "make([]byte, 5)"})
	case "[]pair":
		return fmt.Sprintf("[]pair{%s, {}, {a: 3}, %s}", g.literal("pair"), g.literal("pair"))
	case "[4]int16":
		return fmt.Sprintf("[4]int16{%d, 1: %d}", g.r.IntN(99), g.r.IntN(99))
	case "[3]pair":
		return fmt.Sprintf("[3]pair{2: %s}", g.literal("pair"))
	case "map[string]int":
		return one(g.r, []string{`map[string]int{"a": 1, "go": 5}`, "map[string]int{}", "map[string]int(nil)"})
	case "map[pair]uint8":
		return "map[pair]uint8{{}: 1, {a: 2}: 3}"
	case "any":
		return fmt.Sprintf("any(%s)", g.literal(one(g.r, []string{"int", "uint16", "string", "pair", "float64", "bool"})))
	case "shape":
		return one(g.r, []string{"shape(square(5))", "shape(pair{3, 4, \"\"})", "shape(&pair{a: 2})", "shape(nil)"})
	case "func(int) int":
		return one(g.r, []string{"rec", "func(n int) int { return n * 3 }", "id[int]"})
	case "stack[int32]":
		return "stack[int32]{[]int32{1, 2}}"
	}
	panic("no literal of type " + t)
}

func (g *generator) integer(t string, d int) string {
	switch g.r.IntN(16) {
	case 0, 1, 2, 3:
		return fmt.Sprintf("(%s %s %s)", g.expr(t, d), one(g.r, []string{"+", "-", "*", "&", "|", "^", "&^"}), g.expr(t, d))
	case 4:
		if g.r.IntN(2) == 0 {
			return fmt.Sprintf("%s(%s, %s)", one(g.r, []string{"quo", "rem"}), g.expr(t, d), g.expr(t, d))
		}
		return fmt.Sprintf("(%s %s (%s | 1))", g.expr(t, d), one(g.r, []string{"/", "%"}), g.expr(t, d))
	case 5:
		return fmt.Sprintf("(%s %s (%s & 127))", g.expr(t, d), one(g.r, []string{"<<", ">>"}), g.expr(one(g.r, []string{"uint", "uint8", "uint64", "int"}), d))
	case 6:
		return fmt.Sprintf("%s(%s, %s)", one(g.r, []string{"shl", "shr"}), g.expr(t, d), g.expr("int8", d))
	case 7, 8:
		return fmt.Sprintf("%s(%s)", t, g.expr(g.anyInt(), d))
	case 9:
		return fmt.Sprintf("%s(int64(clamp(%s) / 16))", t, g.expr("float64", d))
	case 10:
		return fmt.Sprintf("%s(%s)", one(g.r, []string{"-", "^", "+"}), g.expr(t, d))
	case 11:
		return fmt.Sprintf("%s(%s(%s, %s))", t, one(g.r, []string{"min", "max"}), g.expr(t, d), g.expr(t, d))
	case 12:
		return fmt.Sprintf("sumOf(%s, %s, %s)", g.expr(t, d), g.expr(t, d), g.expr(t, d))
	case 13:
		forms := []string{"len(id%s)#string", "len(%s)#[]int", "cap(%s[:0])#[4]int16v", "%s.sum()#pair", "len(%s)#map[string]int", "rec(small(%s))#int", "at(%s, small(depth))#[]int", "areaOf(%s)#shape", "%s(2)#func(int) int", "load(%s).a#*pair"}
		return fmt.Sprintf("%s(%s)", t, g.form(forms, d))
	case 14:
		forms := []string{"at(%s, small(depth))#[]byte", "char(%s, small(depth))#string", "%s[small(depth)]#[4]int16", "%s[small(depth)%%3].b#[3]pair", "%s.b#pair", "%s[\"go\"]#map[string]int", "%s[pair{}]#map[pair]uint8"}
		return fmt.Sprintf("%s(%s)", t, g.form(forms, d))
	}
	return fmt.Sprintf("%s(%s)", t, g.expr("int", d))
}

// form fills an operand of the type after # into one of forms.
func (g *generator) form(forms []string, d int) string {
	f := one(g.r, forms)
	for i := range f {
		if f[i] != '#' {
			continue
		}
		t := f[i+1:]
		if t == "[4]int16v" { // must be a variable
			v := g.pickVar("[4]int16", false)
			if v == "" {
				return "id(2)"
			}
			return fmt.Sprintf(f[:i], v)
		}
		return fmt.Sprintf(f[:i], "("+g.expr(t, d)+")")
	}
	return f
}

func (g *generator) str(d int) string {
	switch g.r.IntN(8) {
	case 0, 1:
		return fmt.Sprintf("(%s + %s)", g.expr("string", d), g.expr("string", d))
	case 2:
		return fmt.Sprintf("string(%s)", g.expr("[]byte", d))
	case 3:
		return fmt.Sprintf("string(rune(%s))", g.expr("int32", d))
	case 4:
		return fmt.Sprintf("from(%s, small(%s))", g.expr("string", d), g.expr("int", d))
	case 5:
		return fmt.Sprintf("fmt.Sprint(%s)", g.expr(one(g.r, []string{"int", "uint8", "float64", "pair", "bool", "[]int", "[3]pair"}), d))
	case 6:
		return fmt.Sprintf("string([]rune(%s))", g.expr("string", d))
	}
	return fmt.Sprintf("(%s).s", g.expr("pair", d))
}

func (g *generator) boolean(d int) string {
	switch g.r.IntN(8) {
	case 0, 1:
		t := g.anyInt()
		return fmt.Sprintf("(%s %s %s)", g.expr(t, d), one(g.r, []string{"<", "<=", "==", "!=", ">", ">="}), g.expr(t, d))
	case 2:
		t := one(g.r, []string{"string", "float64", "float32"})
		return fmt.Sprintf("(%s %s %s)", g.expr(t, d), one(g.r, []string{"<", "<=", "==", "!=", ">", ">="}), g.expr(t, d))
	case 3:
		if g.r.IntN(4) == 0 {
			return fmt.Sprintf("same(%s, %s)", g.expr("any", d), g.expr("any", d))
		}
		t := one(g.r, []string{"pair", "[4]int16", "[3]pair", "bool", "complex128"})
		return fmt.Sprintf("(%s %s %s)", g.typed(t, d), one(g.r, []string{"==", "!="}), g.typed(t, d))
	case 4, 5:
		return fmt.Sprintf("(%s %s %s)", g.expr("bool", d), one(g.r, []string{"&&", "||"}), g.expr("bool", d))
	case 6:
		return fmt.Sprintf("!%s", g.expr("bool", d))
	}
	return fmt.Sprintf("(%s != nil)", g.typed(one(g.r, []string{"[]int", "*pair", "any", "shape"}), d))
}

func (g *generator) composite(t string, d int) string {
	switch t {
	case "pair":
		switch g.r.IntN(4) {
		case 0:
			return fmt.Sprintf("pair{%s, %s, short(%s)}", g.expr("int", d), g.expr("uint8", d), g.expr("string", d))
		case 1:
			return fmt.Sprintf("(%s).with(%s)", g.expr("pair", d), g.expr("int", d))
		case 2:
			return fmt.Sprintf("(%s)[small(depth)%%3]", g.expr("[3]pair", d))
		}
		return fmt.Sprintf("load(%s)", g.expr("*pair", d))
	case "*pair":
		if v := g.pickVar("pair", false); v != "" {
			return "&" + v
		}
	case "[]int":
		switch g.r.IntN(5) {
		case 0:
			return fmt.Sprintf("append(%s, %s)", g.expr(t, d), g.expr("int", d))
		case 1:
			return fmt.Sprintf("append([]int{}, %s...)", g.expr(t, d))
		case 2:
			return fmt.Sprintf("upTo(%s, small(%s))", g.expr(t, d), g.expr("int", d))
		case 3:
			return fmt.Sprintf("mapped(%s, func(x byte) int { return int(x) + %s })", g.expr("[]byte", d), g.expr("int", d))
		}
		return fmt.Sprintf("[]int{%s, 2, %s, 4}", g.expr("int", d), g.expr("int", d))
	case "[]byte":
		if g.r.IntN(2) == 0 {
			return fmt.Sprintf("[]byte(short(%s))", g.expr("string", d))
		}
		return fmt.Sprintf("append(%s, %s)", g.expr(t, d), g.expr("uint8", d))
	case "[4]int16":
		return fmt.Sprintf("[4]int16{%s, 2: %s}", g.expr("int16", d), g.expr("int16", d))
	case "[3]pair":
		return fmt.Sprintf("[3]pair{%s, %s}", g.expr("pair", d), g.expr("pair", d))
	case "any":
		return fmt.Sprintf("any(%s)", g.expr(one(g.r, []string{"int", "int8", "uint16", "string", "pair", "float32", "bool", "shape", "[4]int16", "func(int) int"}), d))
	case "shape":
		if g.r.IntN(2) == 0 {
			return fmt.Sprintf("shape(square(%s))", g.expr("int16", d))
		}
		return fmt.Sprintf("shape(%s)", g.expr("pair", d))
	case "func(int) int":
		if v := g.pickVar("int", false); v != "" {
			return fmt.Sprintf("func(n int) int { return n ^ %s }", v)
		}
	}
	if v := g.pickVar(t, false); v != "" {
		return v
	}
	return g.literal(t)
}
