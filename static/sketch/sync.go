package sketch

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// lock is the state of the synchronisation object at a location.
type lock struct {
	writer  *goroutine
	readers map[*goroutine]int
	count   int          // of a WaitGroup
	once    int          // 0 not begun, 1 running, 2 done
	waiters []*goroutine // of a Cond, in their order, without those that have been woken
	clock   clock
	locker  value // of a Cond
}

// heldLock is a lock that a goroutine holds.
type heldLock struct {
	l  *lock
	at ssa.Instruction
}

// native is the model of a library function.
type native struct {
	// can reports whether it is enabled; nil: always.
	can func(r *Run, g *goroutine, args []value) bool
	op  Op
	// visible is set if other goroutines may go first.
	visible bool
	// quick is set if it begins no call.
	quick bool
	do    func(r *Run, g *goroutine, args []value, results types.Type, back func(v value))
}

// lockAt returns the state of the synchronisation object that v points to; nil if the object is unknown.
func (r *Run) lockAt(v value) *lock {
	switch x := v.(type) {
	case *ptr:
		l := x.o.sync[x.path]
		if l == nil {
			l = &lock{readers: map[*goroutine]int{}}
			x.o.sync[x.path] = l
		}
		return l
	case *iface:
		return r.lockAt(x.v)
	}
	return nil
}

// nativeOf returns the model of fn; nil if its body is executed.
func (p *Program) nativeOf(fn *ssa.Function) *native {
	n, ok := p.natives[fn]
	if !ok {
		if p.natives == nil {
			p.natives = map[*ssa.Function]*native{}
		}
		n = findNative(fn)
		p.natives[fn] = n
	}
	return n
}

func findNative(fn *ssa.Function) *native {
	if n, ok := natives[fn.String()]; ok {
		return n
	}
	if o := fn.Origin(); o != nil {
		if n, ok := natives[o.String()]; ok {
			return n
		}
	}
	return atomicNative(fn)
}

func (g *goroutine) acquire(l *lock) {
	g.held = append(g.held, heldLock{l, g.called()})
	g.clock = g.clock.join(l.clock)
}

// called returns the library call that g executes: its frame is past the call already.
func (g *goroutine) called() ssa.Instruction {
	if g.calling != nil {
		return g.calling
	}
	return g.top().at()
}

func (g *goroutine) release(l *lock) {
	for i := len(g.held) - 1; i >= 0; i-- {
		if g.held[i].l == l {
			g.held = append(g.held[:i:i], g.held[i+1:]...)
			break
		}
	}
	l.clock = l.clock.join(g.clock)
	g.tick()
}

// op makes a native that is a single operation.
func op(visible bool, kind Op, can func(r *Run, g *goroutine, l *lock) bool, do func(r *Run, g *goroutine, l *lock, args []value) value) *native {
	n := &native{visible: visible, op: kind, quick: true}
	if can != nil {
		n.can = func(r *Run, g *goroutine, args []value) bool {
			l := r.lockAt(args[0])
			return l == nil || can(r, g, l)
		}
	}
	n.do = func(r *Run, g *goroutine, args []value, results types.Type, back func(v value)) {
		if len(args) == 0 || isNil(args[0]) {
			r.fail(g, NilUse)
			return
		}
		l := r.lockAt(args[0])
		if l == nil {
			back(r.unknowns(results))
			return
		}
		v := do(r, g, l, args)
		if r.stopped || g.panicked != nil && g.top().unwinds && v == nil {
			return
		}
		if v == nil {
			v = tuple{}
		}
		back(v)
	}
	return n
}

func free(_ *Run, _ *goroutine, l *lock) bool { return l.writer == nil && len(l.readers) == 0 }

// readable reports whether g can lock l for reading. A waiting writer goes first.
func readable(r *Run, g *goroutine, l *lock) bool {
	if l.writer != nil {
		return false
	}
	if len(l.readers) == 0 {
		return true
	}
	for _, h := range r.gs {
		if h == g || h.done || len(h.frames) == 0 {
			continue
		}
		if n, args := r.pending(h); n == rwLock && r.lockAt(args[0]) == l {
			return false
		}
	}
	return true
}

func takeWrite(r *Run, g *goroutine, l *lock, _ []value) value {
	l.writer = g
	g.acquire(l)
	return nil
}

// fromOutside reports whether a lock belongs to an object from outside, so that outside code may hold it.
func fromOutside(args []value) bool {
	switch x := args[0].(type) {
	case *ptr:
		return x.o.outside
	case *iface:
		return fromOutside([]value{x.v})
	}
	return true
}

func dropWrite(r *Run, g *goroutine, l *lock, args []value) value {
	if l.writer == nil && fromOutside(args) {
		return nil
	}
	if l.writer == nil {
		r.crash(g, BadUnlock)
		return nil
	}
	w := l.writer
	l.writer = nil
	if w != g {
		w.release(l)
	}
	g.release(l)
	return nil
}

var rwLock = op(true, LockOp, free, takeWrite)

var natives map[string]*native

func init() {
	natives = map[string]*native{
		"(*sync.Mutex).Lock":      op(true, LockOp, free, takeWrite),
		"(*sync.Mutex).Unlock":    op(false, NoOp, nil, dropWrite),
		"(*sync.Mutex).TryLock":   op(true, NoOp, nil, tryWrite),
		"(*sync.RWMutex).Lock":    rwLock,
		"(*sync.RWMutex).Unlock":  op(false, NoOp, nil, dropWrite),
		"(*sync.RWMutex).TryLock": op(true, NoOp, nil, tryWrite),
		"(*sync.RWMutex).RLock": op(true, LockOp, readable, func(r *Run, g *goroutine, l *lock, _ []value) value {
			l.readers[g]++
			g.acquire(l)
			return nil
		}),
		"(*sync.RWMutex).RUnlock": op(false, NoOp, nil, func(r *Run, g *goroutine, l *lock, args []value) value {
			if len(l.readers) == 0 && fromOutside(args) {
				return nil
			}
			if len(l.readers) == 0 {
				r.crash(g, BadUnlock)
				return nil
			}
			h := g
			if l.readers[g] == 0 {
				for x := range l.readers { // a reader of another goroutine
					if h == g || x.id < h.id {
						h = x
					}
				}
			}
			if l.readers[h]--; l.readers[h] == 0 {
				delete(l.readers, h)
			}
			h.release(l)
			return nil
		}),
		"(*sync.WaitGroup).Add": op(true, NoOp, nil, func(r *Run, g *goroutine, l *lock, args []value) value {
			n, ok := args[1].(int64)
			if !ok {
				n = int64(1 + r.rng.IntN(2))
				r.Gaps = true
			}
			return r.add(g, l, int(n))
		}),
		"(*sync.WaitGroup).Done": op(false, NoOp, nil, func(r *Run, g *goroutine, l *lock, args []value) value {
			if l.count == 0 && fromOutside(args) {
				return nil
			}
			return r.add(g, l, -1)
		}),
		"(*sync.WaitGroup).Wait": op(true, JoinOp, func(_ *Run, _ *goroutine, l *lock) bool { return l.count <= 0 }, func(r *Run, g *goroutine, l *lock, _ []value) value {
			g.clock = g.clock.join(l.clock)
			return nil
		}),
		"(*sync.WaitGroup).Go": {quick: true, visible: true, do: func(r *Run, g *goroutine, args []value, _ types.Type, back func(v value)) {
			l := r.lockAt(args[0])
			site := g.called()
			back(tuple{})
			f, ok := args[1].(*closure)
			if l != nil && ok && f.native != nil {
				l.count++
				t := r.later(g, f.native, func(h *goroutine) { r.add(h, l, -1) })
				t.reaches = args[0]
				return
			}
			if l == nil || !ok || f.fn == nil || !r.executes(f.fn) {
				return
			}
			l.count++
			n := r.start(g, site)
			n.after, n.ends = func() { r.add(n, l, -1) }, args[0]
			r.push(n, f.fn, nil, f.bind, nil)
		}},
		"(*sync.Once).Do": {visible: true, op: OnceOp, can: func(r *Run, g *goroutine, args []value) bool {
			l := r.lockAt(args[0])
			return l == nil || l.once != 1
		}, do: func(r *Run, g *goroutine, args []value, _ types.Type, back func(v value)) {
			l := r.lockAt(args[0])
			f, ok := args[1].(*closure)
			if l == nil || l.once == 2 || !ok || f.fn == nil || !r.executes(f.fn) {
				if l != nil {
					g.clock = g.clock.join(l.clock)
				}
				back(tuple{})
				return
			}
			l.once = 1
			r.push(g, f.fn, nil, f.bind, func(value) {
				l.once = 2
				l.clock = l.clock.join(g.clock)
				g.tick()
				back(tuple{})
			})
		}},
		"sync.NewCond": {quick: true, do: func(r *Run, g *goroutine, args []value, results types.Type, back func(v value)) {
			t := results.(*types.Pointer).Elem()
			o := newObj(t, g.top().at())
			p := &ptr{o, ""}
			for i := range t.Underlying().(*types.Struct).NumFields() {
				if t.Underlying().(*types.Struct).Field(i).Name() == "L" {
					r.store(&ptr{o, fieldPath("", i)}, args[0], types.NewInterfaceType(nil, nil))
				}
			}
			r.lockAt(p).locker = args[0]
			back(p)
		}},
		"(*sync.Cond).Wait": {visible: true, op: CondOp, can: condCan, do: condWait},
		"(*sync.Cond).Signal": op(true, NoOp, nil, func(r *Run, g *goroutine, l *lock, _ []value) value {
			if len(l.waiters) > 0 {
				l.waiters = l.waiters[1:]
			}
			l.clock = l.clock.join(g.clock)
			g.tick()
			return nil
		}),
		"(*sync.Cond).Broadcast": op(true, NoOp, nil, func(r *Run, g *goroutine, l *lock, _ []value) value {
			l.waiters = nil
			l.clock = l.clock.join(g.clock)
			g.tick()
			return nil
		}),
	}
	for name, n := range library {
		natives[name] = n
	}
}

func tryWrite(r *Run, g *goroutine, l *lock, _ []value) value {
	if !free(r, g, l) {
		return false
	}
	takeWrite(r, g, l, nil)
	return true
}

func (r *Run) add(g *goroutine, l *lock, n int) value {
	l.count += n
	if l.count < 0 && !r.Gaps {
		r.crash(g, NegativeCounter)
		return nil
	}
	if n < 0 {
		l.clock = l.clock.join(g.clock)
		if len(g.frames) > 0 {
			g.tick()
		}
	}
	return nil
}

// lockerOf returns the lock of a Cond.
func (r *Run) lockerOf(v value) *lock {
	l := r.lockAt(v)
	if l == nil {
		return nil
	}
	if l.locker == nil {
		if p, ok := v.(*ptr); ok {
			if st, ok := condType(p.o.t, p.path); ok {
				for i := range st.NumFields() {
					if st.Field(i).Name() == "L" {
						l.locker = p.o.cells[fieldPath(p.path, i)]
					}
				}
			}
		}
	}
	if l.locker == nil {
		return nil
	}
	return r.lockAt(l.locker)
}

// condType returns the struct type of the Cond at a path in memory of type t.
func condType(t types.Type, path string) (*types.Struct, bool) {
	for path != "" {
		st, ok := t.Underlying().(*types.Struct)
		if !ok || path[0] != '.' {
			return nil, false
		}
		n, k := 0, 1
		for k < len(path) && path[k] >= '0' && path[k] <= '9' {
			n = n*10 + int(path[k]-'0')
			k++
		}
		if n >= st.NumFields() {
			return nil, false
		}
		t, path = st.Field(n).Type(), path[k:]
	}
	st, ok := t.Underlying().(*types.Struct)
	return st, ok
}

// condPhase is the phase of a goroutine in Cond.Wait.
type condPhase struct {
	l     *lock
	mutex *lock
}

// condCan reports whether Cond.Wait can continue. First it releases the lock and begins to wait; then it
// waits to be woken, and for the lock.
func condCan(r *Run, g *goroutine, args []value) bool {
	l := r.lockAt(args[0])
	if l == nil || g.cond == nil {
		return true
	}
	for _, w := range l.waiters {
		if w == g {
			return false
		}
	}
	m := g.cond.mutex
	return m == nil || free(r, g, m)
}

func condWait(r *Run, g *goroutine, args []value, _ types.Type, back func(v value)) {
	l := r.lockAt(args[0])
	if l == nil {
		back(tuple{})
		return
	}
	if g.cond == nil {
		m := r.lockerOf(args[0])
		g.cond = &condPhase{l: l, mutex: m}
		if m != nil {
			if m.writer == nil && len(m.readers) == 0 {
				r.crash(g, BadUnlock)
				return
			}
			m.writer = nil
			delete(m.readers, g)
			g.release(m)
		}
		l.waiters = append(l.waiters, g)
		g.top().pc-- // g stays at the call
		return
	}
	m := g.cond.mutex
	g.cond = nil
	g.clock = g.clock.join(l.clock)
	if m != nil {
		takeWrite(r, g, m, nil)
	}
	back(tuple{})
}
