package compile

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/layout"
)

// What a program can notice of the clock. A time.Time is compared by methods of its own, which the
// machine knows. A time.Duration is compared like any integer, and both can be turned into numbers
// that are compared, too. Before such a comparison there is an operation Clock, which says how the
// two sides are related to the clock; before a use as a number that is anything else there is one as
// well.
//
// What a duration was computed from is looked for in its function only. One that comes from
// elsewhere may be one of the clock's: it is compared with an operation Clock, too. Of numbers that are
// made of such ones see spans.go.

// A timeValue is what is known of a number that may come from the clock.
type timeValue struct {
	unit int64 // nanoseconds per 1
	dir  int   // it grows (1) or shrinks (-1) as time passes; 0: either
	sure bool  // it does come from a Time
	date int   // it says what time it is, as Unix does: it is later if the program starts later (1), or less (-1)
}

// isNamed reports whether t is the named type of package time.
func isNamed(t types.Type, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == name && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "time"
}

// timeNumbers are the methods that turn a Duration or a Time into a number, with its unit; 0: it is
// no distance.
var timeNumbers = map[string]int64{
	"(time.Duration).Nanoseconds": 1, "(time.Duration).Microseconds": 1e3, "(time.Duration).Milliseconds": 1e6,
	"(time.Duration).Seconds": 1e9, "(time.Duration).Minutes": 60e9, "(time.Duration).Hours": 3600e9,
	"(time.Time).UnixNano": 1, "(time.Time).UnixMicro": 1e3, "(time.Time).UnixMilli": 1e6, "(time.Time).Unix": 1e9,
	"(time.Time).Nanosecond": 0, "(time.Time).Second": 0, "(time.Time).Minute": 0, "(time.Time).Hour": 0,
	"(time.Time).Day": 0, "(time.Time).YearDay": 0, "(time.Time).Weekday": 0,
}

// callee returns the function that v is the result of, and its arguments.
func callee(v ssa.Value) (name string, args []ssa.Value) {
	call, ok := v.(*ssa.Call)
	if !ok || call.Call.StaticCallee() == nil {
		return "", nil
	}
	return call.Call.StaticCallee().String(), call.Call.Args
}

func isNow(v ssa.Value) bool {
	name, _ := callee(v)
	return name == "time.Now"
}

// timeOf returns what is known of v, if it may come from the clock.
//
//	time.Since(t) / time.Millisecond     unit 1e6, grows
//	deadline.Sub(time.Now())             unit 1, shrinks
//	d (a parameter of type Duration)     unit 1, not sure
func timeOf(v ssa.Value) (timeValue, bool) {
	switch x := v.(type) {
	case *ssa.Const:
		return timeValue{}, false
	case *ssa.Call:
		name, args := callee(x)
		switch name {
		case "(time.Duration).Abs":
			d, ok := timeOf(args[0])
			d.dir = 0
			return d, ok
		case "time.Since":
			return timeValue{1, 1, true, 0}, true
		case "time.Until":
			return timeValue{1, -1, true, 0}, true
		case "(time.Time).Sub":
			switch {
			case isNow(args[0]):
				return timeValue{1, 1, true, 0}, true
			case isNow(args[1]):
				return timeValue{1, -1, true, 0}, true
			}
			return timeValue{1, 0, true, 0}, true
		}
		if unit, ok := timeNumbers[name]; ok && unit > 0 {
			t := timeValue{unit: unit}
			if isNamed(args[0].Type(), "Time") {
				t.sure, t.date = true, 1
				if isNow(args[0]) {
					t.dir = 1
				}
			} else if d, ok := timeOf(args[0]); ok && d.unit == 1 {
				t.dir, t.sure = d.dir, d.sure
			}
			return t, true
		}
	case *ssa.Convert:
		return timeOf(x.X)
	case *ssa.ChangeType:
		return timeOf(x.X)
	case *ssa.BinOp:
		a, ok1 := timeOf(x.X)
		b, ok2 := timeOf(x.Y)
		switch {
		case x.Op == token.SUB && ok2:
			b.dir = -b.dir
			date := a.date - b.date
			if !ok1 || b.sure && !a.sure {
				a = b
			}
			a.date = date
			return a, true
		case x.Op == token.SUB, x.Op == token.ADD:
			date := a.date + b.date
			if !ok1 || ok2 && b.sure && !a.sure {
				a = b
			}
			a.date = date
			return a, ok1 || ok2
		case x.Op == token.QUO && ok1:
			if k, ok := x.Y.(*ssa.Const); ok && k.Value != nil {
				n, exact := constant.Int64Val(constant.ToInt(k.Value))
				if fits := n > 0 && n <= 1<<60/a.unit; exact && fits {
					a.unit *= n
					return a, true
				}
			}
		}
	}
	if isNamed(v.Type(), "Duration") {
		return timeValue{unit: 1}, true
	}
	return timeValue{}, false
}

// comparedTimes returns how the sides of a comparison are related to the clock: dir is how X - Y
// changes as time passes, and one whether only X (1) or only Y (-1) may come from it.
// A comparison of two that may come from the clock is about the one that surely does.
func comparedTimes(v *ssa.BinOp) (t timeValue, one int, ok bool) {
	switch v.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
	default:
		return t, 0, false
	}
	if b, ok := v.X.Type().Underlying().(*types.Basic); !ok || b.Info()&(types.IsInteger|types.IsFloat) == 0 {
		return t, 0, false
	}
	x, ok1 := timeOf(v.X)
	y, ok2 := timeOf(v.Y)
	y.dir = -y.dir
	switch {
	case !ok1 && !ok2:
		return t, 0, false
	case !ok1:
		return y, -1, true
	case !ok2:
		return x, 1, true
	case y.sure && !x.sure:
		return y, -1, true
	case x.sure && !y.sure:
		return x, 1, true
	}
	return x, 0, true
}

// comparedDates returns what is known of the sides of a comparison that say what time it is.
func comparedDates(v *ssa.BinOp) (how int) {
	x, _ := timeOf(v.X)
	y, _ := timeOf(v.Y)
	if x.date > 0 {
		how |= bytecode.ClockDateLeft
	}
	if y.date > 0 {
		how |= bytecode.ClockDateRight
	}
	switch {
	case x.date > y.date:
		how |= bytecode.ClockDateGrows
	case x.date < y.date:
		how |= bytecode.ClockDateShrinks
	}
	return how
}

// timeUsed reports whether v, a number that comes from the clock, surely or perhaps, is used for more than to
// be compared or printed.
// Sums and quotients of times are times: whether those are used is asked in turn. A Duration that is made
// of the number again is known to be of the clock if the number surely is.
func timeUsed(v ssa.Value, sure, captured bool) bool {
	for _, u := range *v.Referrers() {
		switch x := u.(type) {
		case *ssa.DebugRef:
		case *ssa.BinOp:
			switch x.Op {
			case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			default:
				if _, ok := timeOf(x); !ok || x.Op != token.ADD && x.Op != token.SUB && x.Op != token.QUO || timeUsed(x, sure, captured) {
					return true
				}
			}
		case *ssa.Convert:
			if timeConverted(x, sure, captured) {
				return true
			}
		case *ssa.ChangeType:
			if timeConverted(x, sure, captured) {
				return true
			}
		case *ssa.MakeInterface:
			if !onlyShown(x, captured) {
				return true
			}
		default:
			if !seeds(u, captured) {
				return true
			}
		}
	}
	return false
}

// timeConverted is timeUsed for a number that is converted to v.
func timeConverted(v ssa.Value, sure, captured bool) bool {
	if !isNamed(v.Type(), "Duration") {
		return timeUsed(v, sure, captured)
	}
	//mutant: a number that is a duration again is none [env TestPrograms/spanscaled]: false
	return !sure && spanUsed(v, captured)
}

// seeds reports whether i makes a seed of a number that comes from the clock, and nothing else: one of
// the functions of math/rand, or that of a source, which is noted (seededBy).
//
// A number that is perhaps another one, a Phi, is such a number if it is only used like that, or printed.
func seeds(i ssa.Instruction, captured bool) bool {
	switch x := i.(type) {
	case *ssa.Call:
		//mutant: any function takes a seed [env TestPrograms/clocknumber]: true
		return seededBy(x) != nil
	case *ssa.Phi:
		for _, u := range *x.Referrers() {
			switch y := u.(type) {
			case *ssa.DebugRef:
			case *ssa.MakeInterface:
				if !onlyShown(y, captured) {
					return false
				}
			case *ssa.Call:
				if !seeds(y, captured) {
					return false
				}
			//mutant: a seed is kept nowhere [env TestPrograms/clockseedkept]
			default:
				return false
			}
		}
		return true
	}
	return false
}

// seededBy returns the number that comes from the clock and is the seed of what call makes or seeds, or
// nil.
func seededBy(call *ssa.Call) ssa.Value {
	name, args := callee(call)
	if name != "math/rand.NewSource" && name != "math/rand.Seed" {
		return nil
	}
	list := []ssa.Value{args[0]}
	if phi, ok := args[0].(*ssa.Phi); ok {
		//mutant: a perhaps other number is not from the clock [env TestPrograms/clockseedidle]: "phi.Edges" -> "phi.Edges[:0]"
		list = phi.Edges
	}
	for _, v := range list {
		if t, ok := timeOf(v); ok && t.sure {
			return args[0]
		}
	}
	return nil
}

// timeNumber reports whether i makes a number that is not only compared or printed of a value that
// comes from the clock, or may do so, and of which.
func timeNumber(i ssa.Instruction, captured bool) (of ssa.Value, ok bool) {
	switch x := i.(type) {
	case *ssa.Call:
		name, args := callee(x)
		if unit, number := timeNumbers[name]; number {
			span := isNamed(args[0].Type(), "Duration")
			if !span && unit == 0 {
				return args[0], !printed(x, captured)
			}
			return args[0], (!span || perhapsOfClock(args[0])) && timeUsed(x, !span || ofClock(args[0]), captured)
		}
	case *ssa.Convert:
		return x.X, perhapsOfClock(x.X) && timeConverted(x, ofClock(x.X), captured)
	case *ssa.ChangeType:
		return x.X, perhapsOfClock(x.X) && timeConverted(x, ofClock(x.X), captured)
	}
	return nil, false
}

// printed reports whether v is used for nothing but to be printed.
func printed(v ssa.Value, captured bool) bool {
	for _, u := range *v.Referrers() {
		switch x := u.(type) {
		case *ssa.DebugRef:
		case *ssa.MakeInterface:
			if !onlyShown(x, captured) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// clockCompare emits the Clock of a comparison.
// It comes before the comparison, so that what is noted is about values as they are compared.
func (c *compiler) clockCompare(v *ssa.BinOp) {
	if !c.clock {
		return
	}
	t, one, ok := comparedTimes(v)
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
	case t.dir > 0:
		how |= bytecode.ClockGrows
	case t.dir < 0:
		how |= bytecode.ClockShrinks
	case one > 0:
		how |= bytecode.ClockLeft
	case one < 0:
		how |= bytecode.ClockRight
	}
	c.emit(bytecode.Clock, c.use(v.X), c.use(v.Y), how|comparedDates(v))
	c.word(uint64(t.unit))
}

// clockNumber emits the Clock of an instruction that makes a number of a time, and reports whether Counted is
// to follow.
func (c *compiler) clockNumber(i ssa.Instruction) (later bool) {
	if !c.clock {
		return false
	}
	if call, ok := i.(*ssa.Call); ok {
		if seed := seededBy(call); seed != nil {
			c.emit(bytecode.Clock, c.use(seed), 0, bytecode.ClockSeed)
			c.word(0)
			return false
		}
		switch name, args := callee(call); {
		case name == "(time.Duration).Abs":
			return c.clockFlows(token.NOT, args[0], args[0], false)
		case roundings[name]:
			return !printed(call, c.l.ReadsOutput()) && c.clockFlows(rounding(name), args[0], args[1], roundUsed(call))
		}
	}
	of, ok := timeNumber(i, c.l.ReadsOutput())
	return ok && c.countTime(of, bytecode.ClockLater)
}

// clocked emits v, with what there is to note of the clock before and after it.
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

// counted emits Counted for register r, which has v, made of what the last Clock is about.
func (c *compiler) counted(r int, v ssa.Value) {
	name, _ := callee(v)
	c.emit(bytecode.Counted, r, 0, max(0, slices.Index(bytecode.CountedUnits[:], timeNumbers[name])))
}

// clockPun emits the Clock of a pointer in x that gets another type: one through which Times are not
// seen as Times.
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

// refersToTimes reports whether there may be Times in what a value of type t refers to. Interfaces
// and functions say what they refer to themselves.
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
