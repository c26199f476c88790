package report

import (
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// article returns a noun with its indefinite article.
func article(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

// why explains in a sentence or two how the schedule leads to the bug.
func why(b *bug.Bug) string {
	switch b.Kind {
	case bug.Deadlock:
		return whyDeadlock(b)
	case bug.Race:
		if b.StepsApart {
			return whyStepsApart(b) + racePanics(b) + pooled(b)
		}
		x, y := b.Accesses[0], b.Accesses[1]
		return fmt.Sprintf("%s and %s are both about to make their access at the same time: nothing orders %s in %s and %s in %s.",
			x.Name, y.Name, article(verb(x.Verb())), x.Name, article(verb(y.Verb())), y.Name) + racePanics(b) + pooled(b)
	case bug.Leak:
		for _, g := range b.Goroutines {
			if g.Name != b.G {
				continue
			}
			s := "main has returned, and no goroutine is left that"
			if b.Early {
				s = "the program continues, but no goroutine that can still move has a reference by which it"
			}
			s += fmt.Sprintf(" could wake %s%s", g.Name, where(g))
			if len(b.Cycle) > 0 {
				s += ": " + waitsFor(b)
			} else if len(g.Awaits) > 0 {
				s += ": " + holds(b, &g.Awaits[0], g.On)
			}
			return s + "."
		}
	case bug.LeftRunning:
		return fmt.Sprintf("main has returned, time wakes %s, and no goroutine is left that could stop it.", b.G)
	case bug.Livelock:
		if b.Loop < 0 {
			return fmt.Sprintf("%s is again in the state in which an earlier iteration of its loop began, and the loop reads nothing that another goroutine can write.", b.G) + needed(b)
		}
		return fmt.Sprintf("after %s the program is again in the state in which %s began, and every goroutine that could move did.",
			stepName(len(steps(b.Events))), stepName(len(steps(b.Events[:b.LoopEvent]))+1))
	}
	if b.Strands() {
		return whyStranded(b) + needed(b)
	}
	c := causeOf(b)
	return strings.TrimSpace(c.text + needed(b))
}

// decisive returns the steps that the explanation of b names, from 1.
func decisive(b *bug.Bug) []int {
	var list []int
	event := func(i int) {
		if i >= 0 && i < len(b.Events) {
			list = append(list, len(steps(b.Events[:i+1])))
		}
	}
	for _, g := range b.Goroutines {
		for _, h := range g.Awaits {
			event(h.Event)
		}
	}
	if b.Preemptions == 0 && b.Kind != bug.Race && b.Kind != bug.Leak {
		if picks := picks(b); len(picks) <= maxPlaces {
			list = append(list, picks...)
		}
	}
	switch b.Kind {
	case bug.Failure, bug.Panic, bug.Misuse:
		list = append(list, causeOf(b).steps...)
	}
	if b.Pool != nil {
		event(b.Pool.Put)
		event(b.Pool.Got)
	}
	return list
}

// whyStepsApart explains a race between two accesses, where the second is not pending when the first is
// executed.
func whyStepsApart(b *bug.Bug) string {
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

// racePanics names the panic that occurs if two racing operations on a channel are executed in the
// other order.
func racePanics(b *bug.Bug) string {
	verbs := [2]describe.Verb{b.Accesses[0].Verb(), b.Accesses[1].Verb()}
	switch {
	case verbs == [2]describe.Verb{describe.Closes, describe.Closes}:
		return " The second of them panics: close of closed channel."
	case slices.Contains(verbs[:], describe.Closes) && slices.Contains(verbs[:], describe.Sends):
		return " If the close comes first, the send panics: send on closed channel."
	}
	return ""
}

// pooled returns the sentence that a sync.Pool gave the object of a race to one goroutine while the other
// still used it.
func pooled(b *bug.Bug) string {
	p := b.Pool
	if p == nil {
		return ""
	}
	put, got := &b.Events[p.Put], &b.Events[p.Got]
	pool := p.Pool
	if pool == "" {
		pool = "a sync.Pool"
	}
	return fmt.Sprintf(" %s put the object into %s in step %d (%s) and continues to use it; the pool gave it to %s in step %d (%s).",
		put.Name, pool, len(steps(b.Events[:p.Put+1])), line(put.Pos), got.Name, len(steps(b.Events[:p.Got+1])), line(got.Pos))
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

func whyDeadlock(b *bug.Bug) string {
	if len(b.Cycle) > 0 {
		return waitsFor(b) + "." + needed(b)
	}
	var held []string
	for _, g := range b.Goroutines {
		for _, h := range g.Awaits {
			held = append(held, fmt.Sprintf("%s waits for %s, which %s", g.Name, onWhat(g.On), holds(b, &h, g.On)))
		}
	}
	if len(held) > 0 {
		return someHeld(held) + needed(b)
	}
	return allWait(b) + needed(b)
}

// allWait describes what the goroutines of a deadlock without locks wait for: each of a few goroutines, or
// only the reported one of many.
func allWait(b *bug.Bug) string {
	const rest = "every remaining goroutine waits, and only another goroutine could wake it."
	var list []string
	for _, g := range b.Goroutines {
		user := slices.ContainsFunc(g.Stack, func(f describe.Frame) bool { return !f.Std })
		if g.For != "" && !g.Spins && user && (len(b.Goroutines) <= maxPlaces || g.Name == b.G) {
			list = append(list, g.Name+" waits"+waiting(g.Waiting)+placeOf(g))
		}
	}
	//mutant: a deadlock does not name who waits [test ./cmd/hbcheck TestScripts/spin]: "len(list) == 0" -> "true"
	if len(list) == 0 || len(b.Goroutines) == 1 {
		return rest
	}
	return listed(list) + ": " + rest
}

// someHeld joins the first sentences of a list.
func someHeld(list []string) string {
	text := strings.Join(list[:min(len(list), maxPlaces)], "; ")
	if n := len(list) - maxPlaces; n > 0 {
		text += fmt.Sprintf("; and %d more wait for locks", n)
	}
	return text + "."
}

// whyStranded names the goroutines that wait in a bubble whose function has returned.
func whyStranded(b *bug.Bug) string {
	var list []string
	for _, g := range b.Goroutines {
		if g.Bubble != 0 {
			list = append(list, g.Name+" waits forever"+waiting(g.Waiting)+placeOf(g))
		}
	}
	text := strings.Join(list[:min(len(list), maxPlaces)], ", ")
	if n := len(list) - maxPlaces; n > 0 {
		text += fmt.Sprintf(", and %d more wait", n)
	}
	return "the function of the bubble has returned, and " + text + ": in a bubble every goroutine has to end."
}

// onWhat is the name of a lock.
func onWhat(on string) string {
	if on == "" {
		return "a lock"
	}
	return on
}

// holds says who has a lock since when: "g1 locked in step 5 (bank.go:15) and never unlocked: it
// has ended". on is the name of the lock where goroutines wait for it.
func holds(b *bug.Bug, h *describe.Holding, on string) string {
	s := h.G + " locked"
	if at, ok := lockedAt(b, h, on); ok {
		if h.Event >= 0 {
			s += " in"
		}
		s += " " + at
	}
	if h.Ended {
		s += " and never unlocked: it has ended"
	}
	return s
}

// lockedAt returns the place where a lock was taken: "step 7 (bank.go:149, as sa.mu)", or "before step 1
// (bank.go:149)".
func lockedAt(b *bug.Bug, h *describe.Holding, on string) (at string, ok bool) {
	if !h.Pos.IsValid() {
		return "", false
	}
	at = "before step 1"
	if h.Event >= 0 {
		at = stepName(len(steps(b.Events[:h.Event+1])))
	}
	at += " (" + line(h.Pos)
	if h.What != "" && h.What != on {
		at += ", as " + h.What
	}
	return at + ")", true
}

// waitsFor says which goroutine waits for a lock that another one holds, and since when.
func waitsFor(b *bug.Bug) string {
	goroutine := func(id trace.GID) *describe.Goroutine {
		for i := range b.Goroutines {
			if b.Goroutines[i].ID == id {
				return &b.Goroutines[i]
			}
		}
		return &describe.Goroutine{Name: "?"}
	}
	held := make([]*describe.Holding, len(b.Cycle))
	named := make(map[string][]token.Position) // where locks of one name were made
	for i, e := range b.Cycle {
		list := goroutine(e.From).Awaits
		if k := slices.IndexFunc(list, func(h describe.Holding) bool { return h.ID == e.To }); k >= 0 {
			held[i] = &list[k]
			named[e.On] = append(named[e.On], list[k].Made)
		}
	}
	var parts []string
	for i, e := range b.Cycle {
		since, made := "", ""
		if h := held[i]; h != nil {
			if at, ok := lockedAt(b, h, e.On); ok {
				since = " since " + at
			}
			other := func(pos token.Position) bool { return pos != h.Made }
			if h.Made.IsValid() && slices.ContainsFunc(named[e.On], other) { // this distinguishes two of one name
				made = fmt.Sprintf(", made at %s:%d", line(h.Made), h.Made.Column)
			}
		}
		parts = append(parts, fmt.Sprintf("%s waits for %s (%s%s), held by %s%s",
			goroutine(e.From).Name, onWhat(e.On), line(e.Pos), made, goroutine(e.To).Name, since))
	}
	return strings.Join(parts, " → ")
}

// where names the object on which a goroutine waits.
func where(g describe.Goroutine) string {
	s := ""
	if g.For != "" {
		s = " from " + g.For
	}
	if g.On != "" {
		s += " on " + g.On
	}
	return s + placeOf(g)
}

// placeOf is the position of a goroutine, in parentheses.
func placeOf(g describe.Goroutine) string {
	if len(g.Stack) == 0 {
		return ""
	}
	f := g.Stack[max(0, slices.IndexFunc(g.Stack, func(f describe.Frame) bool { return !f.Std }))]
	return fmt.Sprintf(" (%s:%d)", filepath.Base(f.Pos.Filename), f.Pos.Line)
}

// needed says how many preemptions the schedule needs, and how much time.
func needed(b *bug.Bug) string {
	passes := ""
	if d := b.Delay; d != nil {
		passes = fmt.Sprintf("%v to pass while %s could run", d.For, d.Runner)
	}
	switch {
	case b.Preemptions == 0 && passes == "":
		return onlyThis(b)
	case b.Preemptions == 0:
		//mutant: the choices beside a delay are not named [test ./report TestOnlyThis]: "listed(append([]string{passes}, choices(b)...))" -> "passes"
		return fmt.Sprintf(" It needs no preemption, but %s.", listed(append([]string{passes}, choices(b)...)))
	case passes != "":
		passes = ", and " + passes
	}
	if b.Minimal {
		return fmt.Sprintf(" It takes %s%s.", count(b.Preemptions, "preemption"), passes)
	}
	return fmt.Sprintf(" This schedule has %s%s.", count(b.Preemptions, "preemption"), strings.Replace(passes, "to pass", "pass", 1))
}

// onlyThis says what a schedule without preemptions needs: an order, inputs, drawn values.
func onlyThis(b *bug.Bug) string {
	if len(b.Inputs) == 0 && b.FailsAtStart {
		return " It happens before the first step, so in every schedule" + withValues(b.Drawn) + "."
	}
	var list []string
	if movers(b) > 1 {
		list = append(list, "this order")
	}
	if len(b.Inputs) > 0 {
		list = append(list, "these inputs")
	}
	if list = append(list, choices(b)...); len(list) == 0 {
		return " It needs no preemption."
	}
	return " It needs no preemption, only " + listed(list) + "."
}

// withValues names values of the environment that were not tried in all ways: " with these values: math/rand"
// with its position.
func withValues(drawn []vm.Assumption) string {
	var words []string
	for _, a := range drawn {
		words = append(words, fmt.Sprintf("%s (%s)", assumptions[a.What].what, line(a.Pos)))
	}
	if len(words) == 0 {
		return ""
	}
	return " with these values: " + someOf(words)
}

// untilFailure returns the events up to the failure.
func untilFailure(b *bug.Bug) []describe.Event {
	end := slices.IndexFunc(b.Events, func(e describe.Event) bool { return e.Fails })
	//mutant: what comes after a failure is its cause [test ./report TestOnlyThis]: "end < 0 && !b.FailsAtStart" -> "end < 0"
	if end < 0 && !b.FailsAtStart {
		end = len(b.Events) - 1
	}
	return b.Events[:end+1]
}

// movers returns the number of goroutines that move up to the failure, without timers.
func movers(b *bug.Bug) int {
	movers := make(map[trace.GID]bool)
	for _, e := range untilFailure(b) {
		if !e.Blocked && !timer(&e) {
			movers[e.G] = true
		}
	}
	return len(movers)
}

// choices names the values that are chosen up to the failure, and the cases that selects take.
func choices(b *bug.Bug) (list []string) {
	var draws []string
	n := 0
	for _, e := range untilFailure(b) {
		if e.Blocked {
			continue
		}
		n++
		if e.Kind == trace.Choose && e.Internal == "" {
			draws = append(draws, fmt.Sprint(n))
		}
	}
	switch {
	case len(draws) > maxPlaces:
		list = append(list, "these choices")
	case len(draws) > 1:
		list = append(list, "the choices in steps "+listed(draws))
	case len(draws) == 1:
		list = append(list, "the choice in step "+draws[0])
	}
	switch picks := picks(b); {
	case len(picks) > maxPlaces:
		list = append(list, "these cases of selects")
	case len(picks) > 1:
		list = append(list, "the cases that the selects in steps "+listed(picks)+" take")
	case len(picks) == 1:
		list = append(list, fmt.Sprintf("the case that the select in step %d takes", picks[0]))
	}
	return list
}

// picks returns the steps, from 1, of selects that could have taken another case, up to the failure.
func picks(b *bug.Bug) (list []int) {
	if b.FailsAtStart {
		return nil
	}
	n := 0
	for i := range b.Events {
		e := &b.Events[i]
		if !e.Blocked {
			n++
		}
		if e.Picks && e.Internal == "" {
			list = append(list, n)
		}
		if e.Fails {
			break
		}
	}
	return list
}

// listed joins words as a sentence does: a, b and c.
func listed[T any](words []T) string {
	var text string
	for i, w := range words {
		switch i {
		case 0:
		case len(words) - 1:
			text += " and "
		default:
			text += ", "
		}
		text += fmt.Sprint(w)
	}
	return text
}

// steps leaves out the events that are not steps.
func steps(events []describe.Event) []*describe.Event {
	s := make([]*describe.Event, 0, len(events))
	for i := range events {
		if e := &events[i]; !e.Blocked {
			s = append(s, e)
		}
	}
	return s
}

func stepName(n int) string { return fmt.Sprintf("step %d", n) }
