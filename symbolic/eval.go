package symbolic

import "fmt"

// A Model has the values of variables in their low bits; higher bits are 0. A variable without one is 0.
type Model map[*Term]uint64

// Eval returns the value of t: its low bits, the others are 0.
func (c *Context) Eval(t *Term, m Model) uint64 {
	c.scratch.begin(len(c.terms))
	return c.scratch.eval(t, m)
}

// Holds reports whether all of ts, Bools, are true.
func (c *Context) Holds(m Model, ts ...*Term) bool {
	c.scratch.begin(len(c.terms))
	for _, t := range ts {
		if c.scratch.eval(t, m) == 0 {
			return false
		}
	}
	return true
}

// An evaluation remembers the values of terms under one model, so that each is computed once.
type evaluation struct {
	value []uint64
	round []uint32 // in which value was computed
	now   uint32
}

func (e *evaluation) begin(terms int) {
	if len(e.value) < terms {
		n := terms + terms/2
		e.value, e.round, e.now = make([]uint64, n), make([]uint32, n), 0
	}
	if e.now++; e.now == 0 { // the rounds have wrapped
		clear(e.round)
		e.now = 1
	}
}

func (e *evaluation) eval(t *Term, m Model) uint64 {
	switch t.op {
	case OpConst:
		return t.value
	case OpVar:
		return m[t] & mask(t.width)
	}
	if e.round[t.id] == e.now {
		return e.value[t.id]
	}
	var x [3]uint64
	if t.op == OpIte { // one side is enough
		if e.eval(t.arg[0], m) != 0 {
			x[0] = e.eval(t.arg[1], m)
		} else {
			x[0] = e.eval(t.arg[2], m)
		}
	} else {
		for i, a := range t.arg {
			if a != nil {
				x[i] = e.eval(a, m)
			}
		}
		x[0] = apply(t.op, t.width, t.arg[0].width, x[0], x[1])
	}
	e.value[t.id], e.round[t.id] = x[0], e.now
	return x[0]
}

// apply executes an operation of one or two arguments whose first has the width from.
func apply(op Op, width, from uint8, x, y uint64) uint64 {
	sx, sy := signed(x, from), signed(y, from)
	var r uint64
	switch op {
	case OpAdd:
		r = x + y
	case OpMul:
		r = x * y
	case OpDivU:
		if r = ^uint64(0); y != 0 {
			r = x / y
		}
	case OpRemU:
		if r = x; y != 0 {
			r = x % y
		}
	case OpDivS:
		switch {
		case sy != 0:
			//mutant: division is unsigned [symbolic Terms]: "uint64(sx / sy)" -> "x / y"
			r = uint64(sx / sy) // the least divided by -1 is itself, in Go as here
		case sx < 0:
			r = 1
		default:
			r = ^uint64(0)
		}
	case OpRemS:
		if r = x; sy != 0 {
			//mutant: remainders have no sign [symbolic Terms]: "uint64(sx" -> "uint64((sx%sy + sy)"
			r = uint64(sx % sy)
		}
	case OpAnd:
		r = x & y
	case OpOr:
		r = x | y
	case OpXor:
		r = x ^ y
	case OpShl:
		if y < uint64(width) {
			r = x << y
		}
	case OpShrU:
		if y < uint64(width) {
			r = x >> y
		}
	case OpShrS:
		//mutant: shifts to the right have no sign [symbolic Terms]: "uint64(sx >> min(y, 63)" -> "x >> min(y, 63"
		r = uint64(sx >> min(y, 63))
	case OpTrunc, OpZExt:
		r = x
	case OpSExt:
		r = uint64(sx)
	case OpEq:
		r = truth(x == y)
	case OpLtS:
		//mutant: comparisons are unsigned [symbolic Terms]: "(sx < sy" -> "(x < y"
		r = truth(sx < sy)
	case OpLtU:
		r = truth(x < y)
	case OpBoolNot:
		r = 1 - x
	case OpBoolAnd:
		r = x & y
	default:
		panic(fmt.Sprintf("BUG: apply %d", op))
	}
	return r & mask(width)
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
