package report

import (
	"fmt"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/trace"
)

// A cause is a sentence that explains how a schedule leads to its bug, with the steps that it names, from
// 1. The lane diagram always shows these steps.
type cause struct {
	text  string
	steps []int
}

// causeOf returns the cause of b, if it is a failure, a panic or a misuse, by the first pattern that fits.
// The text is empty if none does.
func causeOf(b *bug.Bug) cause {
	all := steps(b.Events)
	for _, find := range []func(*bug.Bug, []*describe.Event) cause{lostUpdate, uncheckedWait, staleRead, closedBefore, overtaken, notRun} {
		if c := find(b, all); c.text != "" {
			return c
		}
	}
	return cause{}
}

// tells reports whether an event is completely known and was executed by the program itself, not by a
// library.
func tells(e *describe.Event) bool { return !e.Brief && e.Internal == "" }

// nameOr returns the name of e's object.
func nameOr(e *describe.Event) string {
	if e.What == "" {
		return "the same location"
	}
	return strings.TrimPrefix(e.What, "<-")
}

// lostUpdate searches for a goroutine that reads a location and later writes it, with a write by another in
// between, and describes the last such place.
func lostUpdate(_ *bug.Bug, all []*describe.Event) cause {
	for k := len(all) - 1; k >= 0; k-- {
		w := all[k]
		if !tells(w) || !changes(w) {
			continue
		}
		// Find the writer's previous access, and a write by another goroutine after it.
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
				return cause{fmt.Sprintf("steps %d-%d of %s are not atomic: it reads %s in step %d and writes it in step %d, but %s writes it in between (step %d).",
					i+1, k+1, w.Name, nameOr(w), i+1, k+1, all[foreign].Name, foreign+1), []int{i + 1, k + 1, foreign + 1}}
			}
			break
		}
	}
	return cause{}
}

// changes reports whether e stores a value that was computed before it.
func changes(e *describe.Event) bool {
	return e.Loc != 0 && e.Write && (e.Kind == trace.Write || e.Kind == trace.AtomicStore)
}

// uncheckedWait searches for a goroutine that waits for a sync.Cond and, once woken, does not repeat its
// check.
func uncheckedWait(b *bug.Bug, all []*describe.Event) cause {
	for w := len(all) - 1; w >= 0; w-- {
		if k := all[w].Kind; k != trace.WakeLock && k != trace.CondWait || !tells(all[w]) {
			continue
		}
		g := all[w].G
		park := previous(all, w, func(e *describe.Event) bool { return e.G == g && e.Kind == trace.Park })
		if park < 0 || b.Kind != bug.Failure && b.G != all[w].Name {
			continue
		}
		check := previous(all, park, func(e *describe.Event) bool {
			return e.G != g || !reads(e) || e.Pos.Line != all[park].Pos.Line
		})
		for check >= 0 && !(all[check].G == g && reads(all[check]) && all[check].Pos.Line != all[park].Pos.Line) {
			if all[check].G == g && all[check].Kind.Row().On == trace.OnLock {
				check = -1 // the goroutine has checked nothing under the lock
				break
			}
			check--
		}
		if check < 0 || slices.ContainsFunc(all[w:], func(e *describe.Event) bool { return e.G == g && e.Pos == all[check].Pos }) {
			continue
		}
		woken := previous(all, w, func(e *describe.Event) bool {
			return e.G != g && (e.Kind == trace.Signal || e.Kind == trace.Broadcast)
		})
		if woken < park {
			continue
		}
		what, who := nameOr(all[check]), all[w].Name
		c := cause{steps: []int{check + 1, park + 1, woken + 1, w + 1}}
		since := ""
		if n := previous(all, w, func(e *describe.Event) bool { return e.G != g && e.Write && e.Loc == all[check].Loc }); n > woken {
			since = fmt.Sprintf(" %s writes it in step %d, before %s has the lock again.", all[n].Name, n+1, who)
			c.steps = append(c.steps, n+1)
		}
		c.text = fmt.Sprintf("%s reads %s in step %d, waits in step %d, is woken by step %d, and does not check %s again when it continues in step %d.%s Call Wait in a loop: for !condition { Wait }.",
			who, what, check+1, park+1, woken+1, what, w+1, since)
		return c
	}
	return cause{}
}

// previous returns the last index before i for which f holds, or -1.
func previous(all []*describe.Event, i int, f func(*describe.Event) bool) int {
	for i--; i >= 0; i-- {
		if all[i].Brief {
			return -1
		}
		if f(all[i]) {
			return i
		}
	}
	return -1
}

// reads reports whether e reads memory of the program, and does not write it.
func reads(e *describe.Event) bool {
	return tells(e) && e.Loc != 0 && !e.Write && e.Kind.Memory()
}

// staleRead searches for a goroutine that checks and then acts, in two critical sections or by two atomic
// operations: it reads a location, is interrupted while another goroutine writes it, and continues without
// reading it again.
//
// A schedule of a big test has a hundred thousand steps, and as many interruptions. So for each
// interruption staleRead inspects only the locations that others write before the goroutine
// continues, and the goroutine's last read of each.
func staleRead(b *bug.Bug, all []*describe.Event) cause {
	type place struct {
		g   trace.GID
		loc uint64
	}
	known := make([]int, len(all)) // no step from there to here is brief
	reading := make(map[place][]int)
	for i, e := range all {
		switch {
		case e.Brief:
			known[i] = i + 1
		case i > 0:
			known[i] = known[i-1]
		}
		if reads(e) {
			reading[place{e.G, e.Loc}] = append(reading[place{e.G, e.Loc}], i)
		}
	}
	next := make(map[trace.GID]int) // the next step of each goroutine
	for p := len(all) - 1; p >= 0; p-- {
		next[all[p].G] = p
		if all[p].Preempts == "" {
			continue
		}
		last := previous(all, p, func(e *describe.Event) bool { return e.Name == all[p].Preempts })
		if last < 0 || next[all[last].G] == 0 {
			continue
		}
		g, end := all[last].G, next[all[last].G]
		written := make(map[uint64]int) // by location: the last step that writes it
		for i := max(p, known[end-1]); i < end; i++ {
			if e := all[i]; e.Write && e.G != g {
				written[e.Loc] = i
			}
		}
		var stale []int // steps that read, the last one first
		for loc := range written {
			of := reading[place{g, loc}]
			//mutant: a read after the interruption counts as one before it [test ./report TestStaleRead]: "last+1" -> "len(all)"
			if n, _ := slices.BinarySearch(of, last+1); n > 0 && of[n-1] >= known[last] {
				stale = append(stale, of[n-1])
			}
		}
		slices.SortFunc(stale, func(i, j int) int { return j - i })
		for _, r := range stale {
			act := acts(b, all, end, all[r])
			if act < 0 {
				continue
			}
			e, w := all[act], written[all[r].Loc]
			return cause{fmt.Sprintf("steps %d-%d of %s are not atomic: it reads %s in step %d and acts on that in step %d (%s), but %s writes it in between (step %d).",
				r+1, act+1, e.Name, nameOr(all[r]), r+1, act+1, doing(e), all[w].Name, w+1),
				[]int{r + 1, act + 1, w + 1}}
		}
	}
	return cause{}
}

// acts returns the first step from index i on by which the goroutine of read changes something, if it does
// not read the same location before; otherwise -1. A write that is part of a compare-and-swap does not count.
func acts(b *bug.Bug, all []*describe.Event, i int, read *describe.Event) int {
	for ; i < len(all); i++ {
		e := all[i]
		if e.G != read.G || !tells(e) {
			continue
		}
		if calls := b.CallsOf(e); len(calls) > 0 && strings.Contains(calls[0].Func, "CompareAndSwap") {
			continue
		}
		row := e.Kind.Row()
		switch {
		//mutant: what is read again was acted upon [test ./report TestCauses]: "!e.Write" -> "false"
		case e.Loc == read.Loc && !e.Write:
			return -1
		case e.Kind == trace.Crash, e.Write && row.On == trace.OnMemory, e.Kind == trace.Close, e.Kind == trace.Send, e.Kind == trace.WgAdd:
			return i
		}
	}
	return -1
}

// closedBefore names the step that has closed the channel, if a misuse or a panic comes from an operation
// on a closed channel.
func closedBefore(b *bug.Bug, all []*describe.Event) cause {
	on := func(e *describe.Event) bool { return e.Kind.Row().On == trace.OnChannel && len(e.Touches) > 0 }
	if b.Kind == bug.Failure {
		return cause{}
	}
	last := previous(all, len(all), func(e *describe.Event) bool { return e.Name == b.G && e.Kind != trace.Crash })
	if last < 0 || !on(all[last]) || all[last].Kind != trace.Close && all[last].Kind != trace.Send {
		return cause{}
	}
	closed := previous(all, last, func(e *describe.Event) bool {
		return e.Kind == trace.Close && slices.ContainsFunc(e.Touches, func(loc uint64) bool { return slices.Contains(all[last].Touches, loc) })
	})
	if closed < 0 {
		return cause{}
	}
	return cause{fmt.Sprintf("%s has closed %s in step %d (%s), before step %d of %s.", all[closed].Name, nameOr(all[closed]), closed+1,
		line(all[closed].Pos), last+1, all[last].Name), []int{closed + 1, last + 1}}
}

// overtaken searches for a goroutine that is interrupted before an operation, so that an operation of
// another goroutine on the same object comes first.
func overtaken(_ *bug.Bug, all []*describe.Event) cause {
	for p := len(all) - 1; p >= 0; p-- {
		if all[p].Preempts == "" {
			continue
		}
		end := p
		for end < len(all) && all[end].Name != all[p].Preempts {
			end++
		}
		if last := previous(all, p, func(e *describe.Event) bool { return e.Name == all[p].Preempts }); end == len(all) && last >= 0 {
			e := all[last]
			return cause{fmt.Sprintf("%s is interrupted after step %d (%s), and the bug occurs before it continues.", e.Name, last+1, doing(e)), []int{last + 1}}
		}
		for n := range 2 * (len(all) - end) { // locks come last: they guard the data that matters
			k := end + n%(len(all)-end)
			if all[k].Brief || all[k].Name != all[p].Preempts {
				continue
			}
			for s := end - 1; s >= p; s-- {
				x, y := all[s], all[k]
				if locks := y.Kind.Row().On == trace.OnLock; conflict(x, y) && (!locks || n >= len(all)-end) {
					return cause{fmt.Sprintf("%s is interrupted before step %d (%s), and step %d of %s (%s) comes first.",
						y.Name, k+1, doing(y), s+1, x.Name, doing(x)), []int{s + 1, k + 1}}
				}
			}
		}
	}
	return cause{}
}

// doing returns a short text for e's operation.
func doing(e *describe.Event) string {
	if e.Internal != "" {
		return strings.TrimSpace(e.Internal + " " + e.What)
	}
	return strings.TrimSpace(e.KindName() + " " + e.What)
}

// conflict reports whether the order of two events may make a difference.
func conflict(x, y *describe.Event) bool {
	if x.Brief || x.Kind.Memory() && y.Kind.Memory() && !x.Write && !y.Write {
		return false
	}
	for _, loc := range x.Touches {
		if slices.Contains(y.Touches, loc) {
			return true
		}
	}
	return false
}

// notRun names the goroutines that had been started and had not run when the bug showed.
func notRun(b *bug.Bug, _ []*describe.Event) cause {
	if b.FailsAtStart || b.Preemptions > 0 || len(b.Inputs) > 0 {
		return cause{}
	}
	var late []string
	for _, x := range b.NotRun[:min(len(b.NotRun), maxPlaces)] {
		late = append(late, fmt.Sprintf("%s (started at %s)", x.Goroutine, line(x.Pos)))
	}
	switch n := len(late); n {
	case 0:
		return cause{}
	case 1:
		return cause{text: late[0] + " has not run yet."}
	default:
		return cause{text: strings.Join(late[:n-1], ", ") + " and " + late[n-1] + " have not run yet."}
	}
}
