package compile

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/vm/bytecode"
)

// A Duration that has been in memory, or comes from another function, does not say whether it is one of
// the clock's. So the machine keeps the values of those that leave the function in which they are computed
// (ClockSpan), and of what is computed of these (ClockFlow), and looks up what a number is made of.
//
//	s.total += time.Since(t)         in one function: ClockFlow notes the sum
//	if s.total.Milliseconds()%2      in another: is it one of those?
//
//  1. A value of the clock's that is in memory has been put there by an instruction of the user's code that
//     has the result of Since, Until, Sub, Abs, of a conversion from a number of these, or of arithmetic on
//     Durations as an operand: it is kept there. What only moves Durations does not change them.
//  2. So a Duration that is not kept is none of the clock's, but where the library computes with Durations,
//     or reflection does. One that is kept may be another one that is equal by chance.

// ofClock reports whether v is surely a Duration that has been computed from the clock.
func ofClock(v ssa.Value) bool {
	t, ok := timeOf(v)
	return ok && t.sure && isNamed(v.Type(), "Duration")
}

// perhapsOfClock reports whether v is a Duration that may have been computed from the clock. One that is
// made of a number has not, unless that is known (timeUsed); where one that has been rounded is used, that
// was looked at when it was rounded (clockFlows).
func perhapsOfClock(v ssa.Value) bool {
	if !isNamed(v.Type(), "Duration") {
		return false
	}
	switch x := v.(type) {
	case *ssa.Const:
		return false
	case *ssa.Convert:
		return perhapsOfClock(x.X) || ofClock(v)
	case *ssa.ChangeType:
		return perhapsOfClock(x.X) || ofClock(v)
	case *ssa.BinOp:
		return perhapsOfClock(x.X) || perhapsOfClock(x.Y)
	case *ssa.Call:
		name, _ := callee(x)
		return !roundings[name]
	}
	return true
}

// spanLeaves reports whether v, a Duration, is used for something else than to be compared, printed, and made
// a number of in the same function.
func spanLeaves(v ssa.Value, captured bool) bool {
	for _, u := range *v.Referrers() {
		switch x := u.(type) {
		case *ssa.DebugRef, *ssa.BinOp, *ssa.UnOp, *ssa.Convert, *ssa.ChangeType:
		case *ssa.MakeInterface:
			if !shownThroughout(x, captured) {
				return true
			}
		case *ssa.Call:
			name, _ := callee(x)
			if _, number := timeNumbers[name]; !number && !roundings[name] && name != "(time.Duration).Abs" && !(name == "(time.Duration).String" && UseOfText(x, captured) == TextShown) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// roundings are the methods of a Duration that round it.
var roundings = map[string]bool{"(time.Duration).Round": true, "(time.Duration).Truncate": true}

// shownThroughout reports whether v is only printed, and so are the texts that are made of it.
func shownThroughout(v *ssa.MakeInterface, captured bool) bool {
	t := &textFlow{seen: map[ssa.Value]bool{}, captured: captured}
	t.value(v)
	//mutant: durations do not leave in interfaces [env TestPrograms/spanpassed]: true
	return t.use == TextShown
}

// clockFormatted emits the Clock of a Duration of which fmt makes a text that the function uses, which need
// not call its method String.
func (c *compiler) clockFormatted(v *ssa.MakeInterface) {
	if !c.clock || !perhapsOfClock(v.X) {
		return
	}
	captured := c.l.ReadsOutput()
	t := &textFlow{seen: map[ssa.Value]bool{}, captured: captured}
	if t.value(v); t.use == TextUsed && onlyShown(v, captured) {
		c.countTime(v.X, 0)
	}
}

// spanUsed reports whether v, a Duration, or what is computed of it, leaves the function.
func spanUsed(v ssa.Value, captured bool) bool {
	for _, u := range *v.Referrers() {
		if x, ok := u.(*ssa.BinOp); ok && isNamed(x.Type(), "Duration") && spanUsed(x, captured) {
			return true
		}
	}
	return spanLeaves(v, captured)
}

// clockSpan emits the Clock after an instruction whose result is a Duration that has been computed from the
// clock, and leaves the function.
func (c *compiler) clockSpan(v ssa.Value) {
	if c.clock && ofClock(v) && spanLeaves(v, c.l.ReadsOutput()) {
		c.emit(bytecode.Clock, c.use(v), 0, bytecode.ClockSpan)
		c.word(0)
	}
}

// clockFlow emits the Clock before an operation on Durations: its result may be one of the clock's, or a
// number that is made of one. It reports whether Counted is to follow.
func (c *compiler) clockFlow(v *ssa.BinOp) (later bool) {
	if !c.clock || !isNamed(v.Type(), "Duration") {
		return false
	}
	x, y := perhapsOfClock(v.X), perhapsOfClock(v.Y)
	if !x && !y {
		return false
	}
	captured := c.l.ReadsOutput()
	how := bytecode.ClockFlow
	if ofClock(v.X) {
		how |= bytecode.ClockLeft
	}
	if ofClock(v.Y) {
		how |= bytecode.ClockRight
	}
	_, constant := v.Y.(*ssa.Const)
	switch {
	case printed(v, captured):
		return false
	case v.Op == token.ADD, v.Op == token.SUB, v.Op == token.QUO && constant:
		if !ofClock(v) && countsSpan(v, captured) {
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

// clockFlows emits the Clock before another one that gives a Duration of d and y: -d and d.Abs() (NOT),
// d.Round(y) (AND) and d.Truncate(y) (OR), which is used if number is set. It reports whether Counted is to
// follow.
func (c *compiler) clockFlows(op token.Token, d, y ssa.Value, number bool) (later bool) {
	if !c.clock || !perhapsOfClock(d) {
		return false
	}
	how := bytecode.ClockFlow
	if ofClock(d) {
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
	if perhapsOfClock(y) {
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

// roundUsed reports whether the function itself uses the result of call, a Duration that has been
// rounded, for more than to print it and to pass it on.
func roundUsed(call *ssa.Call) bool {
	for _, u := range *call.Referrers() {
		switch x := u.(type) {
		case *ssa.DebugRef, *ssa.MakeInterface, *ssa.Store, *ssa.Send, *ssa.Return, *ssa.Phi:
		case *ssa.Call:
			if name, _ := callee(x); roundings[name] || timeNumbers[name] != 0 {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// clockKey emits the Clock of a Duration that is taken for an index or a key.
func (c *compiler) clockKey(v ssa.Value) {
	if c.clock && perhapsOfClock(v) {
		c.countTime(v, 0)
	}
}

// countsSpan reports whether a number is made of v, a Duration.
func countsSpan(v ssa.Value, captured bool) bool {
	for _, u := range *v.Referrers() {
		if of, ok := timeNumber(u, captured); ok && of == v || spanKey(u) == v {
			return true
		}
	}
	return false
}

// spanKey returns what i takes for an index or a key; nil if it does not.
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

// countTime emits the Clock of a number that is made of the Duration or Time v; later is ClockLater if
// Counted
// is to follow. It reports whether it does.
//
// What has been computed of Durations has been looked at there (clockFlow): timeout/time.Second is few
// nanoseconds.
func (c *compiler) countTime(v ssa.Value, later int) bool {
	//mutant: quotients of durations are looked up [env TestPrograms/spanprinted]: "!ofClock(x)" -> "x == nil"
	if x, ok := v.(*ssa.BinOp); ok && !ofClock(x) {
		return false
	}
	c.emit(bytecode.Clock, c.use(v), 0, numberOf(v)|later)
	c.word(1)
	return later != 0
}

// numberOf says how a number is made of the Duration or Time v.
func numberOf(v ssa.Value) int {
	switch {
	case isNamed(v.Type(), "Time"):
		return bytecode.ClockNumber | bytecode.ClockOfTime
	case ofClock(v):
		return bytecode.ClockNumber
	}
	return bytecode.ClockNumber | bytecode.ClockSpan
}
