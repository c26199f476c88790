package vm

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
)

// Natives of package testing (load/overlay/_src/testing).

// logFD is the output stream of the logs of tests.
const logFD = 3

var testingNatives = []Native{
	{Name: "testing.hbG", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.Set(0, uint64(g.ID)+1)
		return Next
	}},
	{Name: "testing.hbRuns", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		g.test = strings.Clone(m.string(r, 0))
		return Next
	}},
	{Name: "testing.hbRan", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		if m.cfg.Ran != nil {
			m.cfg.Ran(strings.Clone(m.string(r, 0)))
		}
		return Next
	}},
	{Name: "testing.hbTouch", Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		if r.U(1) != uint64(g.ID)+1 {
			m.syncOp(op, trace.SyncAccess, r.U(0), 1, r.U(2) != 0, true)
		}
		return 1
	}, Fn: nop},
	{Name: "testing.hbAsks", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.SetBool(0, m.facts.Testing&load.TestMethods(r.U(0)) != 0)
		return Next
	}},
	{Name: "testing.hbSelected", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		name := strings.Clone(m.string(r, 0)) // the machine keeps it
		r.SetBool(0, m.cfg.Subtest == nil || m.cfg.Subtest(name))
		return Next
	}},
	{Name: "testing.Short", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.SetBool(0, m.cfg.Short)
		return Next
	}},
	{Name: "testing.hbSite", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		f, pc := m.testSite(g, m.words(r.U(0), r.U(1)))
		pos := m.frame(f, pc).Pos
		r.Set(0, uint64(f.ID)<<32|uint64(uint32(pc)))
		return m.setString(g, r, 1, fmt.Sprintf("%s:%d: ", filepath.Base(pos.Filename), pos.Line))
	}},
	{Name: "testing.hbCaller", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		f, _ := m.testSite(g, nil)
		r.Set(0, uint64(f.ID))
		return Next
	}},
	{Name: "testing.hbLog", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.output(logFD, []byte(m.str(r.U(0), r.U(1))))
		return Next
	}},
	{Name: "testing.hbFailed", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		f, pc := m.testSite(g, m.words(r.U(0), r.U(1)))
		pos := m.frame(f, pc).Pos
		if !pos.IsValid() { // the output of an example is compared after it has returned
			pos = m.prog.Fset.Position(m.entry.Pos)
		}
		m.fails(uint64(f.ID)<<32|uint64(uint32(pc)), &Fault{Kind: TestFailure, Message: strings.Clone(m.string(r, 3)), G: g.ID, Exit: 1, Pos: pos, Frames: m.Report().Stack(g.ID),
			Tests: []string{strings.Clone(m.string(r, 5))}})
		return Next
	}},
	{Name: "testing.hbTestBegins", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.testing = true
		return Next
	}},
	{Name: "testing.hbSkipped", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		if m.skip == nil {
			f, pc := m.testSite(g, m.words(r.U(0), r.U(1)))
			m.skip = &Skip{Pos: m.frame(f, pc).Pos, Text: strings.Clone(m.string(r, 3))}
		}
		return Next
	}},
	{Name: "testing.hbTestDone", Peek: func(m *Machine, _ *goroutine, _ Regs, op *trace.Op) int {
		if m.accessEnd(op, true); op.N > 0 {
			op.Kind = trace.SyncAccess
		}
		return 1
	}, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.tested = true
		if r.U(0) != 0 {
			m.exit = 1
		}
		return Next
	}},
	{Name: "testing.hbLeaves", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		g.leaves = true
		return Next
	}},
	{Name: "testing.hbPanicking", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.SetBool(0, g.panics != 0 && m.word(g.panics, pnFlags)&(pfGoexit|pfRecovered) == 0)
		return Next
	}},
	{Name: "testing.Testing", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		r.SetBool(0, m.entry.Kind == load.Test)
		return Next
	}},
	{Name: "testing.hbUnsupported", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		m.unsupported(g, RefusedMeasure, m.string(r, 0))
		return Stop
	}},
}

// words returns a view of n words of guest memory at p.
func (m *Machine) words(p, n uint64) []uint64 {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*uint64)(m.heap.Load(p, n*8, 0)), n)
}

// testSite returns the innermost frame of g that belongs neither to package testing nor to one of
// the functions helpers.
func (m *Machine) testSite(g *goroutine, helpers []uint64) (fn *bytecode.Func, at int32) {
	m.eachFrame(g, func(f *bytecode.Func, pc int32) bool {
		if f.SSA != nil {
			p := m.prog.PackageOf(f.SSA)
			if p != nil && p.Path == "testing" || slices.Contains(helpers, uint64(f.ID)) {
				return true
			}
		}
		fn, at = f, pc
		return false
	})
	if fn == nil { // the goroutine was started with a method of T
		fn, at = m.link.Code[g.goFunc], g.goPC
	}
	return fn, at
}
