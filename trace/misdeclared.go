package trace

import (
	"fmt"
	"slices"
)

// Misdeclared returns the mistake in op as the operation of the native of that name; "" if there is
// none.
func Misdeclared(name string, op *Op) string {
	row, declared := op.Kind.Row(), MemoryOf(name)
	ok := declared == AnyMemory
	switch {
	case declared == Undeclared:
	case op.Kind == Crash:
		ok = true // any instruction can end the program: an Unlock of an unlocked mutex, say
	case op.Kind == Read:
		ok = declared != NoMemory
	case op.Kind.Plain():
		ok = ok || declared == WritesBytes || declared == WritesWords || declared == WritesUints
	case op.Kind.Memory():
		ok = ok || declared == AtomicMemory
	case row.Commutes == Always:
		ok = true
	default:
		ok = ok || slices.Contains(KindsOf(name), op.Kind)
	}
	switch {
	case !ok:
		return fmt.Sprintf("package trace does not say that %s executes a %v", name, op.Kind)
	case row.Commutes == ByAccess && op.N == 0 && row.On != OnGoroutines && row.On != OnBubble &&
		op.Kind != None && op.Kind != Spin: // these kinds depend on all operations, like the kinds on all goroutines or on a bubble
		return fmt.Sprintf("a %v of %s depends on nothing", op.Kind, name)
	}
	return ""
}
