package report

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/trace"
)

// why explains in a sentence or two what makes the schedule show the bug.
func why(b *explore.Bug) string {
	switch b.Kind {
	case explore.Deadlock:
		return whyDeadlock(b)
	case explore.Race:
		if b.StepsApart {
			return whyStepsApart(b) + racePanics(b)
		}
		x, y := b.Accesses[0], b.Accesses[1]
		return fmt.Sprintf("%s and %s are both about to make their access at the same time: nothing orders a %s in %s and a %s in %s.",
			x.Name, y.Name, verb(x.Verb()), x.Name, verb(y.Verb()), y.Name) + racePanics(b)
	case explore.Leak:
		for _, g := range b.Goroutines {
			if g.Name != b.G {
				continue
			}
			s := "main has returned, and no goroutine is left that"
			if b.Early {
				s = "the program goes on, but no goroutine that can still move has a reference by which it"
			}
			s += fmt.Sprintf(" could wake %s%s", g.Name, where(g))
			if len(b.Cycle) > 0 {
				s += ": " + waitsFor(b)
			}
			return s + "."
		}
	case explore.LeftRunning:
		return fmt.Sprintf("main has returned, time wakes %s, and no goroutine is left that could stop it.", b.G)
	case explore.Livelock:
		if b.Loop < 0 {
			return fmt.Sprintf("%s is again in the state in which an earlier iteration of its loop began, and the loop reads nothing that another goroutine can write.", b.G) + needed(b)
		}
		return fmt.Sprintf("after %s the program is again in the state in which %s began, and every goroutine that could move did.",
			stepName(len(steps(b.Events))), stepName(len(steps(b.Events[:b.LoopEvent]))+1))
	}
	if s := lostUpdate(b.Events); s != "" {
		return s + needed(b)
	}
	return strings.TrimSpace(needed(b))
}

// whyStepsApart explains a race between accesses of which the second is not pending when the first
// is executed.
func whyStepsApart(b *explore.Bug) string {
	x, y := b.Accesses[0], b.Accesses[1]
	s := fmt.Sprintf("nothing orders the %s in %s before the %s in %s: it came first by chance, or because of something that does not synchronise.",
		verb(x.Verb()), x.Name, verb(y.Verb()), y.Name)
	if b.AccessEvents[0] < 0 || b.AccessEvents[1] < 0 {
		return s
	}
	for _, e := range b.Events[b.AccessEvents[0]:b.AccessEvents[1]] {
		if why, ok := noOrder[e.Kind]; ok && !e.Blocked && !e.Brief && e.G == y.G {
			if why = fmt.Sprintf(" %s (%s).", why, line(e.Pos)); !strings.Contains(s, why) {
				s += why
			}
		}
	}
	return s
}

// racePanics names the panic that the other order of a race of two operations on a channel is.
func racePanics(b *explore.Bug) string {
	verbs := [2]explore.Verb{b.Accesses[0].Verb(), b.Accesses[1].Verb()}
	switch {
	case verbs == [2]explore.Verb{explore.Closes, explore.Closes}:
		return " The second of them panics: close of closed channel."
	case slices.Contains(verbs[:], explore.Closes) && slices.Contains(verbs[:], explore.Sends):
		return " If the close comes first, the send panics: send on closed channel."
	}
	return ""
}

// noOrder explains operations that are often mistaken for synchronisation.
var noOrder = map[trace.Kind]string{
	trace.Sleep:     "Sleep orders nothing, however long it takes",
	trace.Clock:     "Reading the clock orders nothing",
	trace.Yield:     "Gosched orders nothing",
	trace.TryLock:   "A TryLock that fails orders nothing",
	trace.TryRLock:  "A TryRLock that fails orders nothing",
	trace.TrySelect: "The default of a select orders nothing",
}

func whyDeadlock(b *explore.Bug) string {
	if len(b.Cycle) == 0 {
		return "every remaining goroutine waits, and only another goroutine could wake it." + needed(b)
	}
	return waitsFor(b) + "." + needed(b)
}

// waitsFor says who waits for what that another goroutine holds.
func waitsFor(b *explore.Bug) string {
	name := func(id trace.GID) string {
		for _, g := range b.Goroutines {
			if g.ID == id {
				return g.Name
			}
		}
		return "?"
	}
	var parts []string
	for _, e := range b.Cycle {
		on := e.On
		if on == "" {
			on = "a lock"
		}
		parts = append(parts, fmt.Sprintf("%s waits for %s (%s), held by %s", name(e.From), on, line(e.Pos), name(e.To)))
	}
	return strings.Join(parts, " → ")
}

// where says what a goroutine waits on.
func where(g explore.Goroutine) string {
	s := ""
	if g.For != "" {
		s = " from " + g.For
	}
	if g.On != "" {
		s += " on " + g.On
	}
	if len(g.Stack) > 0 {
		at := g.Stack[max(0, slices.IndexFunc(g.Stack, func(f explore.Frame) bool { return !f.Std }))]
		s += fmt.Sprintf(" (%s:%d)", filepath.Base(at.Pos.Filename), at.Pos.Line)
	}
	return s
}

// needed says how many preemptions the schedule takes, and how much time.
func needed(b *explore.Bug) string {
	passes := ""
	if d := b.Delay; d != nil {
		passes = fmt.Sprintf("%v to pass while %s could run", d.For, d.Runner)
	}
	switch {
	case b.Preemptions == 0 && passes == "":
		return " It needs no preemption, only this order."
	case b.Preemptions == 0:
		return fmt.Sprintf(" It needs no preemption, but %s.", passes)
	case passes != "":
		passes = ", and " + passes
	}
	if b.Minimal {
		return fmt.Sprintf(" It takes %s%s.", count(b.Preemptions, "preemption"), passes)
	}
	return fmt.Sprintf(" This schedule has %s%s.", count(b.Preemptions, "preemption"), strings.Replace(passes, "to pass", "pass", 1))
}

// lostUpdate looks for a goroutine that reads a location and later writes it,
// with a write by another in between, and describes the last such place.
func lostUpdate(events []explore.Event) string {
	all := steps(events)
	for k := len(all) - 1; k >= 0; k-- {
		w := all[k]
		if !changes(w) {
			continue
		}
		// The latest access by the writer itself, and a foreign write since.
		foreign := -1
		for i := k - 1; i >= 0; i-- {
			e := all[i]
			if e.Brief {
				break
			}
			if e.Loc != w.Loc {
				continue
			}
			if e.G != w.G {
				if foreign < 0 && e.Write {
					foreign = i
				}
				continue
			}
			if foreign >= 0 && !e.Write && e.Kind != trace.Lock {
				name := w.What
				if name == "" {
					name = "the same location"
				}
				return fmt.Sprintf("steps %d-%d of %s are not atomic: it reads %s in step %d and writes it in step %d, but %s writes it in between (step %d).",
					i+1, k+1, w.Name, name, i+1, k+1, all[foreign].Name, foreign+1)
			}
			break
		}
	}
	return ""
}

// changes reports whether e stores a value that was computed before it.
func changes(e *explore.Event) bool {
	return e.Loc != 0 && e.Write && (e.Kind == trace.Write || e.Kind == trace.AtomicStore)
}

// steps leaves out the events that are not steps.
func steps(events []explore.Event) []*explore.Event {
	s := make([]*explore.Event, 0, len(events))
	for i := range events {
		if e := &events[i]; !e.Blocked {
			s = append(s, e)
		}
	}
	return s
}

func stepName(n int) string { return fmt.Sprintf("step %d", n) }
