package compile

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static/observable"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/layout"
)

// clockCompare emits the Clock of a comparison.
// It comes before the comparison, so that it records the compared values.
func (c *compiler) clockCompare(v *ssa.BinOp) {
	if !c.clock {
		return
	}
	t, ok := observable.ComparedTimes(v)
	if !ok {
		return
	}
	how := bytecode.ClockCompared
	if b := v.X.Type().Underlying().(*types.Basic); b.Info()&types.IsFloat != 0 {
		if b.Kind() != types.Float64 {
			return
		}
		how |= bytecode.ClockFloat
	}
	switch {
	case t.Dir > 0:
		how |= bytecode.ClockGrows
	case t.Dir < 0:
		how |= bytecode.ClockShrinks
	case t.Only > 0:
		how |= bytecode.ClockLeft
	case t.Only < 0:
		how |= bytecode.ClockRight
	}
	if t.Perhaps {
		how |= bytecode.ClockPerhaps
	}
	if t.Left {
		how |= bytecode.ClockDateLeft
	}
	if t.Right {
		how |= bytecode.ClockDateRight
	}
	switch {
	case t.Date > 0:
		how |= bytecode.ClockDateGrows
	case t.Date < 0:
		how |= bytecode.ClockDateShrinks
	}
	c.emit(bytecode.Clock, c.use(v.X), c.use(v.Y), how)
	c.word(uint64(t.Unit))
}

// clockNumber emits the Clock of an instruction that converts a time to a number. It reports whether
// Counted must follow.
func (c *compiler) clockNumber(i ssa.Instruction) (later bool) {
	if !c.clock {
		return false
	}
	if call, ok := i.(*ssa.Call); ok {
		if seed := observable.SeededBy(call); seed != nil {
			c.emit(bytecode.Clock, c.use(seed), 0, bytecode.ClockSeed)
			c.word(0)
			return false
		}
		switch name, args := observable.Callee(call); {
		case name == "(time.Duration).Abs":
			return c.clockFlows(token.NOT, args[0], args[0], false)
		case observable.Roundings[name]:
			return !observable.OnlyPrinted(call, c.l.ReadsOutput()) && c.clockFlows(rounding(name), args[0], args[1], observable.RoundUsed(call))
		}
	}
	of, ok := observable.NumberOfTime(i, c.l.ReadsOutput())
	return ok && c.countTime(of, bytecode.ClockLater)
}

// clocked emits v, with its Clock before and its Counted after it.
func (c *compiler) clocked(v valueInstruction, emit func()) {
	later := c.clockNumber(v)
	if emit(); later {
		c.counted(c.dst(v), v)
	}
	c.clockSpan(v)
}

type valueInstruction interface {
	ssa.Value
	ssa.Instruction
}

// counted emits Counted for register r. It has v, which was computed from the operands of the last Clock.
func (c *compiler) counted(r int, v ssa.Value) {
	name, _ := observable.Callee(v)
	c.emit(bytecode.Counted, r, 0, max(0, slices.Index(bytecode.CountedUnits[:], observable.TimeUnits[name])))
}

// clockPun emits the Clock of a pointer in x that gets another type, through which Times are not
// visible as Times.
func (c *compiler) clockPun(v *ssa.Convert, x int) {
	check, walks := c.l.Puns(c.fn)
	if !check {
		return
	}
	from, ok1 := v.X.Type().Underlying().(*types.Pointer)
	to, ok2 := v.Type().Underlying().(*types.Pointer)
	switch {
	case ok2:
		l := c.l.Layout(to.Elem())
		w := uint64(l.ID)
		if walks && layout.ScalarOf(to.Elem()) != layout.NotScalar {
			w |= bytecode.PunWalks
		}
		c.emit(bytecode.Clock, x, 0, bytecode.ClockPun)
		c.word(w)
	case ok1 && walks && c.refersToTimes(from.Elem()):
		c.emit(bytecode.Clock, x, 0, bytecode.ClockPun)
		c.word(bytecode.PunDeep)
	}
}

// refersToTimes reports whether a value of type t may refer to Times. Interfaces and functions have that
// information themselves.
func (c *compiler) refersToTimes(t types.Type) bool {
	seen := map[types.Type]bool{}
	var in func(t types.Type, deep bool) bool
	in = func(t types.Type, deep bool) bool {
		if deep && len(c.l.Layout(t).Times) > 0 {
			return true
		}
		if deep && seen[t] {
			return false
		}
		seen[t] = seen[t] || deep
		switch u := t.Underlying().(type) {
		case *types.Pointer:
			return in(u.Elem(), true)
		case *types.Slice:
			return in(u.Elem(), true)
		case *types.Chan:
			return in(u.Elem(), true)
		case *types.Map:
			return in(u.Key(), true) || in(u.Elem(), true)
		case *types.Array:
			return in(u.Elem(), deep)
		case *types.Struct:
			for i := range u.NumFields() {
				if in(u.Field(i).Type(), deep) {
					return true
				}
			}
		}
		return false
	}
	return in(t, false)
}

// clockFormatted emits the Clock of a Duration that fmt formats, if the function uses the text. fmt need
// not call the method String.
func (c *compiler) clockFormatted(v *ssa.MakeInterface) {
	if !c.clock || !observable.PerhapsOfClock(v.X) {
		return
	}
	if observable.FormattedAndUsed(v, c.l.ReadsOutput()) {
		c.countTime(v.X, 0)
	}
}

// clockSpan emits the Clock after an instruction whose result is a Duration that was computed from the
// clock and leaves the function.
func (c *compiler) clockSpan(v ssa.Value) {
	if c.clock && observable.OfClock(v) && observable.SpanLeaves(v, c.l.ReadsOutput()) {
		c.emit(bytecode.Clock, c.use(v), 0, bytecode.ClockSpan)
		c.word(0)
	}
}

// clockFlow emits the Clock before an operation on Durations, whose result may be a Duration of the clock,
// or a number computed from one. It reports whether Counted must follow.
func (c *compiler) clockFlow(v *ssa.BinOp) (later bool) {
	if !c.clock || !observable.OfPackageTime(v.Type(), "Duration") {
		return false
	}
	x, y := observable.PerhapsOfClock(v.X), observable.PerhapsOfClock(v.Y)
	if !x && !y {
		return false
	}
	captured := c.l.ReadsOutput()
	how := bytecode.ClockFlow
	if observable.OfClock(v.X) {
		how |= bytecode.ClockLeft
	}
	if observable.OfClock(v.Y) {
		how |= bytecode.ClockRight
	}
	_, constant := v.Y.(*ssa.Const)
	switch {
	case observable.OnlyPrinted(v, captured):
		return false
	case v.Op == token.ADD, v.Op == token.SUB, v.Op == token.QUO && constant:
		if !observable.OfClock(v) && observable.CountsSpan(v, captured) {
			later = true
		}
	default:
		later = true
	}
	if later {
		how |= bytecode.ClockNumber | bytecode.ClockLater
	}
	c.emit(bytecode.Clock, c.use(v.X), c.use(v.Y), how)
	c.word(flowWord(v.Op, v.Y))
	return later
}

// clockFlows emits the Clock before another operation that computes a Duration from d and y: -d and d.Abs()
// (NOT), d.Round(y) (AND) and d.Truncate(y) (OR). number is set if the result is used. It reports whether
// Counted must follow.
func (c *compiler) clockFlows(op token.Token, d, y ssa.Value, number bool) (later bool) {
	if !c.clock || !observable.PerhapsOfClock(d) {
		return false
	}
	how := bytecode.ClockFlow
	if observable.OfClock(d) {
		how |= bytecode.ClockLeft
	}
	//mutant: texts of durations are not named [env TestPrograms/clockpassed]
	if number {
		how |= bytecode.ClockNumber | bytecode.ClockLater
	}
	c.emit(bytecode.Clock, c.use(d), c.use(y), how)
	c.word(flowWord(op, y))
	return number
}

// flowWord is the next word of a ClockFlow whose second operand is y.
func flowWord(op token.Token, y ssa.Value) uint64 {
	if observable.PerhapsOfClock(y) {
		return uint64(op)
	}
	return uint64(op) | bytecode.FlowPlain
}

func rounding(name string) token.Token {
	if name == "(time.Duration).Round" {
		return token.AND
	}
	return token.OR
}

// clockKey emits the Clock of a Duration that is used as an index or a key.
func (c *compiler) clockKey(v ssa.Value) {
	if c.clock && observable.PerhapsOfClock(v) {
		c.countTime(v, 0)
	}
}

// countTime emits the Clock of a number that is computed from the Duration or Time v. later is ClockLater
// if Counted must follow. It reports whether it must.
//
// The operands of a computation on Durations have been recorded at the computation (clockFlow):
// timeout/time.Second is a few nanoseconds.
func (c *compiler) countTime(v ssa.Value, later int) bool {
	//mutant: quotients of durations are looked up [env TestPrograms/spanprinted]: "!observable.OfClock(x)" -> "x == nil"
	if x, ok := v.(*ssa.BinOp); ok && !observable.OfClock(x) {
		return false
	}
	c.emit(bytecode.Clock, c.use(v), 0, numberOf(v)|later)
	c.word(1)
	return later != 0
}

// numberOf returns how a number is computed from the Duration or Time v.
func numberOf(v ssa.Value) int {
	switch {
	case observable.OfPackageTime(v.Type(), "Time"):
		return bytecode.ClockNumber | bytecode.ClockOfTime
	case observable.OfClock(v):
		return bytecode.ClockNumber
	}
	return bytecode.ClockNumber | bytecode.ClockSpan
}
