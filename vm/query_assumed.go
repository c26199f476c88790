package vm

import (
	"go/token"
	"slices"
	"time"
)

// assume records that the machine assumes something at the user's code that g is in, if it is in
// any. The record is not part of the state: assumptions on any path qualify the verdict.
//
// Without a position in the user's code there is no record: no user can change what the library does by
// itself, before the entry or in a goroutine of the library.
func (m *Machine) assume(g *goroutine, what Assumed) {
	if m.cfg.Run {
		return
	}
	if pos, _, ok := m.userFrame(g); ok {
		m.noteAssumed(what, pos)
	}
}

// assumeAlways is assume for assumptions that are reported wherever they are made: at the code that has
// started g, if that is the user's, or without a position.
func (m *Machine) assumeAlways(g *goroutine, what Assumed) {
	if m.cfg.Run {
		return
	}
	pos, _, ok := m.userFrame(g)
	if !ok {
		born := m.Report().CreationStack(g.ID)
		if i := slices.IndexFunc(born, func(f SourceFrame) bool { return !f.Std && f.Pos.IsValid() }); i >= 0 {
			pos = born[i].Pos
		}
	}
	m.noteAssumed(what, pos)
}

func (m *Machine) noteAssumed(what Assumed, pos token.Position) {
	pos.Column, pos.Offset = 0, 0
	if a := (Assumption{what, pos}); !slices.Contains(m.assumed, a) {
		m.assumed = append(m.assumed, a)
	}
}

// assumeCollected is assume for effects of garbage collection, in a native that a library function
// calls. If another library function has called that one, it hides the effects from the program.
func (m *Machine) assumeCollected(g *goroutine, what Assumed) {
	if !m.stdCaller(g) {
		//mutant: when finalizers run is not named [env TestPrograms/finalizer]
		m.assume(g, what)
	}
}

// Assumed returns the machine's assumptions on any path.
func (v Environment) Assumed() []Assumption { return v.m.assumed }

// A Mode is a restriction of the environment that the user has asked for.
type Mode uint8

// The modes.
const (
	ModeVirtualTime   Mode = iota // --time=virtual
	ModeSlack                     // --time=bounded --slack: Environment.Slack
	ModeRandFixed                 // --rand=seed
	ModeMapsInsertion             // --maps=insertion
	ModeSignalsOff                // --signals=sent
	ModeNetFaulty                 // --net=faulty
	ModeInputLen                  // --input-len: Environment.InputLen
	ModeInTurn                    // no flag: Config.InTurn
	NumModes
)

// Modes returns the modes of the machine. The mode of time is no restriction if no goroutine has waited for
// time on any path.
func (v Environment) Modes() []Mode {
	m := v.m
	var list []Mode
	switch {
	case !m.cfg.OrderedTime || !m.cfg.waited.Load():
	case m.cfg.Slack == 0:
		list = append(list, ModeVirtualTime)
	default:
		list = append(list, ModeSlack)
	}
	if m.cfg.RandFixed {
		list = append(list, ModeRandFixed)
	}
	if m.cfg.Maps == MapsInsertion {
		list = append(list, ModeMapsInsertion)
	}
	if m.cfg.SignalsOff && !m.cfg.SignalsAssumed && m.cfg.muted.Load() {
		list = append(list, ModeSignalsOff)
	}
	if m.cfg.NetFaulty {
		list = append(list, ModeNetFaulty)
	}
	if m.cfg.bounded.Load() {
		list = append(list, ModeInputLen)
	}
	if m.cfg.InTurn {
		list = append(list, ModeInTurn)
	}
	return list
}

// InputLen returns the maximum length of strings and slices that are inputs.
func (v Environment) InputLen() int { return max(0, v.m.cfg.InputLen) }

// Slack returns how long goroutines may be busy while time passes: Config.Slack.
func (v Environment) Slack() time.Duration { return time.Duration(v.m.cfg.Slack) }

// assumeCounted records that a number, or a text, is made from a clock read: one of many possible
// ones.
func (m *Machine) assumeCounted(g *goroutine) {
	m.counted = true
	m.assume(g, ClockCounted)
}

// countClock records that g has got the time as a number without a clock read, and that other numbers were
// possible.
func (m *Machine) countClock(g *goroutine) {
	m.takeClock()
	m.assumeCounted(g)
}
