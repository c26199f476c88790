package vm

import (
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/trace"
)

// os.Exit(0) is a failure before the test has ended, and none afterwards:
//
//	func TestServe(t *testing.T) {
//		go func() { serve(); os.Exit(0) }()
//	}
//
// So exits depend on the end of the test. That would be one more operation of each test, although few exit.
// When a goroutine other than main exits with status 0, the search begins again, and there the end of the test
// is an operation, on which exits depend (Config.VisibleEnd).

// noteExit records that g exits.
func (m *Machine) noteExit(g *goroutine, status int) {
	if status == 0 && g.parent != trace.NoGID && m.link.entry.Kind == load.Test && !m.cfg.exits.Load() {
		m.cfg.exits.Store(true)
	}
}

// needsEnd reports whether the search is inconclusive, because the end of the test was no operation.
func (m *Machine) needsEnd() bool {
	//mutant: exits do not depend on the end of the test [test ./cmd/hbcheck TestScripts/exits]: "m.cfg.exits.Load()" -> "false"
	return m.cfg.exits.Load() && !m.cfg.VisibleEnd
}

// accessEnd makes op an access to what says whether the test has ended, if its end is visible.
func (m *Machine) accessEnd(op *trace.Op, write bool) {
	if m.link.ends != 0 {
		op.Access[0] = accessOf(m.link.ends, 8, write)
		op.N = 1
	}
}
