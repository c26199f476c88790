package debug

import (
	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/schedule"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// A Place is a place of a session in its schedule: see the package's documentation.
type Place struct {
	Step int // step of the schedule, from 0; -1: the prelude
	Tick int // the next instruction of the step, from 1; 0: none has been executed or shown
}

// A Config describes a session.
type Config struct {
	// New makes the machine, in the state before the first step, and lets it call watch (vm.Config.Watch).
	New  func(watch func(*vm.Machine, vm.Point)) (describe.Machine, error)
	Prog *load.Program // loaded with load.Config.Names
	// Recording is the schedule. Without a recording, the session's schedule is that in which a goroutine
	// continues as long as it can.
	Recording *schedule.Recording
	// Interrupted is asked now and then while the program is executed.
	Interrupted func() bool
}

// A Session is a schedule and a place in it. Its methods are called one at a time.
type Session struct {
	cfg   Config
	m     describe.Machine
	vm    *vm.Machine
	marks []por.Mark // before each step up to the present one
	at    Place
	under *under // the step under way, if there is one

	moves  []move
	bug    *bug.Bug // the bug at the end of the schedule, or nil
	ending string   // or a text that says how the schedule ends
	seen   *describe.Observation

	names     map[*ssa.Function]*names
	lines     map[uint32]*lines // by function number of the present machine
	current   string            // the goroutine for commands
	breaks    []Breakpoint
	lastBreak int
	atBug     bool
}

// A move is one step of a schedule.
type move struct {
	name   string // of the goroutine
	choice int
	ev     describe.Event
}

// under is a step that is executed as a coroutine.
type under struct {
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
	// until is the instruction at which the step is interrupted.
	until func(vm.Point) bool
	leave bool             // the step is to be executed to its end
	point vm.Point         // the point where it is interrupted
	made  describe.Machine // the machine that the prelude made
	err   error            // the error of the prelude, which made no machine
}

// mostSteps bounds the length of a schedule that was not recorded.
const mostSteps = 100_000

// Open begins a session before the first instruction of the entry. The error is an
// *explore.Divergence if the schedule was recorded from another program.
func Open(cfg Config) (*Session, error) {
	s := &Session{cfg: cfg}
	if err := s.restart(); err != nil {
		return nil, err
	}
	if cfg.Recording != nil {
		events, bug, err := schedule.Replay(s.m, *cfg.Recording)
		if err != nil {
			return nil, err
		}
		s.setMoves(events)
		s.bug = bug
	} else {
		d := schedule.Straight(s.m, mostSteps, s.interrupted)
		s.setMoves(d.Events)
		s.bug, s.ending = d.Bug, d.Ending
	}
	s.rewindTo(0)
	s.Begin()
	return s, nil
}

func (s *Session) interrupted() bool { return s.cfg.Interrupted != nil && s.cfg.Interrupted() }

// restart makes a machine and opens its first mark.
func (s *Session) restart() error {
	m, err := s.cfg.New(s.watch)
	if err != nil {
		return err
	}
	s.adopt(m)
	return nil
}

// adopt takes m, which is before the first step.
func (s *Session) adopt(m describe.Machine) {
	s.m = m
	if v := m.VM(); v != s.vm {
		s.use(v)
	}
	s.vm.Debugger().SetWatched(false)
	s.marks = append(s.marks[:0], m.Mark())
	s.at = Place{}
}

// use makes m the session's machine. It drops facts about functions, because they belong to the
// compilation of the machine before.
func (s *Session) use(m *vm.Machine) {
	s.vm, s.lines, s.names = m, make(map[uint32]*lines), make(map[*ssa.Function]*names)
}

// rewindTo goes back to the mark before a step.
func (s *Session) rewindTo(step int) {
	s.m.Rewind(s.marks[step])
	s.marks = s.marks[:step+1]
	s.at = Place{Step: step}
}

// setMoves sets the schedule to that of events.
func (s *Session) setMoves(events []describe.Event) {
	s.moves, s.seen = s.moves[:0:0], nil
	for _, e := range events {
		if !e.Blocked {
			s.moves = append(s.moves, move{e.Name, e.Choice, e})
		}
	}
}

// Place returns where the session is.
func (s *Session) Place() Place { return s.at }

// Steps returns how many steps the schedule has.
func (s *Session) Steps() int { return len(s.moves) }

// Step returns step i of the schedule.
func (s *Session) Step(i int) describe.Event { return s.moves[i].ev }

// Bug returns the bug at the end of the schedule, or nil. For a schedule that was not recorded and
// shows no bug, ending says how it ends.
func (s *Session) Bug() (bug *bug.Bug, ending string) { return s.bug, s.ending }

// AtEnd reports whether all steps of the schedule have been executed.
func (s *Session) AtEnd() bool { return s.at.Step == len(s.moves) }

// Begin goes to the first line of the program: of the entry, or of a function that the library calls before
// it, such as TestMain.
func (s *Session) Begin() {
	s.goTo(Place{-1, 1})
	s.forward(func(v *visit) bool { return v.user && v.starts }, func() bool { return false })
	s.selectMover()
}

// Current returns the goroutine for commands. Select changes it.
func (s *Session) Current() (g trace.GID, ok bool) { return s.Find(s.current) }

// Select makes the goroutine of that name, if there is one, the goroutine for commands.
func (s *Session) Select(name string) bool {
	_, ok := s.Find(name)
	if ok {
		s.current = name
	}
	return ok
}

// Output returns the program's standard output up to this place.
func (s *Session) Output() string { return s.vm.Report().Output(1) }

// Name returns the name of a goroutine.
func (s *Session) Name(g trace.GID) string {
	if s.at.Step < 0 && g == 0 {
		return "main" // there is no describe.Machine yet
	}
	return s.m.Name(g)
}

// Find returns the goroutine of a name that has not ended.
func (s *Session) Find(name string) (found trace.GID, ok bool) {
	s.vm.Live(func(g trace.GID) {
		if !ok && s.Name(g) == name {
			found, ok = g, true
		}
	})
	return found, ok
}
