package static

import (
	"fmt"

	"golang.org/x/tools/go/ssa"
)

// An Object is a synchronisation object as the element of a set: its path, and the operation on it.
type Object struct {
	Kind EventKind
	Mode Mode
	Path Path
	Site ssa.Instruction // instruction of an allocation
}

// Objects numbers objects.
type Objects struct {
	base *Base
	table[Object]
}

func newObjects(b *Base) *Objects { return &Objects{base: b} }

// Num returns the number of o.
func (t *Objects) Num(o Object) int { return t.of(o) }

// At returns object number n.
func (t *Objects) At(n int) Object { return t.list[n] }

// rename translates the paths of s. With must, objects that have no name or do
// not exist yet are dropped.
func (t *Objects) rename(s Set, r *Renaming, must bool) Set {
	sets := t.base.Sets
	if s == Empty {
		return s
	}
	var list []int
	for _, n := range sets.Elems(s) {
		o := t.list[n]
		o.Path = r.Path(o.Path)
		if must && (o.Path == Unknown || t.base.Paths.Fresh(o.Path)) {
			continue
		}
		list = append(list, t.Num(o))
	}
	return sets.Of(list...)
}

var verbs = map[EventKind]string{
	LockEvent: "lock", TryEvent: "lock", UnlockEvent: "unlock", ReleaseEvent: "unlock", WaitEvent: "wait", SignalEvent: "signal",
	AddEvent: "done", JoinEvent: "join", SendEvent: "send", RecvEvent: "receive", CloseEvent: "close",
	OnceEvent: "once", OnceEndEvent: "once done", AllocEvent: "allocate", AnyEvent: "anything",
}

// String names object n: "lock s.mu", "rlock s.mu", "send c".
func (t *Objects) String(n int) string {
	o := t.list[n]
	verb := verbs[o.Kind]
	if o.Mode == Read && o.Kind != WaitEvent {
		verb = "r" + verb
	}
	if o.Kind == AnyEvent {
		return verb
	}
	return fmt.Sprintf("%s %s", verb, t.base.Paths.String(o.Path))
}
