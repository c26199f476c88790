package explore

import (
	"fmt"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/oracle/check"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// NewMachine makes the machine for an entry of a program.
func NewMachine(prog *load.Program, e *load.Entry, cfg vm.Config) (Machine, error) {
	m, err := vm.New(prog, e, cfg)
	if err != nil {
		return nil, err
	}
	return &machine{Machine: m, src: newSource(prog), prog: prog, entry: e}, nil
}

// machine tells about a vm.Machine in source terms.
type machine struct {
	*vm.Machine
	src   *source
	prog  *load.Program
	entry *load.Entry

	last    trace.Op // described last
	inside  bool     // it is inside the standard library
	lastE   Event
	alive   []trace.GID // when it was described
	printed [3]string   // on each stream when it was described
}

var _ Machine = (*machine)(nil)

// Name implements Machine.
func (m *machine) Name(g trace.GID) string {
	path := m.SpawnPath(g)
	if len(path) == 0 {
		return "main"
	}
	var b strings.Builder
	b.WriteByte('g')
	if m.System(g) {
		b.Reset()
		b.WriteString("timer")
	}
	for i, n := range path {
		if i > 0 {
			b.WriteByte('.')
		}
		fmt.Fprint(&b, n+1)
	}
	return b.String()
}

// Describe implements Machine.
func (m *machine) Describe(g trace.GID) Event {
	op := m.Next(g)
	stack := m.Stack(g)
	e := m.event(g, op.Kind, slices.Concat(stack, m.CreationStack(g)))
	m.inside = len(stack) > 0 && stack[0].Std
	m.last, m.lastE = op, e
	m.alive = m.alive[:0]
	for _, l := range m.Machine.Goroutines() {
		m.alive = append(m.alive, l.ID)
	}
	if op.Kind == trace.Output {
		m.printed = [3]string{1: m.Output(1), 2: m.Output(2)}
	}
	return e
}

// event tells an operation of kind k that g executes with the given stack.
func (m *machine) event(g trace.GID, k trace.Kind, stack []vm.SourceFrame) Event {
	e := Event{G: g, Name: m.Name(g), Kind: k}
	if m.System(g) {
		// It executes the machine's own code; there is no place in the program.
		e.What = "fires"
		return e
	}
	if at, ok := userFrame(stack); ok {
		e.Func, e.Pos = at.Func, plain(at.Pos)
	}
	switch k {
	case trace.Spin:
		e.What = ShortFunc(e.Func)
		return e
	case trace.Crash: // its message follows
		return e
	}
	e.What, _ = m.src.what(k, e.Pos)
	return e
}

// RaceIDs implements raceFinder.
func (m *machine) RaceIDs() []RaceID {
	var ids []RaceID
	for _, r := range m.Races() {
		a, b := r.First, r.Second
		ids = append(ids, RaceID{[2]uint32{a.Site, b.Site}, [2]trace.Kind{a.Kind, b.Kind}, [2]bool{a.Write, b.Write}})
	}
	return ids
}

// RaceSides implements raceFinder.
func (m *machine) RaceSides(i int) (first, second Access) {
	r := m.Races()[i]
	side := func(s vm.RaceSide) Access {
		stack := m.SiteStack(s.Site)
		return Access{Event: m.event(s.G, s.Kind, slices.Concat(stack, m.CreationStack(s.G))), Writes: s.Write, Addr: address(r.Obj, r.Off), Stack: frames(stack),
			Parent: m.Parent(s.G), Created: frames(m.CreationStack(s.G)), Ended: !m.Alive(s.G)}
	}
	first, second = side(r.First), side(r.Second)
	second.Ended = false // not when it makes the access
	return first, second
}

// oracle implements hybridMachine.
func (m *machine) oracle(k oracle.Kind) por.Oracle {
	return oracle.New(m.Machine, m.prog, m.entry, k)
}

// patience implements hybridMachine.
func (m *machine) patience() int { return oracle.Cost(m.prog) }

// checkStatic implements staticChecker.
func (m *machine) checkStatic(o por.Oracle) *check.Machine {
	return check.NewMachine(m.Machine, m.prog, m.entry, o)
}

// position returns where the pending operation op of g is in the user's program.
func (m *machine) position(g trace.GID, op *trace.Op) token.Position {
	if at, ok := userFrame(m.Stack(g)); ok {
		return at.Pos
	}
	return m.Pos(*op)
}

// userFrame returns the innermost frame outside the standard library, or else
// the innermost one.
func userFrame(stack []vm.SourceFrame) (vm.SourceFrame, bool) {
	for _, f := range stack {
		if !f.Std && f.Func != "" {
			return f, true
		}
	}
	if len(stack) == 0 {
		return vm.SourceFrame{}, false
	}
	return stack[0], true
}

// Effect implements Machine.
func (m *machine) Effect() string {
	op := &m.last
	switch op.Kind {
	case trace.Go:
		for _, l := range m.Machine.Goroutines() {
			if l.Parent == op.G && !slices.Contains(m.alive, l.ID) {
				return "→ " + m.Name(l.ID)
			}
		}
	case trace.Output:
		for fd := 1; fd <= 2; fd++ {
			if text := strings.TrimPrefix(m.Output(fd), m.printed[fd]); text != "" {
				if len(text) > 30 {
					return strconv.Quote(text[:30]) + "..."
				}
				return strconv.Quote(text)
			}
		}
	case trace.Read, trace.Write, trace.ReadWrite, trace.AtomicLoad, trace.AtomicStore, trace.AtomicRMW:
		if op.N == 0 || m.inside && op.Kind.Plain() {
			return ""
		}
		_, t := m.src.what(op.Kind, m.lastE.Pos)
		if v := valueText(m.Machine, m.Memory(op.Access[op.N-1]), t); v != "" {
			return "= " + v
		}
	}
	return ""
}

// Goroutines implements Machine.
func (m *machine) Goroutines() []Goroutine {
	var gs []Goroutine
	for _, l := range m.Machine.Goroutines() {
		if l.System {
			continue
		}
		g := Goroutine{ID: l.ID, Name: m.Name(l.ID), Parent: l.Parent, Stack: frames(l.Stack), Spins: l.Next.Kind == trace.Spin}
		if l.Parent != trace.NoGID {
			g.Created = frames(m.CreationStack(l.ID))
		}
		if !l.Enabled {
			g.Wait, g.Holders = l.Wait, m.Holders(l.Next)
			if at, ok := userFrame(slices.Concat(l.Stack, m.CreationStack(l.ID))); ok {
				g.On, _ = m.src.what(l.Next.Kind, at.Pos)
			}
		}
		gs = append(gs, g)
	}
	return gs
}

func frames(stack []vm.SourceFrame) []Frame {
	list := make([]Frame, len(stack))
	for i, f := range stack {
		list[i] = Frame{Func: f.Func, Args: f.Args, Pos: plain(f.Pos), PC: uint32(f.PC), Std: f.Std}
	}
	return list
}

// faultKinds are the kinds of bug that the machine's faults are.
var faultKinds = [...]Kind{
	vm.GoPanic: Panic, vm.RuntimePanic: Panic, vm.FatalError: Panic,
	vm.SyncMisuse: Misuse, vm.ChannelMisuse: Misuse, vm.TestFailure: Failure,
}

// Ending implements Machine.
func (m *machine) Ending() Ending {
	end := Ending{Text: "exit 0", Output: []byte(m.Output(1)), Unsupported: m.CutReason(), Sampled: m.Sampled()}
	if code, ok := m.Exited(); ok {
		end.Text = fmt.Sprintf("exit %d", code)
		if f, bad := m.exitFault(code); bad {
			end.Faults = append(end.Faults, f)
		}
	}
	if f := m.Failure(); f != nil {
		text := "test failed"
		if f.Message != "" {
			text += ": " + f.Message
		}
		end.Text = "exit 1"
		end.Faults = append(end.Faults, Fault{Kind: Failure, Message: text, Pos: plain(f.Pos), G: f.G, Stack: frames(f.Frames)})
	}
	f := m.Fault()
	if f == nil {
		return end
	}
	bug := Fault{Kind: faultKinds[f.Kind], Message: f.Text(), Pos: plain(f.Pos), G: f.G, Stack: frames(f.Frames)}
	if !f.Fatal {
		bug.Message = strings.TrimRight(bug.Message, "\n\t")
	}
	if at, ok := userFrame(slices.Concat(f.Frames, m.CreationStack(f.G))); ok {
		bug.Pos = plain(at.Pos)
	}
	end.Text, _, _ = strings.Cut(bug.Message, "\n")
	end.Faults = append(end.Faults, bug)
	return end
}

// exitFault describes that the program has exited by itself, if that is a
// failure: with a status other than 0, as log.Fatal does, or in the middle of a
// test, which package testing takes amiss whatever the status.
func (m *machine) exitFault(code int) (f Fault, bad bool) {
	during := m.entry.Kind == load.Test && !m.Tested()
	if code == 0 && !during || m.Failure() != nil {
		return f, false
	}
	f = Fault{Kind: Failure, Message: fmt.Sprintf("exit status %d", code), G: m.ExitedIn(), Stack: frames(m.Stack(m.ExitedIn()))}
	if during {
		f.Message = fmt.Sprintf("os.Exit(%d) during the test", code)
	}
	if at, ok := userFrame(slices.Concat(m.Stack(f.G), m.CreationStack(f.G))); ok {
		f.Pos = plain(at.Pos)
	}
	return f, true
}

// Counters implements Machine.
func (m *machine) Counters() Counters {
	return Counters{Instructions: m.Machine.Counters().Instructions, Goroutines: m.SpawnCount()}
}

// Once is how one execution ended.
type Once struct {
	Exit        int    // status of the process
	Unsupported string // what the machine refused to execute, if that is why it ended
}

// RunOnce executes e under one schedule, writing its output as it appears.
func RunOnce(prog *load.Program, e *load.Entry, cfg vm.Config) (Once, error) {
	cfg.Run = true
	m, err := vm.New(prog, e, cfg)
	if err != nil {
		return Once{}, err
	}
	code, unsupported := m.Exit()
	return Once{Exit: code, Unsupported: unsupported}, nil
}
