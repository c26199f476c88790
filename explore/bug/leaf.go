package bug

import (
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// AtLeaf returns the bugs of the execution that has ended in the present state, and its ending in
// one line.
//
// A stuck execution has these bugs:
//
//	main                   other goroutines   bugs                              ends in
//	waits                  wait               Deadlock: a cycle of the          deadlock
//	                                          wait-for graph, or main blocked
//	waits                  spin               a Livelock each, and Deadlock     deadlock
//	spins                  wait or spin       a Livelock each that spins        livelock
//	has returned           wait               a Leak each                       its status
//	has returned           accept connections a Leak each, a warning            its status
//	has returned           wait for time      a LeftRunning each that nothing   its status
//	                                          can stop
//	has returned           spin               a Livelock each                   its status
//
// If a goroutine waits for a signal or for a connection from another process, other waiting goroutines are
// no bug. Finalizers that could wake a goroutine have run (vm/native_finalize.go).
//
// While main exists the program hangs, and main and the goroutines that wait are one bug. When main has
// returned the process would end, so each waiting goroutine is a separate bug, which the user can accept
// (allow). A main function that has called runtime.Goexit counts as existing: the process waits for the
// others.
func AtLeaf(m describe.Machine, status por.Status, end describe.Ending, allow *regexp.Regexp) (bugs []*Bug, ending string) {
	bugs = Faults(m, &end)
	if status != por.Stuck {
		return bugs, end.Text
	}
	gs := m.Goroutines()
	isMain := func(g describe.Goroutine) bool { return g.Parent == trace.NoGID }
	hangs := end.Goexited || slices.ContainsFunc(gs, isMain)
	for _, g := range gs {
		if g.Spins && (isMain(g) || !allowed(g, allow)) {
			bugs = append(bugs, spinBug(g, hangs))
		}
	}
	gs = slices.DeleteFunc(gs, func(g describe.Goroutine) bool { return g.Spins })
	//mutant: waiting for a signal is a deadlock [env TestPrograms/signalwait]: "g.Signal" -> "false"
	if slices.ContainsFunc(gs, func(g describe.Goroutine) bool { return g.Signal }) {
		// The signal may wake that goroutine, which may wake the others.
		if hangs {
			return bugs, "waits for a signal"
		}
		return bugs, end.Text
	}
	if slices.ContainsFunc(gs, func(g describe.Goroutine) bool { return g.Peer }) {
		if hangs {
			return bugs, "waits for another process"
		}
		return bugs, end.Text
	}
	switch {
	case slices.ContainsFunc(gs, isMain), end.Goexited && len(gs) > 0:
		return append(bugs, deadlockBug(gs)), "deadlock"
	case hangs:
		return bugs, "livelock"
	}
	for _, g := range gs {
		if allowed(g, allow) || g.Left == vm.LeftAlive {
			continue
		}
		b := leakBug(gs, g)
		b.leftWith(m, gs, g)
		if g.Left == vm.LeftEndless {
			b.Kind, b.Detail, b.Warning = LeftRunning, LivesOn{describe.TopFunc(g.Stack), g.Waiting}, true
		}
		b.Warning = b.Warning || g.Serves // the goroutine may be meant to live as long as the process
		bugs = append(bugs, b)
	}
	return bugs, end.Text
}

// Forgotten returns the bugs of a state in which the execution continues: a Leak for each goroutine that no
// other one can ever wake. If main and some of these goroutines wait for each other in a cycle, the bug is
// that Deadlock instead. If only main waits, that is no bug, because it may be intended: a server's main
// function often ends with select {}.
func Forgotten(m describe.Machine, allow *regexp.Regexp) (bugs []*Bug) {
	if m.Status() != por.Running {
		return nil
	}
	return ForgottenIn(m, allow)
}

// ForgottenIn is Forgotten, also for a state in which goroutines only loop.
func ForgottenIn(m describe.Machine, allow *regexp.Regexp) (bugs []*Bug) {
	list, mainWaits := m.Forgotten()
	if len(list) == 0 {
		return nil
	}
	waiting := slices.DeleteFunc(m.Goroutines(), func(g describe.Goroutine) bool {
		return !slices.Contains(list, g.ID) && !(mainWaits && g.Parent == trace.NoGID)
	})
	if mainWaits && waitForCycle(waiting) != nil {
		bugs = append(bugs, deadlockBug(waiting))
	} else {
		for _, g := range waiting {
			if g.Parent != trace.NoGID && !allowed(g, allow) {
				b := leakBug(waiting, g)
				if m.EntryEnded() || m.SubtestEnded() || m.HangsInTest(g.ID) {
					b.leftWith(m, waiting, g)
				}
				bugs = append(bugs, b)
			}
		}
	}
	for _, b := range bugs {
		b.Early = true
	}
	return bugs
}

// leftWith decides whether b, the Leak of goroutine g, may stay. gs has g and the holders in b.Cycle. If g
// waits for a lock, the decision depends on the goroutine at the end of the chain of holders, because g can
// continue when that goroutine does.
func (b *Bug) leftWith(m describe.Machine, gs []describe.Goroutine, g describe.Goroutine) {
	for _, e := range b.Cycle {
		g = gs[slices.IndexFunc(gs, func(h describe.Goroutine) bool { return h.ID == e.To })]
	}
	//mutant: who waits for a lock decides alone [test ./explore TestLeftBehind]
	b.Noted.Waiter = g.ID
	//mutant: cycles of locks may stay [test ./explore TestLeftBehind]: "!m.WaitsForLock(g.ID) && len(g.Holders) == 0" -> "true"
	b.Noted.Stays = !m.WaitsForLock(g.ID) && len(g.Holders) == 0
}

// leakBug describes a goroutine that waits forever while main does not.
func leakBug(gs []describe.Goroutine, g describe.Goroutine) *Bug {
	b := &Bug{Kind: Leak, Detail: LeftBehind{describe.TopFunc(g.Stack), g.Waiting},
		Pos: g.Position(), Site: g.Site(), G: g.Name, Loop: -1, Related: StartedAt(g), Cycle: waitChain(gs, g), Noted: Noted{Waiter: g.ID},
		Tests: Innermost(g.Test)}
	for _, e := range b.Cycle {
		if i := slices.IndexFunc(gs, func(h describe.Goroutine) bool { return h.ID == e.To }); i >= 0 && e.To != g.ID {
			b.Related = append(b.Related, describe.Related{Pos: gs[i].Position(), Role: describe.RoleWaits, Goroutine: gs[i].Name, Waiting: gs[i].Waiting})
		}
	}
	return b
}

// faultKinds maps the machine's faults to kinds of bugs.
var faultKinds = [...]Kind{
	vm.GoPanic: Panic, vm.RuntimePanic: Panic, vm.FatalError: Panic,
	vm.SyncMisuse: Misuse, vm.ChannelMisuse: Misuse, vm.TestFailure: Failure,
}

// Faults returns the bugs of an execution that ended by itself.
func Faults(m describe.Machine, end *describe.Ending) (bugs []*Bug) {
	add := func(k Kind, d Detail, pos token.Position, g trace.GID, stack []describe.Frame) {
		bugs = append(bugs, &Bug{Kind: k, Detail: d, Pos: describe.Plain(pos), Site: describe.PositionOf(stack), G: m.Name(g), Loop: -1, Stack: stack,
			Tests: Innermost(m.TestName(g))})
	}
	if x := end.Exit; x != nil {
		add(Failure, Exited{x.Status, x.InTest}, x.Pos, x.G, x.Stack)
	}
	if f := end.Failure; f != nil {
		for _, f := range append([]*describe.Fault{f}, end.Also...) {
			add(faultKinds[f.Kind], TestFailed{f.Message}, f.Pos, f.G, f.Frames)
			bugs[len(bugs)-1].Tests = Innermost(f.Tests...)
		}
	}
	if f := end.Fault; f != nil {
		add(faultKinds[f.Kind], Crashed{describe.FaultText(f)}, f.Pos, f.G, f.Frames)
	}
	if lacks := m.Lacks(); lacks != vm.LackNothing {
		for _, b := range bugs {
			b.Warning, b.Lacks = true, lacks
		}
	}
	return bugs
}

// allowed reports whether the user accepts a leak of g.
func allowed(g describe.Goroutine, allow *regexp.Regexp) bool {
	return allow != nil && slices.ContainsFunc(g.Stack, func(f describe.Frame) bool { return allow.MatchString(f.Func) })
}

// StartedAt returns where g was started.
func StartedAt(g describe.Goroutine) []describe.Related {
	if len(g.Created) == 0 {
		return nil
	}
	at := describe.OwnPos(g.Origin)
	if !at.IsValid() {
		at = describe.PositionOf(g.Created)
	}
	return []describe.Related{{Pos: at, Role: describe.RoleStarted, Goroutine: g.Name}}
}

// waitedFor returns the goroutine that a deadlock without a cycle is about: main; or, if main waits
// in package testing, the goroutine of a test or subtest that waits elsewhere.
func waitedFor(gs []describe.Goroutine) describe.Goroutine {
	at := gs[0]
	var find func(by trace.GID) bool
	find = func(by trace.GID) bool {
		for _, g := range gs {
			if g.Parent == by && g.IsTest() && (!g.InTesting() || find(g.ID)) {
				if !g.InTesting() {
					at = g
				}
				return true
			}
		}
		return false
	}
	//mutant: a deadlock is where a test is run [test ./cmd/hbcheck TestScripts/nested]: "at.InTesting()" -> "false"
	if at.InTesting() && find(at.ID) {
		return at
	}
	if i := slices.IndexFunc(gs, func(g describe.Goroutine) bool { return !g.InLibrary() }); i >= 0 && at.InLibrary() {
		return gs[i]
	}
	return at
}

// deadlockBug describes a state in which every goroutine waits forever, including the main
// goroutine. Its position is where the first goroutine of a cycle in the wait-for graph waits;
// without a cycle, where main waits, or the test for which main waits.
func deadlockBug(gs []describe.Goroutine) *Bug {
	b := &Bug{Kind: Deadlock, Loop: -1, Cycle: waitForCycle(gs)}
	var at describe.Goroutine
	if len(b.Cycle) > 0 {
		var list []string
		for _, e := range b.Cycle {
			list = append(list, nameOf(gs, e.From))
		}
		b.Detail = WaitCycle{names(list)}
		at = gs[slices.IndexFunc(gs, func(g describe.Goroutine) bool { return g.ID == b.Cycle[0].From })]
	} else {
		at = waitedFor(gs)
		b.Detail = MainBlocked{at.Name, at.Waiting, len(gs) - 1}
	}
	b.Pos, b.Site, b.G, b.Tests = at.Position(), at.Site(), at.Name, Innermost(at.Test)
	for _, g := range gs {
		if g.ID != at.ID {
			b.Related = append(b.Related, describe.Related{Pos: g.Position(), Role: describe.RoleWaits, Goroutine: g.Name, Waiting: g.Waiting})
		}
	}
	return b
}

func names(list []string) Names { return Names(strings.Join(list, " ")) }

func nameOf(gs []describe.Goroutine, id trace.GID) string {
	for _, g := range gs {
		if g.ID == id {
			return g.Name
		}
	}
	return fmt.Sprintf("g?%d", id)
}

// waitForCycle returns a cycle of the wait-for graph, in which each goroutine waits for something
// that the next one holds. It begins with the first goroutine on a cycle. It is nil if there is no
// cycle, as with channels, which no goroutine holds.
func waitForCycle(gs []describe.Goroutine) []Edge {
	index := make(map[trace.GID]int)
	for i, g := range gs {
		index[g.ID] = i
	}
	for start := range gs {
		var path []Edge
		on := make([]bool, len(gs))
		var walk func(i int) bool
		walk = func(i int) bool {
			if on[i] {
				return false
			}
			on[i] = true
			for _, h := range gs[i].Holders {
				j, alive := index[h]
				if !alive {
					continue // a goroutine that has ended holds it forever
				}
				path = append(path, Edge{gs[i].ID, h, gs[i].On, gs[i].Position()})
				if j == start || walk(j) {
					return true
				}
				path = path[:len(path)-1]
			}
			return false
		}
		if walk(start) {
			return path
		}
	}
	return nil
}

// waitChain returns the chain of holders from g: the holder of the lock that g waits for, the holder of the
// lock that this holder waits for, and so on. The chain ends when a goroutine repeats, or waits for nothing
// that another one holds.
func waitChain(gs []describe.Goroutine, g describe.Goroutine) (chain []Edge) {
	seen := []trace.GID{g.ID}
	for {
		next := slices.IndexFunc(gs, func(h describe.Goroutine) bool { return slices.Contains(g.Holders, h.ID) })
		if next < 0 {
			return chain
		}
		h := gs[next]
		chain = append(chain, Edge{g.ID, h.ID, g.On, g.Position()})
		if slices.Contains(seen, h.ID) {
			return chain
		}
		seen = append(seen, h.ID)
		g = h
	}
}

// spinBug describes a goroutine that repeats a loop forever without an effect that another
// goroutine could see or change.
func spinBug(g describe.Goroutine, mainAlive bool) *Bug {
	d := Spins{Goroutine: g.Name, Func: describe.TopFunc(g.Stack), MainEnded: !mainAlive}
	return &Bug{Kind: Livelock, Detail: d, Pos: g.Position(), Site: g.Site(), G: g.Name, Loop: -1, Related: StartedAt(g),
		Tests: Innermost(g.Test)}
}

// InLoop describes the loop path[loop:], which can repeat forever; the present state is on it. It returns nil
// if the user accepts leaks of all goroutines in the loop.
func InLoop(m describe.Machine, path trace.Schedule, loop int, allow *regexp.Regexp) *Bug {
	gs := m.Goroutines()
	var looping []describe.Goroutine
	for _, a := range path[loop:] {
		is := func(g describe.Goroutine) bool { return g.ID == a.G }
		if i := slices.IndexFunc(gs, is); i >= 0 && !slices.ContainsFunc(looping, is) {
			looping = append(looping, gs[i])
		}
	}
	slices.SortFunc(looping, func(a, b describe.Goroutine) int { return int(a.ID) - int(b.ID) })
	mainAlive := slices.ContainsFunc(gs, func(g describe.Goroutine) bool { return g.Parent == trace.NoGID })
	accepted := !mainAlive && !slices.ContainsFunc(looping, func(g describe.Goroutine) bool { return !allowed(g, allow) })
	if len(looping) == 0 || accepted {
		return nil
	}
	at := looping[0]
	b := &Bug{Kind: Livelock, Pos: at.Position(), Site: at.Site(), G: at.Name, Loop: loop, Tests: Innermost(at.Test)}
	var list []string
	for _, g := range looping {
		list = append(list, g.Name)
		if g.ID != at.ID {
			b.Related = append(b.Related, describe.Related{Pos: g.Position(), Role: describe.RoleLoops, Goroutine: g.Name})
		}
	}
	b.Detail = Loops{names(list), !mainAlive}
	for _, g := range looping {
		if b.Noted.Stays = !mainAlive && m.EntryEnded(); b.Noted.Stays {
			b.Noted.Parts = append(b.Noted.Parts, &Bug{Kind: Livelock, Detail: LeftLooping{describe.TopFunc(g.Stack)}, Pos: g.Position(), Site: g.Site(),
				G: g.Name, Loop: loop, Related: StartedAt(g), Noted: Noted{Waiter: g.ID}, Tests: Innermost(g.Test)})
		}
	}
	return b
}
