package observable

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A Duration that has been in memory, or comes from another function, does not show whether it comes from
// the clock. So the machine keeps the values of the Durations that leave the function in which they are
// computed (ClockSpan), and of the results computed from these (ClockFlow), and looks up the source of a
// number.
//
//	s.total += time.Since(t)         in one function: ClockFlow notes the sum
//	if s.total.Milliseconds()%2      in another: is it one of those?
//
//  1. A value of the clock in memory was stored by an instruction of the user's code. An operand of
//     that instruction was the result of Since, Until, Sub or Abs, of a conversion from a number
//     made of these, or of arithmetic on Durations; there the machine keeps the value. Other
//     instructions only move Durations and do not change them. Durations that the library has
//     computed are kept, too (libraryDurations).
//  2. So a Duration that is not kept does not come from the clock, except where reflection computes with
//     Durations. One that is kept may be another one that is equal by chance.
//     The time of a comparison of two Durations that are not kept does not matter (vm, noteClock).

// libraryDurations are the fields of the library's structs with Durations that it has computed from the
// clock.
var libraryDurations = map[string]bool{
	"database/sql.DBStats.WaitDuration":       true,
	"net/http/httptrace.GotConnInfo.IdleTime": true,
}

// fieldName returns the name of a field of t, a struct type or a pointer to one: of a named one, with the
// path of its package.
func fieldName(t types.Type, field int) string {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return ""
	}
	return n.Obj().Pkg().Path() + "." + n.Obj().Name() + "." + n.Underlying().(*types.Struct).Field(field).Name()
}

// OfClock reports whether v is certainly a Duration that has been computed from the clock.
func OfClock(v ssa.Value) bool {
	t, ok := timeOf(v)
	return ok && t.sure && OfPackageTime(v.Type(), "Duration")
}

// PerhapsOfClock reports whether v is a Duration that may have been computed from the clock. A
// Duration made from a number does not count, unless the number is known to come from the clock
// (timeUsed). The use of a rounded Duration was examined when it was rounded (clockFlows).
func PerhapsOfClock(v ssa.Value) bool {
	if !OfPackageTime(v.Type(), "Duration") {
		return false
	}
	switch x := v.(type) {
	case *ssa.Const:
		return false
	case *ssa.Convert:
		return PerhapsOfClock(x.X) || OfClock(v)
	case *ssa.ChangeType:
		return PerhapsOfClock(x.X) || OfClock(v)
	case *ssa.BinOp:
		return PerhapsOfClock(x.X) || PerhapsOfClock(x.Y)
	case *ssa.Call:
		name, _ := Callee(x)
		return !Roundings[name]
	}
	return true
}

// SpanLeaves reports whether v, a Duration, has other uses in the function than comparisons, printing
// and the making of numbers.
func SpanLeaves(v ssa.Value, captured bool) bool {
	for _, u := range *v.Referrers() {
		switch x := u.(type) {
		case *ssa.DebugRef, *ssa.BinOp, *ssa.UnOp, *ssa.Convert, *ssa.ChangeType:
		case *ssa.MakeInterface:
			if !shownThroughout(x, captured) {
				return true
			}
		case *ssa.Call:
			name, _ := Callee(x)
			if _, number := TimeUnits[name]; !number && !Roundings[name] && name != "(time.Duration).Abs" && !(name == "(time.Duration).String" && UseOfText(x, captured) == TextShown) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// Roundings are the methods of a Duration that round it.
var Roundings = map[string]bool{"(time.Duration).Round": true, "(time.Duration).Truncate": true}

// shownThroughout reports whether v, and all texts made of it, are only printed.
func shownThroughout(v *ssa.MakeInterface, captured bool) bool {
	t := &textFlow{seen: map[ssa.Value]bool{}, captured: captured}
	t.value(v)
	//mutant: durations do not leave in interfaces [env TestPrograms/spanpassed]: true
	return t.use == TextShown
}

// spanUsed reports whether v, a Duration, or a result computed from it, leaves the function.
func spanUsed(v ssa.Value, captured bool) bool {
	for _, u := range *v.Referrers() {
		if x, ok := u.(*ssa.BinOp); ok && OfPackageTime(x.Type(), "Duration") && spanUsed(x, captured) {
			return true
		}
	}
	return SpanLeaves(v, captured)
}

// RoundUsed reports whether the function itself uses the result of call, a rounded Duration, for more
// than to print it and to pass it on.
func RoundUsed(call *ssa.Call) bool {
	for _, u := range *call.Referrers() {
		switch x := u.(type) {
		case *ssa.DebugRef, *ssa.MakeInterface, *ssa.Store, *ssa.Send, *ssa.Return, *ssa.Phi:
		case *ssa.Call:
			if name, _ := Callee(x); Roundings[name] || TimeUnits[name] != 0 {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// CountsSpan reports whether the function makes a number of v, a Duration.
func CountsSpan(v ssa.Value, captured bool) bool {
	for _, u := range *v.Referrers() {
		if of, ok := NumberOfTime(u, captured); ok && of == v || spanKey(u) == v {
			return true
		}
	}
	return false
}

// spanKey returns the value that i uses as an index or a key; nil if there is none.
func spanKey(i ssa.Instruction) ssa.Value {
	switch x := i.(type) {
	case *ssa.Lookup:
		return x.Index
	case *ssa.MapUpdate:
		return x.Key
	case *ssa.Index:
		return x.Index
	case *ssa.IndexAddr:
		return x.Index
	}
	return nil
}
