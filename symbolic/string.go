package symbolic

import (
	"fmt"
	"strings"
)

// verbs are the infix operators of Go.
var verbs = map[Op]string{
	OpAdd: "+", OpMul: "*", OpDivS: "/", OpDivU: "/", OpRemS: "%", OpRemU: "%", OpAnd: "&",
	OpOr: "|", OpXor: "^", OpShl: "<<", OpShrS: ">>", OpShrU: ">>", OpEq: "==", OpLtS: "<",
	OpLtU: "<", OpBoolAnd: "&&",
}

// String returns the term as an expression of Go. Operations that differ for unsigned and signed numbers
// have a u for unsigned ones: x <u y. The inner parts of a large term are omitted.
func (t *Term) String() string {
	var b strings.Builder
	t.print(&b, 12)
	return b.String()
}

func (t *Term) print(b *strings.Builder, depth int) {
	a := t.arg
	infix := func(x *Term, verb string, y *Term) {
		x.operand(b, depth-1)
		fmt.Fprintf(b, " %s ", verb)
		y.operand(b, depth-1)
	}
	call := func(name string, args ...*Term) {
		b.WriteString(name)
		for i, x := range args {
			b.WriteString([]string{"(", ", "}[min(i, 1)])
			x.print(b, depth-1)
		}
		b.WriteString(")")
	}
	switch {
	case t.op == OpConst && t.width == Bool:
		fmt.Fprint(b, t.value == 1)
	case t.op == OpConst:
		fmt.Fprint(b, signed(t.value, t.width))
	case t.op == OpVar:
		b.WriteString(t.name)
	case depth == 0:
		b.WriteString("...")
	case t.op == OpBoolNot:
		switch n := a[0]; n.op {
		case OpEq:
			infix(n.arg[0], "!=", n.arg[1])
		case OpLtS:
			infix(n.arg[1], "<=", n.arg[0])
		case OpLtU:
			infix(n.arg[1], "<=u", n.arg[0])
		default:
			b.WriteString("!")
			n.operand(b, depth-1)
		}
	case t.op == OpIte:
		call("ite", a[0], a[1], a[2])
	case t.op == OpTrunc || t.op == OpZExt:
		call(fmt.Sprint("uint", t.width), a[0])
	case t.op == OpSExt:
		call(fmt.Sprint("int", t.width), a[0])
	case t.op == OpMul && a[1].is(^uint64(0)):
		b.WriteString("-")
		a[0].operand(b, depth-1)
	case t.op == OpAdd && a[1].op == OpConst && signed(a[1].value, t.width) < 0:
		a[0].operand(b, depth-1)
		fmt.Fprintf(b, " - %d", uint64(-signed(a[1].value, t.width)))
	case t.op == OpLtU || t.op == OpDivU || t.op == OpRemU || t.op == OpShrU:
		infix(a[0], verbs[t.op]+"u", a[1])
	default:
		infix(a[0], verbs[t.op], a[1])
	}
}

// operand prints t within parentheses if it is an expression with an operator between arguments.
func (t *Term) operand(b *strings.Builder, depth int) {
	switch t.op {
	case OpConst, OpVar, OpIte, OpTrunc, OpSExt, OpZExt:
		t.print(b, depth)
	default:
		b.WriteString("(")
		t.print(b, depth)
		b.WriteString(")")
	}
}
