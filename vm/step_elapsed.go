package vm

import (
	"hbcheck.dev/hbcheck/load"
)

// A comparison of durations may involve a duration of the clock, or one of the configuration:
//
//	if timeout == 0 { timeout = time.Minute }
//
// The function alone does not show which of the two (compile, clock.go). If the duration is as small as the
// slack, the comparison turns clock reads into operations. But a program that never computes a duration from
// Times has no duration of the clock:
//
//  1. A duration or number comes from the clock only if, earlier on the path, Sub has computed it
//     from two Times, or a Time was taken apart, or a number was read from the clock (noteElapsed).
//  2. As long as no path has done so, no explored state has such a duration in memory. This holds whether the
//     search reached the state on this path or matched it with another one.
//  3. So comparisons are skipped meanwhile, and the machine records that it has skipped some. If any path
//     of any replica makes a duration later, the search begins again and skips none (needsElapsed).
//
// Packages context and time do not pass on the durations that they compute from deadlines.

// comparesElapsed reports whether a compared duration may come from the clock.
func (m *Machine) comparesElapsed() bool {
	a := m.cfg.absolute
	if m.cfg.Elapsed || a.elapsed.Load() {
		return true
	}
	if !a.passed.Load() {
		a.passed.Store(true)
	}
	return false
}

// needsElapsed reports whether the search is inconclusive, because it skipped comparisons.
func (m *Machine) needsElapsed() bool {
	a := m.cfg.absolute
	//mutant: comparisons that were passed over are not repeated [env TestPrograms/clockelapsedlate]: "!m.cfg.Elapsed && a.elapsed.Load()" -> "false"
	return !m.cfg.Elapsed && a.elapsed.Load() && a.passed.Load()
}

// noteElapsed records that g computes a duration or a number from a clock value.
func (m *Machine) noteElapsed(g *goroutine) {
	if m.cfg.absolute.elapsed.Load() {
		return
	}
	if p := m.timesCaller(g); p != nil && !(p.Std && p.Path == "context") {
		m.cfg.absolute.elapsed.Store(true)
	}
}

// timesCaller returns the innermost package, other than time, whose code g executes; or nil.
func (m *Machine) timesCaller(g *goroutine) (found *load.Package) {
	m.eachLogicalFrame(g, func(id uint32, _ int32, _ uint32) bool {
		f := m.code(id)
		if id == 0 || f.SSA == nil {
			return true
		}
		if p := m.prog.PackageOf(original(f.SSA)); p != nil && p.Path != "time" {
			found = p
		}
		return found == nil
	})
	return found
}
