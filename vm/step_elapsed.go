package vm

// A duration that is compared may come from the clock, or from what the program is configured with:
//
//	if timeout == 0 { timeout = time.Minute }
//
// In the function alone that is not seen (compile, clock.go), and if it is as small as the slack, looks
// become operations for it. But a program in which no duration is ever made of Times has none of the clock:
//
//  1. A duration or number comes from the clock only if, earlier on the path, Sub has made it of two Times,
//     or a Time was taken apart, or the clock was asked for a number (noteElapsed).
//  2. As long as that has happened on no path, no state that has been explored has one in memory, whether it
//     was reached on this path or taken for one that was.
//  3. So a comparison is passed over as long as that is so, which is noted. If a duration is made later, on
//     any path of any replica, the search begins again and passes none over (needsElapsed).
//
// What package context makes of a deadline it keeps, and so does package time what it makes for itself.

// comparesElapsed reports whether a duration that is compared may be the clock's.
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

// needsElapsed reports whether what has been explored says nothing, as comparisons were passed over.
func (m *Machine) needsElapsed() bool {
	a := m.cfg.absolute
	//mutant: comparisons that were passed over are not repeated [env TestPrograms/clockelapsedlate]: "!m.cfg.Elapsed && a.elapsed.Load()" -> "false"
	return !m.cfg.Elapsed && a.elapsed.Load() && a.passed.Load()
}

// noteElapsed notes that g makes a duration or a number of what the clock has shown.
func (m *Machine) noteElapsed(g *goroutine) {
	if m.cfg.absolute.elapsed.Load() {
		return
	}
	keeps := true
	m.eachLogicalFrame(g, func(id uint32, _ int32, _ uint32) bool {
		f := m.code(id)
		if id == 0 || f.SSA == nil {
			return true
		}
		p := m.link.prog.PackageOf(original(f.SSA))
		if p == nil || p.Path == "time" {
			return true
		}
		keeps = p.Std && p.Path == "context"
		return false
	})
	if !keeps {
		m.cfg.absolute.elapsed.Store(true)
	}
}
