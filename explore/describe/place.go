package describe

import (
	"go/token"
	"slices"
	"strings"
)

// The positions that a report shows are outside of the standard library if possible, and preferably in the
// reader's own module.

// FaultText returns the first part of the runtime's message.
func FaultText(f *Fault) string {
	if f.Fatal {
		return f.Text()
	}
	return strings.TrimRight(f.Text(), "\n\t")
}

// place returns the innermost frame outside the standard library; failing that, the innermost
// frame.
func place(stack []Frame) Frame {
	for _, f := range stack {
		if !f.Std {
			return f
		}
	}
	if len(stack) == 0 {
		return Frame{Func: "goroutine"}
	}
	return stack[0]
}

// OwnPos returns the innermost position in the reader's module on stacks, if there is one. The innermost
// stack comes first.
func OwnPos(stacks ...[]Frame) (at token.Position) {
	for _, stack := range stacks {
		if i := slices.IndexFunc(stack, func(f Frame) bool { return f.Own }); i >= 0 {
			return Plain(stack[i].Pos)
		}
	}
	return at
}

// PositionOf returns the position of a stack outside of the standard library, if there is one.
func PositionOf(stack []Frame) token.Position { return Plain(place(stack).Pos) }

// InLibrary reports whether all frames of g are in the standard library.
func (g *Goroutine) InLibrary() bool { return place(g.Stack).Std }

// InTesting reports whether g waits in package testing: for a test, or for its turn.
func (g *Goroutine) InTesting() bool {
	return len(g.Stack) > 0 && strings.HasPrefix(g.Stack[0].Func, "testing.")
}

// IsTest reports whether g was started to run a test or subtest.
func (g *Goroutine) IsTest() bool {
	return len(g.Created) > 0 && strings.HasPrefix(g.Created[0].Func, "testing.")
}

// Position returns g's position in the reader's module, or else the position where g was started.
// If neither is in the module, it returns Site.
func (g *Goroutine) Position() token.Position {
	if at := OwnPos(g.Stack, g.Origin); at.IsValid() {
		return at
	}
	return g.Site()
}

// Site returns g's position outside of the standard library, or else the position where g was
// started.
func (g *Goroutine) Site() token.Position {
	if g.InLibrary() && len(g.Created) > 0 {
		return PositionOf(g.Created)
	}
	return PositionOf(g.Stack)
}

// TopFunc returns the short name of the function at PositionOf(stack).
func TopFunc(stack []Frame) string { return ShortFunc(place(stack).Func) }

// ShortFunc strips the path of the package from a function's name:
// "example.com/bank.(*Bank).Deposit" becomes "(*Bank).Deposit".
func ShortFunc(name string) string {
	name = name[strings.LastIndexByte(name, '/')+1:]
	if _, rest, ok := strings.Cut(name, "."); ok {
		return rest
	}
	return name
}

// Plain drops the offset of a position, so that positions can be compared with
// those of a recording.
func Plain(p token.Position) token.Position {
	p.Offset = 0
	return p
}

// Waiting is what a blocked goroutine waits for.
type Waiting struct {
	For string // the runtime's word: "chan receive", "sync.Mutex.Lock"; may be empty
	On  string // in source terms: "bank.mu"; empty: no name
}

// A Related is a further position that is relevant to a bug.
type Related struct {
	Pos       token.Position
	Role      Role
	Goroutine string
	Waiting          // for RoleWaits
	Access    Verb   // for RoleConflicts
	Func      string // for RoleConflicts
}

// A Role is the role of a related position.
type Role uint8

// The roles.
const (
	RoleStarted   Role = iota // the goroutine was started there
	RoleWaits                 // the goroutine waits there
	RoleLoops                 // the goroutine's loop is there
	RoleConflicts             // the second access of a race
)
