package vm

import "go/types"

// Finalizers and cleanups run in run mode, where the program's own calls of runtime.GC decide when.
// Explorations never run them, which the documentation of package runtime permits: it does not
// promise that any finalizer runs.

// finalizer is what is to be done when an object has become unreachable.
type finalizer struct {
	obj     uint32 // object number
	cleanup bool   // the function does not get the object, which is no more
	fn      uint64 // func value
	args    []uint64
}

var finalizerNatives = []Native{
	{Name: "runtime.setFinalizer", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		if !m.cfg.Run {
			if r.U(2) != 0 {
				m.assumeCollected(g, FinalizerOff)
			}
			return Next
		}
		id := uint32(r.U(1) >> 32)
		for i, f := range m.finalizers {
			if f.obj == id && !f.cleanup {
				m.finalizers = append(m.finalizers[:i], m.finalizers[i+1:]...)
				break
			}
		}
		if r.U(2) == 0 {
			return Next
		}
		f := finalizer{obj: id, fn: r.U(3), args: []uint64{r.U(1)}}
		sig := m.rtypeAt(r.U(2)).typ.Underlying().(*types.Signature)
		if sig.Params().Len() > 0 && types.IsInterface(sig.Params().At(0).Type()) {
			f.args = []uint64{r.U(0), r.U(1)}
		}
		m.finalizers = append(m.finalizers, f)
		return Next
	}},
	{Name: "runtime.addCleanup", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		if m.cfg.Run {
			m.cleanups++
			m.finalizers = append(m.finalizers, finalizer{obj: uint32(r.U(0) >> 32), cleanup: true, fn: r.U(1), args: []uint64{m.cleanups}})
		} else {
			m.assumeCollected(g, CleanupOff)
		}
		r.Set(0, m.cleanups)
		return Next
	}},
	{Name: "runtime.stopCleanup", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		for i, f := range m.finalizers {
			if f.cleanup && f.args[0] == r.U(0) {
				m.finalizers = append(m.finalizers[:i], m.finalizers[i+1:]...)
				break
			}
		}
		return Next
	}},
	{Name: "weak.hbMade", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.assumeCollected(g, WeakKept)
		return Next
	}},
	{Name: "runtime.hbGC", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		if !m.cfg.Run {
			return Next
		}
		m.collect(true)
		if len(m.dueFinals) > 0 {
			m.startG(g, uint64(m.rt[rtFinalize])|funcBit, nil, true)
		}
		// The finalizers and all other goroutines get a turn: they run meanwhile, as a collection
		// takes long. So it does here, and a turn may have thousands.
		return Stop
	}},
	{Name: "runtime.hbLive", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.Set(0, 0)
		if m.cfg.Run {
			r.Set(0, m.heap.live)
		}
		return Next
	}},
	// hbFinalize runs one finalizer that is due and returns true.
	{Name: "runtime.hbFinalize", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		if len(m.dueFinals) == 0 {
			r.SetBool(0, false)
			return Next
		}
		f := m.dueFinals[0]
		m.dueFinals = m.dueFinals[1:]
		r.SetBool(0, true)
		args := f.args
		if f.cleanup {
			args = nil
		}
		m.callGuest(g, f.fn, 0, args...)
		return Called
	}},
}

// findDue moves the finalizers of objects that are not marked to those that
// are due. What they need is a root, their objects included.
func (m *Machine) findDue(marked []bool, root func(w uint64), mark func()) {
	// What an object with a finalizer refers to lives until the finalizer has
	// run: so of several such objects the outermost comes first, and none on a cycle.
	for _, f := range m.finalizers {
		if !f.cleanup {
			m.eachPtr(&m.heap.objs[f.obj], root)
		}
	}
	mark()
	k := 0
	var due []finalizer
	for _, f := range m.finalizers {
		if marked[f.obj] || f.obj < staticLimit {
			m.finalizers[k] = f
			k++
		} else {
			due = append(due, f)
		}
	}
	m.finalizers = m.finalizers[:k]
	m.dueFinals = append(m.dueFinals, due...)
	for _, f := range due {
		root(f.fn)
		if !f.cleanup {
			for _, w := range f.args {
				root(w)
			}
		}
	}
	mark()
}
