package vm

import (
	"go/build"
	"go/types"
	"sort"
	"strings"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bounds"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/host"
)

// Natives of package runtime (load/overlay/_src/runtime) that need the machine itself.
var runtimeNatives = []Native{
	{Name: "runtime.typeString", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		if m.link.TypeAt(r.U(0)) == nil {
			return m.badAddress(g)
		}
		return m.setString(g, r, 0, m.typeString(r.U(0)))
	}},
	{Name: "runtime.typePkgPath", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		path, t := "", m.link.TypeAt(r.U(0))
		if t == nil {
			return m.badAddress(g)
		}
		if n, ok := types.Unalias(t.Type).(*types.Named); ok && n.Obj().Pkg() != nil {
			path = m.link.PkgPath(n.Obj().Pkg())
		}
		return m.setString(g, r, 0, path)
	}},
	{Name: "runtime.missingMethod", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		name, t := "", m.link.TypeAt(r.U(0))
		if t == nil {
			return m.badAddress(g)
		}
		if i, ok := m.link.TypeAt(r.U(1)).Type.Underlying().(*types.Interface); ok {
			name = missingMethod(t.Type, i)
		}
		return m.setString(g, r, 0, name)
	}},
	{Name: "runtime.callers", Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		m.plain(op, r.U(1), r.U(2)*8, true)
		return 1
	}, Fn: callers},
	{Name: "runtime.pcInfo", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		return m.pcInfo(g, r, false)
	}},
	{Name: "runtime.funcInfo", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		return m.pcInfo(g, r, true)
	}},
	{Name: "runtime.Stack", Peek: peekStack, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.observeNumbers()
		text := m.goroutineText(g, "running")[1:]
		if r.U(3)&1 != 0 {
			//mutant: in stacks no goroutine waits for the test [test ./internal/native TestOutcomes]: "m.testOnMain()" -> "false"
			if m.testOnMain() {
				text += testerText
			}
			text += m.othersText(g)
			if m.following() {
				var op trace.Op // the operation that shows the goroutines
				m.plain(&op, r.U(0), r.U(1), true)
				m.raceOp(g, r, &op)
			}
			if m.showsProgram(g) {
				m.assume(g, StacksShown)
			}
			//mutant: stacks do not show whether initialisers' goroutines have ended [env TestPrograms/stacksinit]
			m.assumeEnded(g)
		}
		n := min(uint64(len(text)), r.U(1))
		copy(m.heap.Writable(r.U(0), uint32(n)), text)
		r.Set(0, n)
		return Next
	}},
	{Name: "runtime.Version", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		return m.setString(g, r, 0, m.prog.GoVersion)
	}},
	{Name: "runtime.GOROOT", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		root := m.getenv("GOROOT")
		if root == "" {
			root = build.Default.GOROOT
		}
		return m.setString(g, r, 0, root)
	}},
	{Name: "runtime.Gosched", Peek: peekYield, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		if m.auto {
			return Stop // its turn is over
		}
		return Next
	}},
	{Name: "runtime.NumGoroutine", Peek: peekNumGoroutine, Fn: numGoroutine},
	{Name: "runtime.Goexit", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		if g.ID == 0 {
			m.lonely = m.noGoroutines()
		}
		m.raise(g, 0, 0, pfGoexit)
		return Unwind
	}},
	{Name: "runtime.hbFatal", Peek: peekCrash, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.fatal(g, FatalError, strings.Clone(m.string(r, 0))) // a copy, because the message is kept
		return Stop
	}},
	{Name: "runtime.hbCrash", Peek: peekCrash, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.crashPanic(g, r.U(0))
		return Stop
	}},
	{Name: "runtime.hbSample", Symbolic: true, Fn: sample},
	{Name: "runtime.hbChoose", Peek: peekRand, Fn: chooseRand},
	{Name: "os.runtime_rand", Fn: nativeRand},
	{Name: "net.runtime_rand", Fn: nativeRand},
	{Name: "internal/sync.runtime_rand", Fn: nativeRand},
	{Name: "hash/maphash.runtime_rand", Symbolic: true, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		label, again := m.draw(g, BitsSampled, bounds.Bound{})
		if again {
			return Stop
		}
		r.Set(0, m.random(g, 0))
		r.setLabel(m, g, 0, m.sym.WholeLabel(label))
		return Next
	}},
	{Name: "crypto/internal/sysrand.hbBits", Fn: nativeRand},
	{Name: "crypto/internal/sysrand.hbSampled", Symbolic: true, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		label, again := m.draw(g, BitsSampled, bounds.Bound{})
		if again {
			return Stop
		}
		if label != nil {
			m.sym.DrawnBytes(r.U(0), r.U(1), label)
		}
		return Next
	}},
	{Name: "internal/godebug.setting", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		list := ""
		if given := r.U(4)&1 != 0; given {
			list = m.string(r, 2)
		} else {
			list = m.getenv("GODEBUG")
		}
		return m.setString(g, r, 0, m.settingIn(m.string(r, 0), list))
	}},
	{Name: "internal/godebug.hbSets", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.SetBool(0, m.facts.SetsEnv)
		return Next
	}},
	{Name: "iter.newcoro", Symbolic: true, Peek: peekNewCoro, Fn: newCoro},
	{Name: "iter.coroswitch", Symbolic: true, Fn: coroSwitch},
}

// peekYield makes a call a point at which others may run.
func peekYield(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
	if m.multi {
		op.Kind = trace.Yield
	}
	return 1
}

// peekCrash makes a call the end of the program.
func peekCrash(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
	op.Kind = trace.Crash
	return 1
}

// setString puts s into the result words from i on.
func (m *Machine) setString(g *goroutine, r Regs, i int, s string) Ctl {
	p, n := m.newString(g, s)
	r.Set(i, p)
	r.Set(i+1, n)
	return Next
}

// setting returns the setting of that name at the start of the program: from GODEBUG, or from the
// version of Go in its module.
func (m *Machine) setting(name string) string { return m.settingIn(name, m.getenv("GODEBUG")) }

// settingIn returns the setting if GODEBUG is list.
func (m *Machine) settingIn(name, list string) (value string) {
	if name == "asynctimerchan" && m.prog.Minor >= 27 {
		return "" // Go 1.27 has removed it
	}
	if p := m.entry.Package; p != nil {
		//mutant: timers are never early [env TestPrograms/timerearly]: "p.Settings" -> "\"\""
		list = p.Settings + "," + list
	}
	for _, s := range strings.Split(list, ",") {
		if k, v, ok := strings.Cut(s, "="); ok && k == name {
			value, _, _ = strings.Cut(v, "#")
		}
	}
	return value
}

// getenv returns a variable of the program's initial environment.
func (m *Machine) getenv(key string) string {
	m.noteHost(host.AskVariable, key)
	for _, s := range m.cfg.Env {
		if k, v, _ := strings.Cut(s, "="); k == key {
			return v
		}
	}
	return ""
}

// missingMethod returns the first method of i, by name, that t lacks.
func missingMethod(t types.Type, i *types.Interface) string {
	var names []string
	for m := range i.Methods() {
		names = append(names, m.Id())
	}
	sort.Strings(names)
	set := types.NewMethodSet(t)
	for _, id := range names {
		for m := range i.Methods() {
			if m.Id() != id {
				continue
			}
			sel := set.Lookup(m.Pkg(), m.Name())
			if sel == nil || !types.Identical(sel.Obj().(*types.Func).Signature(), m.Signature()) {
				return m.Name()
			}
		}
	}
	return ""
}

// callers implements runtime.callers(skip int, pcs []uintptr) int: skip 0 is the overlay's function
// that called it.
func callers(m *Machine, g *goroutine, r Regs) Ctl {
	skip, n, p, limit := r.I(0), uint64(0), r.U(1), r.U(2)
	var pcs []uint64
	add := func(id uint32, pc int32) bool {
		if skip > 0 {
			skip--
		} else if n < limit {
			pcs = append(pcs, uint64(id)<<32|uint64(uint32(pc)+1))
			n++
		}
		return n < limit
	}
	if m.eachLogicalFrame(g, func(id uint32, pc int32, _ uint32) bool {
		switch {
		case id == 0:
			return add(m.rt[rtMain], 0)
		case m.code(id).Wrapper:
			return true
		}
		return add(id, pc)
	}) {
		add(m.rt[rtGoexit], 0)
	}
	if n > 0 {
		dst := m.heap.Writable(p, uint32(n*8))
		for i, pc := range pcs {
			putWord(dst[i*8:], pc)
		}
	}
	r.Set(0, n)
	return Next
}

func putWord(b []byte, w uint64) {
	for i := range 8 {
		b[i] = byte(w >> (8 * i))
	}
}

// pcInfo implements runtime.pcInfo and, with start, runtime.funcInfo.
func (m *Machine) pcInfo(g *goroutine, r Regs, start bool) Ctl {
	id, pc := uint32(r.U(0)>>32), uint32(r.U(0))
	var f *bytecode.Func
	if id != 0 && id < uint32(len(m.link.Code)) && (m.link.Code[id] != nil || m.link.SSA(id) != nil) {
		f = m.code(id)
	}
	if f == nil || int(pc) > len(f.Code) {
		r.Set(4, 0)
		m.setString(g, r, 0, "")
		return m.setString(g, r, 2, "")
	}
	pos := m.fset.Position(f.PosAt(int(pc)))
	if start && f.SSA != nil {
		pos = m.fset.Position(f.SSA.Pos())
	}
	m.setString(g, r, 0, funcName(f))
	// The program sees a model in the directory of the file that it replaces.
	if model, ok := strings.CutPrefix(pos.Filename, "$hbcheck/"); ok {
		pos.Filename = m.prog.GOROOT + "/src/" + model
	}
	m.setString(g, r, 2, host.SeenPath(m.prog.Recorded(pos.Filename), host.OnWindows))
	r.Set(4, uint64(pos.Line))
	return Next
}

// nativeRand is the runtime's random number generator, for uses whose values the program cannot
// observe.
func nativeRand(m *Machine, g *goroutine, r Regs) Ctl {
	r.Set(0, m.random(g, 0))
	return Next
}
