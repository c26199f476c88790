package oracle

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/fieldaccess"
	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/trace"
)

// reach is the reachability filter of mhb (docs/dev/glossary.md): it decides whether another
// goroutine can obtain a pointer to an object while g does not move.
//
// Claim. The goroutine can do so only in two ways: it has such a pointer in a register or in a deferred
// call; or such a pointer is at the end of a path through memory whose loads are in acc, the
// accesses of the parked closure.
//
// Proof. 1. Consider the first step in which a goroutine other than g obtains a pointer to the object. 2. The
// step loads it from memory whose address the goroutine already had. 3. By induction this memory was reached
// here. 4. The load is in the parked closure, so it is in acc. An object that does not exist yet is not the
// one in question.
//
// So if the first field of every path is guarded by a lock that g holds, everything that is
// reachable only from there is protected with it: maps, arrays, lists, trees.
//
//	g holds b.mu
//	     │
//	     b ──(b.list, guarded)──▶ node ──▶ node ──▶ node      not reached
//
// Any word in a register that could be a pointer counts as a pointer. Memory that is not accessed by loads
// and stores of the program (closures, maps, channels, boxes, records of the machine) is followed whole.
type reach struct {
	s       *State
	allowed map[allowedKey]bool
	size    map[types.Type]int64
	globals map[static.Set][]uint32 // static objects that accesses in a set name
	seen    map[uint32]bool
	work    []uint32
}

// allowedKey is a word of a kind of object, with the accesses that are possible.
type allowedKey struct {
	objs static.Set
	typ  types.Type
	off  int64
	acc  static.Set
}

// maxReach bounds the objects that are scanned; beyond it everything counts as reached.
const maxReach = 2000

func newReach(s *State) *reach {
	return &reach{s: s, allowed: make(map[allowedKey]bool), size: make(map[types.Type]int64),
		globals: make(map[static.Set][]uint32), seen: make(map[uint32]bool)}
}

// reaches reports whether a goroutine other than g can obtain a pointer to one of
// targets with the accesses in acc.
func (r *reach) reaches(g trace.GID, targets []uint32, acc static.Set) bool {
	globals, ok := r.named(acc)
	if !ok {
		return true
	}
	clear(r.seen)
	r.work = r.work[:0]
	found := false
	visit := func(w uint64) {
		id := uint32(w >> 32)
		if id == 0 || r.seen[id] || !r.s.Exists(id) {
			return
		}
		r.seen[id] = true
		for _, t := range targets {
			found = found || id == t
		}
		r.work = append(r.work, id)
	}
	//mutant: no package variables [micro inGlobal]: " globals" -> " globals[:0]"
	for _, id := range globals {
		visit(uint64(id) << 32)
	}
	r.s.Machine.Live(func(id trace.GID) {
		if id != g && !found {
			//mutant: no goroutine has pointers [micro published]
			r.s.Roots(id, visit)
		}
	})
	for len(r.work) > 0 && !found {
		if len(r.seen) > maxReach {
			return true
		}
		id := r.work[len(r.work)-1]
		r.work = r.work[:len(r.work)-1]
		r.scan(id, acc, visit)
	}
	return found
}

// scan visits the pointers in object id that can be loaded.
func (r *reach) scan(id uint32, acc static.Set, visit func(uint64)) {
	var l fieldaccess.Location
	known, whole := false, false
	r.s.Pointers(id, func(off uint32, w uint64) {
		if !known {
			known = true
			obj := r.s.Object(id)
			l, _ = r.s.location(id, 0, 8)
			//mutant: no goroutine reaches what closures hold [micro onlyInClosure]: "obj.Global == nil && !loadable(obj.Site)" -> "false"
			whole = obj.Map || obj.Type == nil || obj.Global == nil && !loadable(obj.Site)
		}
		if whole || r.may(&l, int64(off), acc) {
			visit(w)
		}
	})
}

// loadable reports whether the memory allocated by i is only accessed by
// instructions that count as accesses.
func loadable(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.Alloc, *ssa.MakeSlice:
		return true
	case *ssa.Call:
		b, ok := i.Call.Value.(*ssa.Builtin)
		return ok && b.Name() == "append"
	}
	return false
}

// may reports whether an access in acc can touch the word at off in l's object.
func (r *reach) may(l *fieldaccess.Location, off int64, acc static.Set) bool {
	n, ok := r.size[l.Type]
	if !ok {
		n = r.s.sizes.Sizeof(l.Type)
		r.size[l.Type] = n
	}
	if n > 0 {
		off %= n
	}
	k := allowedKey{l.Objs, l.Type, off, acc}
	ok, known := r.allowed[k]
	if !known {
		// As a write it conflicts with every access to it.
		x := fieldaccess.Location{Type: l.Type, Objs: l.Objs, Off: off, Size: 8, Write: true}
		ok = r.s.Accesses.Conflict(acc, &x)
		r.allowed[k] = ok
	}
	return ok
}

// named returns the package variables that accesses in acc may touch, and false
// if they may touch any.
func (r *reach) named(acc static.Set) ([]uint32, bool) {
	list, ok := r.globals[acc]
	if ok {
		return list, list != nil
	}
	f := r.s.Futures().F
	seen := map[uint32]bool{}
	list = []uint32{}
	for _, n := range f.Sets.Elems(acc) {
		x := f.Acc.At(n)
		if x.Key == f.Acc.SyncKey() || x.Key == f.Acc.InspectKey() {
			continue
		}
		if x.Objs == static.Empty && !f.Acc.Scalar(x.Key) {
			list = nil
			break
		}
		for _, o := range f.Acc.Objs.Elems(x.Objs) {
			if g, ok := r.s.Graph.Object(o).Site.(*ssa.Global); ok {
				if id := uint32(r.s.Address(g) >> 32); !seen[id] {
					seen[id] = true
					list = append(list, id)
				}
			}
		}
	}
	r.globals[acc] = list
	return list, list != nil
}
