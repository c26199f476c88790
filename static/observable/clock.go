package observable

import (
	"cmp"
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Observations of the clock. A time.Time is compared by its own methods, which the machine recognises. A
// time.Duration is compared like any integer, and both can be turned into numbers that are compared, too.
// Before such a comparison there is an operation Clock with the relation of the two sides to the clock;
// there is also one before any other use as a number.
//
// The sources of a duration are searched for in its function only. A duration from elsewhere may come from
// the clock, so its comparisons have an operation Clock, too. durations.go handles numbers that are made from
// such durations.

// A timeValue describes a number that may come from the clock.
type timeValue struct {
	unit int64 // nanoseconds per 1
	dir  int   // the number grows (1) or shrinks (-1) as time passes; 0: either
	sure bool  // the number certainly comes from a Time
	date int   // the number depends on the time of day, like Unix(): after a later start it is larger (1) or smaller (-1)
	part bool  // it is computed from a time of day in units, like Unix()
}

// OfPackageTime reports whether t is the named type of package time.
func OfPackageTime(t types.Type, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == name && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "time"
}

// TimeUnits has the methods that turn a Duration or a Time into a number, with its unit; 0: the number is
// not a distance.
var TimeUnits = map[string]int64{
	"(time.Duration).Nanoseconds": 1, "(time.Duration).Microseconds": 1e3, "(time.Duration).Milliseconds": 1e6,
	"(time.Duration).Seconds": 1e9, "(time.Duration).Minutes": 60e9, "(time.Duration).Hours": 3600e9,
	"(time.Time).UnixNano": 1, "(time.Time).UnixMicro": 1e3, "(time.Time).UnixMilli": 1e6, "(time.Time).Unix": 1e9,
	"(time.Time).Nanosecond": 0, "(time.Time).Second": 0, "(time.Time).Minute": 0, "(time.Time).Hour": 0,
	"(time.Time).Day": 0, "(time.Time).YearDay": 0, "(time.Time).Weekday": 0,
}

// Callee returns the function whose result v is, and its arguments.
func Callee(v ssa.Value) (name string, args []ssa.Value) {
	call, ok := v.(*ssa.Call)
	if !ok || call.Call.StaticCallee() == nil {
		return "", nil
	}
	return call.Call.StaticCallee().String(), call.Call.Args
}

func isNow(v ssa.Value) bool {
	name, _ := Callee(v)
	return name == "time.Now"
}

// timeOf returns the timeValue of v, if v may come from the clock.
//
//	time.Since(t) / time.Millisecond     unit 1e6, grows
//	deadline.Sub(time.Now())             unit 1, shrinks
//	d (a parameter of type Duration)     unit 1, not sure
func timeOf(v ssa.Value) (timeValue, bool) {
	switch x := v.(type) {
	case *ssa.Const:
		return timeValue{}, false
	case *ssa.Call:
		name, args := Callee(x)
		switch name {
		case "(time.Duration).Abs":
			d, ok := timeOf(args[0])
			d.dir = 0
			return d, ok
		case "time.Since":
			return timeValue{1, 1, true, 0, false}, true
		case "(*testing.B).Elapsed":
			return timeValue{1, 1, true, 0, false}, true
		case "time.Until":
			return timeValue{1, -1, true, 0, false}, true
		case "(time.Time).Sub":
			switch {
			case isNow(args[0]):
				return timeValue{1, 1, true, 0, false}, true
			case isNow(args[1]):
				return timeValue{1, -1, true, 0, false}, true
			}
			return timeValue{1, 0, true, 0, false}, true
		}
		if unit, ok := TimeUnits[name]; ok && unit > 0 {
			t := timeValue{unit: unit}
			if OfPackageTime(args[0].Type(), "Time") {
				t.sure, t.date, t.part = true, 1, unit > 1
				if isNow(args[0]) {
					t.dir = 1
				}
			} else if d, ok := timeOf(args[0]); ok && d.unit == 1 {
				t.dir, t.sure = d.dir, d.sure
			}
			return t, true
		}
	case *ssa.Field:
		//mutant: the library has no durations of the clock [test ./static/observable TestLibraryDurations]: "libraryDurations[fieldName(x.X.Type(), x.Field)]" -> "false"
		if libraryDurations[fieldName(x.X.Type(), x.Field)] {
			return timeValue{1, 0, true, 0, false}, true
		}
	case *ssa.UnOp:
		if f, ok := x.X.(*ssa.FieldAddr); ok && x.Op == token.MUL && libraryDurations[fieldName(f.X.Type(), f.Field)] {
			return timeValue{1, 0, true, 0, false}, true
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
			date, part := a.date-b.date, a.part || b.part
			if !ok1 || b.sure && !a.sure {
				a = b
			}
			a.date, a.part = date, part
			return a, true
		case x.Op == token.SUB, x.Op == token.ADD:
			date, part := a.date+b.date, a.part || b.part
			if !ok1 || ok2 && b.sure && !a.sure {
				a = b
			}
			a.date, a.part = date, part
			return a, ok1 || ok2
		case x.Op == token.QUO && ok1:
			if k, ok := x.Y.(*ssa.Const); ok && k.Value != nil {
				n, exact := constant.Int64Val(constant.ToInt(k.Value))
				if fits := n > 0 && n <= 1<<60/a.unit; exact && fits {
					a.unit *= n
					a.part = a.part || a.date != 0
					return a, true
				}
			}
		}
	}
	if OfPackageTime(v.Type(), "Duration") {
		return timeValue{unit: 1}, true
	}
	return timeValue{}, false
}

// A Comparison describes the two sides of a comparison of numbers. At least one side may come from the clock.
type Comparison struct {
	Unit int64 // nanoseconds per 1
	Dir  int   // how X - Y changes as time passes: it grows (1) or shrinks (-1); 0: either

	// Only is the side that may come from the clock, X (1) or Y (-1), if the other side does not; 0: both
	// may.
	Only int

	// Perhaps is set if both sides are Durations, and neither certainly comes from the clock, but at least
	// one may (PerhapsOfClock).
	Perhaps bool

	// Left and Right say whether that side is a time of day, and Date how X - Y changes if the program
	// starts later: it grows (1), shrinks (-1), or neither (0).
	Left, Right bool
	Date        int

	// Part: a side is computed from a time of day in units, like Unix, whose unit may end at any moment.
	Part bool
}

// ComparedTimes returns how the sides of a comparison are related to the clock, and whether they are.
// If both may come from the clock, the comparison describes the side that certainly does.
func ComparedTimes(v *ssa.BinOp) (c Comparison, ok bool) {
	switch v.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
	default:
		return c, false
	}
	if b, ok := v.X.Type().Underlying().(*types.Basic); !ok || b.Info()&(types.IsInteger|types.IsFloat) == 0 {
		return c, false
	}
	x, ok1 := timeOf(v.X)
	y, ok2 := timeOf(v.Y)
	c = Comparison{Left: x.date > 0, Right: y.date > 0, Date: cmp.Compare(x.date, y.date), Part: x.part || y.part}
	c.Perhaps = !x.sure && !y.sure && OfPackageTime(v.X.Type(), "Duration") && OfPackageTime(v.Y.Type(), "Duration")
	switch {
	case !ok1 && !ok2:
		return Comparison{}, false
	case !ok1, ok2 && y.sure && !x.sure:
		c.Unit, c.Dir, c.Only = y.unit, -y.dir, -1
	case !ok2, x.sure && !y.sure:
		c.Unit, c.Dir, c.Only = x.unit, x.dir, 1
	default:
		c.Unit, c.Dir = x.unit, x.dir
	}
	return c, true
}

// timeUsed reports whether v, a number that comes from the clock, surely or perhaps, has other uses than
// comparisons and printing.
// Sums and quotients of times are times: their uses are examined in turn. A Duration made from that number
// certainly comes from the clock if the number does.
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
			if !printed(x, captured) {
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
	if !OfPackageTime(v.Type(), "Duration") {
		return timeUsed(v, sure, captured)
	}
	//mutant: a number that is a duration again is none [env TestPrograms/spanscaled]: false
	return !sure && spanUsed(v, captured)
}

// seeds reports whether i uses a number that comes from the clock only as a seed: of the functions
// of math/rand, or of a source, which is noted (SeededBy).
//
// A Phi, which may be another number, counts as such a number if its only uses are seeds or printing.
func seeds(i ssa.Instruction, captured bool) bool {
	switch x := i.(type) {
	case *ssa.Call:
		//mutant: any function takes a seed [env TestPrograms/clocknumber]: true
		return SeededBy(x) != nil
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

// SeededBy returns the number from the clock that is the seed of the source that call makes or seeds;
// nil if there is none.
func SeededBy(call *ssa.Call) ssa.Value {
	name, args := Callee(call)
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

// NumberOfTime reports whether i makes a number of a value that comes, or may come, from the clock, and
// the number has other uses than comparisons and printing. It returns the value, too.
func NumberOfTime(i ssa.Instruction, captured bool) (of ssa.Value, ok bool) {
	switch x := i.(type) {
	case *ssa.Call:
		name, args := Callee(x)
		if unit, number := TimeUnits[name]; number {
			span := OfPackageTime(args[0].Type(), "Duration")
			if !span && unit == 0 {
				return args[0], !OnlyPrinted(x, captured)
			}
			return args[0], (!span || PerhapsOfClock(args[0])) && timeUsed(x, !span || OfClock(args[0]), captured)
		}
	case *ssa.Convert:
		return x.X, PerhapsOfClock(x.X) && timeConverted(x, OfClock(x.X), captured)
	case *ssa.ChangeType:
		return x.X, PerhapsOfClock(x.X) && timeConverted(x, OfClock(x.X), captured)
	}
	return nil, false
}

// OnlyPrinted reports whether all uses of v print it.
func OnlyPrinted(v ssa.Value, captured bool) bool {
	for _, u := range *v.Referrers() {
		switch x := u.(type) {
		case *ssa.DebugRef:
		case *ssa.MakeInterface:
			if !printed(x, captured) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// printed reports whether v, a number or a Duration, is only printed. The uses of a text that is made of a
// number count here. Those of a text made of a Duration count where it is made (FormattedAndUsed, and the
// method String).
func printed(v *ssa.MakeInterface, captured bool) bool {
	if OfPackageTime(v.X.Type(), "Duration") {
		return onlyShown(v, captured)
	}
	//mutant: a text made of a number of the clock is only printed [test ./cmd/hbcheck TestScripts/readings]: "shownThroughout" -> "onlyShown"
	return shownThroughout(v, captured)
}
