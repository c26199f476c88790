package vm

import (
	"go/token"
	"maps"
	"slices"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/reach"
)

// A lock records its owner but not where the owner took it: the place must not be part of a state. So the
// machine keeps the places outside of the state, and only at two times: while the entry begins, up to its
// first visible operation; and while a schedule is repeated (Trace). The repetition records later locks
// again, so the log needs no undo.

// noteLocked records that g takes l.
func (m *Machine) noteLocked(g *goroutine, l ptr, read bool) {
	if m.lockLog == nil {
		return
	}
	var stack []framePlace
	m.eachLogicalFrame(g, func(id uint32, pc int32, _ uint32) bool {
		stack = append(stack, framePlace{m.code(id), pc})
		return len(stack) < maxTrace
	})
	k := heldBy{l, g.ID, read}
	m.lockLog[k] = append(slices.Clip(m.lockLog[k]), stack) // lockedFirst has the same list
}

// noteUnlocked records that l is released. A goroutine may release a lock that another one has taken.
func (m *Machine) noteUnlocked(g *goroutine, l ptr, read bool) {
	k := heldBy{l, g.ID, read}
	if _, ok := m.lockLog[k]; !ok {
		list := m.holdings(l, read)
		if len(list) == 0 {
			return
		}
		k = list[0]
	}
	if list := m.lockLog[k]; len(list) > 1 {
		m.lockLog[k] = list[:len(list)-1]
	} else {
		delete(m.lockLog, k)
	}
}

// holdings returns the holders of l, in the order of spawn paths.
func (m *Machine) holdings(l ptr, read bool) (list []heldBy) {
	for k := range m.lockLog {
		if k.lock == l && k.read == read {
			list = append(list, k)
		}
	}
	slices.SortFunc(list, func(a, b heldBy) int {
		if m.before(a.g, b.g) {
			return -1
		}
		return 1
	})
	return list
}

// Trace switches the recording of the places where locks are taken, and of objects put into and taken from
// sync.Pools, on or off. It must be called in the initial state.
func (v Report) Trace(on bool) {
	if v.m.lockLog, v.m.pooled = nil, 0; on {
		v.m.lockLog = maps.Clone(v.m.lockedFirst)
	}
}

// A Holding is a lock that a goroutine has, with the stack of the call that took it.
type Holding struct {
	G     trace.GID
	Stack []SourceFrame
}

// Holdings returns the holders of the lock that op waits for, as recorded since Trace.
func (v Report) Holdings(op trace.Op) (list []Holding) {
	m := v.m
	if row := op.Kind.Row(); op.N == 0 || !row.Blocks || row.Acquires&trace.First == 0 {
		return nil
	}
	l := ptr(op.Access[0].Obj)<<32 | ptr(op.Access[0].Off)
	switch op.Kind.Row().On {
	case trace.OnLock:
	case trace.OnOnce:
		l += onMutex
	default:
		return nil
	}
	for _, k := range m.holdings(l, op.Kind == trace.LockPending) {
		x := Holding{G: k.g}
		for _, at := range m.lockLog[k][0] {
			x.Stack = m.addFrame(x.Stack, at.f.ID, at.pc)
		}
		list = append(list, x)
	}
	return list
}

// notePooled records that a sync.Pool gets the value that p points to, or gives it away.
func (m *Machine) notePooled(p ptr, put bool) {
	if m.lockLog != nil {
		m.pooled, m.put = p, put
	}
}

// Pooled returns the object that was put into a sync.Pool or taken from it since the last call; 0 if there
// is none.
func (v Report) Pooled() (obj uint32, put bool) {
	obj, put = uint32(v.m.pooled>>32), v.m.put
	v.m.pooled = 0
	return obj, put
}

// Reaches reports whether object to can be reached from object from.
func (v Report) Reaches(from, to uint32) bool {
	seen := reach.NewSet(v.m.heap)
	seen.Add(uint64(from) << 32)
	return seen.Has(uint64(to) << 32)
}

// MadeAt returns the position of the call or the statement that made an object.
func (v Report) MadeAt(obj uint32) (pos token.Position) {
	if int(obj) >= len(v.m.heap.Objs) {
		return pos
	}
	site := v.m.heap.Objs[obj].Site
	if fn := site >> 32; fn < uint64(len(v.m.link.Code)) && v.m.link.Code[fn] != nil && site != 0 {
		pos = v.m.frame(v.m.link.Code[fn], int32(uint32(site))).Pos
	}
	return pos
}
