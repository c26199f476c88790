package vm

import (
	"go/token"
	"slices"
	"time"
)

// An Assumed is something that the environment of a program decides, and of which the machine has
// tried fewer ways than there are. The rows of docs/dev/model.md say what is tried.
type Assumed uint8

// What can be assumed. RandSampled is the first, NumAssumed the number of the last one and one.
const (
	RandSampled  Assumed = 1 + iota // math/rand: a value from a large range
	BitsSampled                     // crypto/rand, hash/maphash: bits that differ from run to run
	MapOrder                        // map iteration: one order
	MapStarts                       // map iteration: the rotations of one order
	MapInserted                     // map iteration: of the entries inserted during a loop a few are visited
	FinalizerOff                    // runtime.SetFinalizer: the finalizer runs in runtime.GC, and when all wait
	CleanupOff                      // runtime.AddCleanup: likewise
	WeakKept                        // weak.Make: likewise, the pointer is cleared
	PoolKept                        // sync.Pool: it keeps what is put
	MemoryShown                     // runtime.ReadMemStats: figures of a small program at rest
	AddressShown                    // fmt: an address is printed
	AddressUsed                     // unsafe, reflect: an address is a number
	SignalOff                       // os/signal: the signal never arrives
	SignalSome                      // os/signal: only some of many signals arrive
	SignalOnce                      // os/signal: each signal arrives at most once
	StacksShown                     // runtime.Stack: other goroutines are between two operations
	CountedOnce                     // runtime.NumGoroutine: called where nothing counts goroutines
	Concretised                     // hbtest.Nondet: of a value's many values one
	ClockCounted                    // time: a number is made of what the clock shows
	ClockSome                       // time: of what the clock may show not all is tried
	ClockStart                      // time: a date to come is compared with what the clock shows
	WriteTimes                      // os: when a file was written
	NetworkOff                      // net: there is no network, but for the machine itself
	PeersOff                        // net: no other process connects
	FileKept                        // os: a file that the kernel makes when it is read says the same again
	TimedLoop                       // time: a loop until a moment runs a few rounds, then that moment has come
	NumAssumed
)

// An Assumption is that something was assumed somewhere.
type Assumption struct {
	What Assumed
	Pos  token.Position // in the user's code if possible, without a column
}

// assume notes that the machine assumes something at the user's code that g is in, if it is in any.
// That is no part of the state: what was assumed on any path qualifies the verdict.
//
// Without a position in the user's code it is not noted: what the library does by itself, before
// the entry or in a goroutine of its own, no user can do anything about.
func (m *Machine) assume(g *goroutine, what Assumed) {
	if m.cfg.Run {
		return
	}
	if pos, _, ok := m.userFrame(g); ok {
		m.noteAssumed(what, pos)
	}
}

// assumeAlways is assume of what users want to know wherever it is: at the code that has started g, if
// that is the user's, or without a place.
func (m *Machine) assumeAlways(g *goroutine, what Assumed) {
	if m.cfg.Run {
		return
	}
	pos, _, ok := m.userFrame(g)
	if !ok {
		born := m.Report().CreationStack(g.id)
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

// assumeCollected is assume for a library function that calls a native, of what acts when memory is
// collected. What other library functions make of it no program can tell.
func (m *Machine) assumeCollected(g *goroutine, what Assumed) {
	if !m.stdCaller(g) {
		//mutant: when finalizers run is not named [env TestPrograms/finalizer]
		m.assume(g, what)
	}
}

// Assumed returns what the machine has assumed, on any path.
func (v Environment) Assumed() []Assumption { return v.m.assumed }

// A Mode is something that the user has asked the environment to do, and that restricts it.
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

// Modes returns the modes that the machine is in. How time passes restricts nothing as long as no
// goroutine has waited for it on any path.
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
	if m.cfg.SignalsOff && m.cfg.muted.Load() {
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

// InputLen returns how long strings and slices that are inputs are at most.
func (v Environment) InputLen() int { return max(0, v.m.cfg.InputLen) }

// Slack returns how long goroutines may be busy while time passes: Config.Slack.
func (v Environment) Slack() time.Duration { return time.Duration(v.m.cfg.Slack) }
