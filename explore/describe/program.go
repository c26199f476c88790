package describe

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"time"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/oracle/check"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// NewMachine makes the machine for an entry of a program.
func NewMachine(prog *load.Program, e *load.Entry, cfg vm.Config) (Machine, error) {
	src := newSource(prog)
	selected := cfg.Subtest
	cfg.Subtest = func(name string) bool {
		return (selected == nil || selected(name)) && src.executes(name)
	}
	cfg.Ran = src.ran
	m, err := vm.New(prog, e, cfg)
	if err != nil {
		return nil, err
	}
	return newMachine(m, src, prog, e), nil
}

// machine describes a vm.Machine in source terms.
type machine struct {
	*vm.Machine
	vm.Report
	vm.Environment
	src      *source
	prog     *load.Program
	entry    *load.Entry
	analysis *oracle.Analysis // shared by the oracles on this machine; nil before the first

	last    trace.Op // the operation described last
	inside  bool     // the operation is inside the standard library
	lastE   Event
	elem    string      // value of the map element that the operation is about
	alive   []trace.GID // at the time of the description
	printed [3]string   // on each stream, at the time of the description
	calls   callTree    // the calls in which the described steps were executed
}

var _ Machine = (*machine)(nil)

// Numbered implements Machine.
func (m *machine) Numbered() uint64 { return m.StaticView().Numbered() }

// SharesNumbers implements Machine.
func (m *machine) SharesNumbers() bool { return m.StaticView().SharesNumbers() }

func newMachine(m *vm.Machine, src *source, prog *load.Program, e *load.Entry) *machine {
	return &machine{Machine: m, Report: m.Report(), Environment: m.Environment(), src: src, prog: prog, entry: e, calls: make(callTree)}
}

// Locked implements Covering.
func (m *machine) Locked() map[token.Position]bool {
	all := make(map[token.Position]bool)
	m.EachLocked(func(stack []vm.SourceFrame, contended bool) {
		if at, ok := userFrame(stack); ok && !at.Std {
			pos := Plain(at.Pos)
			pos.Column = 0
			all[pos] = all[pos] || contended
		}
	})
	return all
}

// Ordered implements Covering. It leaves out internal synchronisation of packages such as testing.
func (m *machine) Ordered() map[Order]uint64 {
	all := make(map[Order]uint64)
	m.EachOrder(func(o vm.Order, times uint64) {
		first, ok := m.place(o.First)
		second, too := m.place(o.Second)
		if ok && too && first != second {
			all[Order{first, second}] += times
		}
	})
	return all
}

// place returns the place of a site; ok is false if the place is not in the user's code.
func (m *machine) place(s vm.Site) (p Place, ok bool) {
	stack := m.SiteStack(s.Stack)
	at, ok := userFrame(stack)
	if !ok || at.Std || internalPackage(stack) != "" {
		return p, false
	}
	p.Pos, p.Kind = Plain(at.Pos), s.Kind
	p.What, _ = m.src.what(s.Kind, p.Pos)
	p.What = strings.TrimPrefix(p.What, "<-")
	p.Pos.Column, p.Pos.Offset = 0, 0
	return p, true
}

// With implements Configured.
func (m *machine) With(change func(*vm.Config), interrupted func() bool) (Machine, error) {
	r, err := m.Machine.With(change, interrupted)
	if err != nil {
		return nil, err
	}
	return newMachine(r, m.src, m.prog, m.entry), nil
}

// VM implements Machine.
func (m *machine) VM() *vm.Machine { return m.Machine }

// Blocks implements Covering.
func (m *machine) Blocks() []load.Block { return m.prog.Blocks() }

// Subtests implements WithSubtests.
func (m *machine) Subtests() (all, skipped []string) { return m.src.executed() }

// RunSubtests implements WithSubtests.
func (m *machine) RunSubtests(all, skipped []string) { m.src.add(all, skipped) }

// Concrete implements WithInputs.
func (m *machine) Concrete(inputs []Input) func(*vm.Config) { return m.Machine.Concrete(Given(inputs)) }

// Replica implements Replicator.
func (m *machine) Replica() (Machine, error) {
	r, err := m.Machine.Replica()
	if err != nil {
		return nil, err
	}
	return newMachine(r, m.src, m.prog, m.entry), nil
}

// RaceIDs implements RaceFinder.
func (m *machine) RaceIDs() []RaceID {
	var ids []RaceID
	for _, r := range m.Races() {
		a, b := r.First, r.Second
		ids = append(ids, RaceID{[2]uint32{a.Site, b.Site}, [2]trace.Kind{a.Kind, b.Kind}, [2]bool{a.Write, b.Write}})
	}
	return ids
}

// RaceSides implements RaceFinder.
func (m *machine) RaceSides(i int) (first, second Access) {
	r := m.Races()[i]
	side := func(s vm.RaceSide) Access {
		stack, created := m.SiteStack(s.Site), m.created(s.G)
		e := m.event(s.G, s.Kind, slices.Concat(stack, created))
		if s.Kind == trace.ReadWrite { // the side of a copy that races
			k := trace.Read
			if s.Write {
				k = trace.Write
			}
			e.What, _ = m.src.what(k, e.Pos)
		}
		return Access{Event: e, Writes: s.Write, Addr: address(r.Obj, r.Off), Obj: r.Obj,
			Stack: stack, Parent: m.Parent(s.G), Created: created, Own: Plain(m.userPos(stack, s.G, e.Pos)), Ended: !m.Alive(s.G)}
	}
	first, second = side(r.First), side(r.Second)
	second.Ended = false // its access is the present step
	return first, second
}

// Oracle implements Facts.
func (m *machine) Oracle(k oracle.Kind, over func() bool) por.Oracle {
	if m.analysis == nil {
		if m.analysis = oracle.AnalyzeUntil(over, m.Machine, m.prog, m.entry); m.analysis == nil {
			return nil
		}
	}
	m.analysis.Until(over)
	return m.analysis.Oracle(k, 0)
}

// Parts implements Facts.
func (m *machine) Parts() por.Parts { return oracle.NewPartition(m.Machine) }

// Cost implements Facts.
func (m *machine) Cost() int { return oracle.Cost(m.prog) }

// Check implements Facts.
func (m *machine) Check(o por.Oracle) *check.Machine {
	return check.NewMachine(m.Machine, m.prog, m.entry, o)
}

// UserPos implements Facts.
func (m *machine) UserPos(g trace.GID, op *trace.Op) token.Position {
	if at, ok := userFrame(m.Stack(g)); ok {
		return at.Pos
	}
	return m.Pos(*op)
}

// userFrame returns the innermost frame outside the standard library; failing that, the innermost
// frame in Go's own library rather than in a model; failing that, the innermost frame.
func userFrame(stack []vm.SourceFrame) (vm.SourceFrame, bool) {
	for _, f := range stack {
		if !f.Std && f.Func != "" {
			return f, true
		}
	}
	if len(stack) == 0 {
		return vm.SourceFrame{}, false
	}
	for _, f := range stack {
		if !strings.HasPrefix(f.Pos.Filename, "$hbcheck/") && f.Func != "" {
			return f, true
		}
	}
	return stack[0], true
}

// created returns the stack at which g was started. If a helper of the library started g, as a
// timer starts the function of AfterFunc, it returns the stack at which the helper was started.
func (m *machine) created(g trace.GID) []vm.SourceFrame {
	stack := m.CreationStack(g)
	if at, ok := userFrame(stack); !ok || !at.Std {
		return stack
	}
	if p := m.Parent(g); p != trace.NoGID && m.System(p) {
		return m.created(p)
	}
	return stack
}

// origin returns the frames of the calls that started g, then those of the calls that started g's
// parent, and so on, up to the first frame in the reader's module.
func (m *machine) origin(g trace.GID) (stack []Frame) {
	for ; g != trace.NoGID; g = m.Parent(g) {
		stack = append(stack, m.CreationStack(g)...)
		if at := OwnPos(stack); at.IsValid() {
			break
		}
	}
	return stack
}

// CaseTaken returns the case that g's pending select takes with an alternative; "" if the operation
// is not a select. Describe must have described it just before.
func (m *machine) CaseTaken(g trace.GID, choice int) string {
	k := m.Next(g).Kind
	if k != trace.Select && k != trace.TrySelect {
		return ""
	}
	switch n := m.Case(g, choice); {
	case n >= 0:
		if text := m.src.selectCase(m.lastE.Pos, n); text != "" {
			return "→ " + text
		}
	case k == trace.TrySelect && m.src.selectCase(m.lastE.Pos, 0) != "":
		return "→ default"
	}
	return ""
}

// NextKey returns the key that g's pending operation visits next with an alternative, if it is a
// loop over a map; otherwise "".
func (m *machine) NextKey(g trace.GID, choice int) string {
	image, t, ok := m.Machine.Report().NextKey(g, choice)
	if !ok {
		return ""
	}
	return cmp.Or(valueText(m.Machine, image, t), "...")
}

// Effect implements Machine.
func (m *machine) Effect() string {
	op := &m.last
	switch k := op.Kind; {
	case k == trace.Go:
		for _, l := range m.Machine.Report().Goroutines() {
			if l.Parent == op.G && !slices.Contains(m.alive, l.ID) {
				return "→ " + m.Name(l.ID)
			}
		}
	//mutant: a clock read that ends a goroutine shows nothing [test ./cmd/hbcheck TestScripts/replayclock]: "k == trace.Clock" -> "k == trace.Clock && m.Alive(op.G)"
	case k == trace.Clock:
		return "= +" + time.Duration(m.Clock(op.G)).String()
	case k == trace.Output:
		for fd := 1; fd <= 2; fd++ {
			if text := strings.TrimPrefix(m.Output(fd), m.printed[fd]); text != "" {
				if len(text) > 30 {
					return strconv.Quote(text[:30]) + "..."
				}
				return strconv.Quote(text)
			}
		}
	case k.Memory():
		if op.N == 0 || m.inside && k.Plain() {
			return ""
		}
		if m.elem != "" {
			return "= " + m.elem
		}
		if v := m.value(); v != "" {
			return "= " + v
		}
	}
	return ""
}

// Contents returns the value in the memory of the operation described last; "" if reports do not
// show it.
func (m *machine) Contents() string {
	if m.elem != "" || !m.last.Kind.Memory() || m.last.N == 0 || m.inside && m.last.Kind.Plain() {
		return ""
	}
	return m.value()
}

// value returns the value in the memory of the operation described last.
func (m *machine) value() string {
	what, t := m.src.what(m.last.Kind, m.lastE.Pos)
	if what == "" && t == nil {
		return "" // neither the expression nor its type is known
	}
	return valueText(m.Machine, m.Memory(m.last.Access[m.last.N-1]), t)
}

// Goroutines implements Machine.
func (m *machine) Goroutines() []Goroutine {
	var gs []Goroutine
	left := m.Left()
	for _, l := range m.Machine.Report().Goroutines() {
		if l.System {
			continue
		}
		g := Goroutine{ID: l.ID, Name: m.Name(l.ID), Parent: l.Parent, Stack: l.Stack, Test: m.TestName(l.ID), Spins: l.Next.Kind == trace.Spin,
			Left: left[l.ID], Signal: m.WaitsForSignal(l.ID)}
		g.Serves, g.Peer = m.WaitsForPeer(l.ID)
		if l.Parent != trace.NoGID {
			g.Created, g.Origin = m.created(l.ID), m.origin(l.ID)
		}
		if !l.Enabled {
			g.Bubble = l.Bubble
			g.For, g.Holders, g.Awaits = l.Wait, m.Holders(l.Next), m.holdings(l.Next)
			if at, ok := userFrame(slices.Concat(l.Stack, m.created(l.ID))); ok {
				g.On, _ = m.src.what(l.Next.Kind, at.Pos)
			}
		}
		gs = append(gs, g)
	}
	return gs
}

// Ending implements Machine.
func (m *machine) Ending() Ending {
	end := Ending{Text: "exit 0", Output: []byte(m.Output(1)), Unsupported: m.CutReason(), Refused: m.Cut().Refused, OverMemory: m.Cut().Cause == vm.CutMemory,
		Interrupted: m.Cut().Cause == vm.CutInterrupted}
	if code, ok := m.Exited(); ok {
		end.Text = fmt.Sprintf("exit %d", code)
		inTest := m.Testing() && !m.Tested()
		if (code != 0 || inTest) && m.Failure() == nil {
			g := m.ExitedIn()
			end.Exit = &Exit{Status: code, InTest: inTest, G: g, Stack: m.Stack(g)}
			end.Exit.Pos = m.userPos(end.Exit.Stack, g, token.Position{})
		}
	}
	switch s := m.Skipped(); {
	case s != nil:
		end.NotRun = &NotRun{Skip: &vm.Skip{Pos: Plain(s.Pos), Text: s.Text}}
	case m.entry.Kind == load.Test && !m.Testing():
		end.NotRun = &NotRun{}
	}
	if m.MainGoexited() {
		end.Goexited = true
		if _, exited := m.Exited(); !exited && m.Status() == por.Ended && m.Fault() == nil {
			fault := *m.Lonely()
			fault.Pos = m.userPos(fault.Frames, fault.G, fault.Pos)
			end.Fault, end.Text = &fault, FaultText(&fault)
		}
	}
	if list := m.Failures(); len(list) > 0 {
		end.Text = "exit 1"
		failures := make([]*Fault, len(list))
		for i, f := range list {
			own := *f
			own.Pos = m.failurePos(f)
			failures[i] = &own
		}
		end.Failure, end.Also = failures[0], failures[1:]
	}
	if f := m.Fault(); f != nil {
		fault := *f
		fault.Pos = m.userPos(f.Frames, f.G, f.Pos)
		end.Text, _, _ = strings.Cut(FaultText(f), "\n")
		end.Fault = &fault
	}
	return end
}

// userPos returns the innermost position in the reader's module on a stack of g; failing that, the
// innermost one outside of the standard library, or where g was started; failing that, pos.
func (m *machine) userPos(stack []Frame, g trace.GID, pos token.Position) token.Position {
	if at := OwnPos(stack, m.origin(g)); at.IsValid() {
		return at
	}
	if at, ok := userFrame(slices.Concat(stack, m.created(g))); ok {
		return at.Pos
	}
	return pos
}

// failurePos returns the position of a test's failure: the same as go test, if it is in the entry's module.
// Otherwise it is the caller in the module, because the reader does not care about a library that compares
// values without calling Helper. The output of an example is compared after it returned, so its position is
// that of the example's declaration.
func (m *machine) failurePos(f *Fault) token.Position {
	//mutant: an example fails in the library [test ./cmd/hbcheck TestScripts/examples]: "m.entry.Example != nil" -> "false"
	if m.entry.Example != nil && !slices.ContainsFunc(f.Frames, func(x Frame) bool { return !x.Std }) {
		return Plain(m.prog.Fset.Position(m.entry.Pos))
	}
	at := slices.IndexFunc(f.Frames, func(x Frame) bool { return x.Pos.Filename == f.Pos.Filename && x.Pos.Line == f.Pos.Line })
	if own := OwnPos(f.Frames); own.IsValid() && at >= 0 && !f.Frames[at].Own {
		return own
	}
	return f.Pos
}

// Counters implements Machine.
func (m *machine) Counters() Counters {
	return Counters{Instructions: m.Machine.Report().Counters().Instructions, Goroutines: m.SpawnCount()}
}

// Once is the end of one execution.
type Once struct {
	Exit        int    // status of the process
	Unsupported string // the construct that the machine refused to execute, if it ended the execution
	OverMemory  bool   // the program needed more memory than allowed
	Failure     *Fault // the first failure that the test reported
	NotRun      *NotRun
	Durations   []time.Duration // durations of its timers and sleeps: without duplicates, at most mostDurations
}

const mostDurations = 64

// RunOnce executes e under one schedule, writing its output as it appears.
func RunOnce(prog *load.Program, e *load.Entry, cfg vm.Config) (Once, error) {
	cfg.Run = true
	var durations []time.Duration
	cfg.Armed = func(ns int64) {
		if d := time.Duration(ns); len(durations) < mostDurations && !slices.Contains(durations, d) {
			durations = append(durations, d)
		}
	}
	m, err := vm.New(prog, e, cfg)
	if err != nil {
		return Once{}, err
	}
	code, unsupported := m.Report().Exit()
	once := Once{Durations: durations, Exit: code, Unsupported: unsupported, OverMemory: m.Report().Cut().Cause == vm.CutMemory, Failure: m.Report().Failure()}
	if e.Kind == load.Test && unsupported == "" && (m.Report().Skipped() != nil || !m.Report().Testing()) {
		once.NotRun = &NotRun{m.Report().Skipped()}
	}
	return once, nil
}
