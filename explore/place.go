package explore

import (
	"go/token"
	"slices"
	"strings"
)

// Positions that a report shows: outside of the standard library if there are any, and best in the reader's
// own module.

// faultText returns the first part of the runtime's message.
func faultText(f *Fault) string {
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

// ownPos returns the innermost position in the reader's module, if any, on stacks, each of which
// was called from the next one.
func ownPos(stacks ...[]Frame) (at token.Position) {
	for _, stack := range stacks {
		if i := slices.IndexFunc(stack, func(f Frame) bool { return f.Own }); i >= 0 {
			return plain(stack[i].Pos)
		}
	}
	return at
}

func position(stack []Frame) token.Position { return plain(place(stack).Pos) }

// inLibrary reports whether all frames of g are in the standard library.
func (g *Goroutine) inLibrary() bool { return place(g.Stack).Std }

// position returns g's position in the reader's module, or else the position where g was started.
// If neither is in the module, it returns site.
func (g *Goroutine) position() token.Position {
	if at := ownPos(g.Stack, g.origin); at.IsValid() {
		return at
	}
	return g.site()
}

// site returns g's position outside of the standard library, or else the position where g was
// started.
func (g *Goroutine) site() token.Position {
	if g.inLibrary() && len(g.Created) > 0 {
		return position(g.Created)
	}
	return position(g.Stack)
}

func topFunc(stack []Frame) string { return ShortFunc(place(stack).Func) }

// ShortFunc strips the path of the package from a function's name:
// "example.com/bank.(*Bank).Deposit" becomes "(*Bank).Deposit".
func ShortFunc(name string) string {
	name = name[strings.LastIndexByte(name, '/')+1:]
	if _, rest, ok := strings.Cut(name, "."); ok {
		return rest
	}
	return name
}

// plain drops the offset of a position, so that positions can be compared with
// those of a recording.
func plain(p token.Position) token.Position {
	p.Offset = 0
	return p
}

// Waiting is what a blocked goroutine waits for.
type Waiting struct {
	For string // the runtime's word: "chan receive", "sync.Mutex.Lock"; may be empty
	On  string // in source terms: "bank.mu"; empty if there is no name
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
