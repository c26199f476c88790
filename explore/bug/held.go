package bug

import (
	"maps"
	"slices"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// HeldByEntry reports whether rule 2 of the file left.go of package explore holds for the object
// that the goroutine of b waits for: package variables refer to it; or the entry's function made it
// and has ended; or frames of tests that have ended referred to it at a moment of b's schedule. The
// same has to hold for all goroutines that are left at the same place. m is in its initial state,
// and has numbered the goroutines of the schedule. known is false if over returned true before the
// answer was found.
func HeldByEntry(m describe.Machine, b *Bug, over func() bool) (held, known bool) {
	mark := m.Mark()
	defer func() {
		m.Rewind(mark)
		m.Release(mark)
	}()
	objs := awaitedAfter(m, b, over)
	if len(objs) == 0 {
		return false, objs != nil
	}
	maps.DeleteFunc(objs, func(g trace.GID, list []uint32) bool {
		//mutant: a test that waits forever on purpose is wrong [test ./cmd/hbcheck TestScripts/left]: "m.HangsInTest(g)" -> "false"
		if m.HangsInTest(g) || b.Loop < 0 && slices.ContainsFunc(wakers(m, g), m.HangsInTest) {
			return true
		}
		//mutant: package variables hold nothing [test ./explore TestLeftBehind|TestLeftLoops]: "|| m.HeldByVariables(list)" -> ""
		return m.EntryEnded() && m.EntryMade(list) || m.HeldByVariables(list)
	})
	running := m.RunningTests()
	// Most objects are held for a long time, so a few states of a long schedule are inspected first.
	for _, every := range [...]int{64, 1} {
		m.Rewind(mark)
		for i, a := range b.Schedule {
			if len(objs) == 0 || over() || m.EntryEnded() {
				break
			}
			maps.DeleteFunc(objs, func(g trace.GID, list []uint32) bool {
				if i%every != 0 {
					return false
				}
				//mutant: what a function leaves may stay, too [test ./explore TestLeftBehind]: "m.TestsHolding(list, g)" -> "[]trace.GID{g}"
				//mutant: a test that has not ended leaves goroutines [test ./cmd/hbcheck TestScripts/left]: "!slices.Contains(running, t)" -> "len(running) >= 0"
				return slices.ContainsFunc(m.TestsHolding(list, g), func(t trace.GID) bool { return !slices.Contains(running, t) })
			})
			m.Step(a.G, a.Choice)
		}
	}
	known = len(objs) == 0 || !over() && heldInCalls(m, b, objs, running, over)
	return len(objs) == 0, known
}

// awaitedAfter executes b's schedule and returns the objects that each goroutine left at the same place
// waits for; for a loop, the objects that its goroutines read. It returns nil if time is up.
func awaitedAfter(m describe.Machine, b *Bug, over func() bool) map[trace.GID][]uint32 {
	objs := make(map[trace.GID][]uint32)
	reads := b.Loop >= 0
	for i, a := range b.Schedule {
		if i%64 == 0 && over() || m.Status() != por.Running {
			return nil
		}
		if reads && i >= b.Loop {
			objs[a.G] = append(objs[a.G], m.AwaitedBy(a.G)...)
		}
		m.Step(a.G, a.Choice)
	}
	if !reads {
		var left []*Bug
		if b.Early {
			left = Forgotten(m, nil)
		} else {
			left, _ = AtLeaf(m, m.Status(), m.Ending(), nil)
		}
		for _, x := range left {
			//mutant: one that the entry could stop speaks for others [test ./explore TestLeftParts]: "x.Key() == b.Key()" -> "x.G == b.G"
			if x.Key() == b.Key() {
				objs[x.Noted.Waiter] = m.AwaitedBy(x.Noted.Waiter)
				for _, g := range wakers(m, x.Noted.Waiter) {
					objs[x.Noted.Waiter] = append(objs[x.Noted.Waiter], m.AwaitedBy(g)...)
				}
			}
		}
	}
	return objs
}

// wakers returns the goroutines that refer to the object that g waits for and so could wake g, those that
// could wake these, and so on. All these goroutines wait, perhaps because of the entry.
func wakers(m describe.Machine, g trace.GID) (list []trace.GID) {
	all := []trace.GID{g}
	for i := 0; i < len(all); i++ {
		//mutant: who waits for one that the entry has left is left by a function [test ./explore TestLeftBehind]: "m.Referring(m.AwaitedBy(all[i]), all[i])" -> "all[:0]"
		for _, h := range m.Referring(m.AwaitedBy(all[i]), all[i]) {
			if !slices.Contains(all, h) {
				all = append(all, h)
			}
		}
	}
	return all[1:]
}

// heldInCalls removes objects from objs, which has the objects that each goroutine waits for after b's
// schedule. It removes those that tests referred to between two steps, or before the first one: arguments
// and results of their calls. It returns false if time is up.
func heldInCalls(m describe.Machine, b *Bug, objs map[trace.GID][]uint32, running []trace.GID, over func() bool) bool {
	// The calls are observed in two more executions, because objects have other numbers in another
	// execution.
	held, awaited := make(map[trace.GID]bool), make(map[trace.GID][]uint32)
	watch := m.WatchCalls(func(by, test trace.GID, holds func(objs []uint32) bool) {
		//mutant: a test that has not ended has left what it held between two steps [test ./cmd/hbcheck TestScripts/left]: "slices.Contains(running, test)" -> "false"
		if slices.Contains(running, test) {
			return
		}
		for g, list := range awaited {
			//mutant: what a test holds between two steps does not count [test ./explore TestLeftBehind]: "by != g" -> "false"
			held[g] = held[g] || objs[g] != nil && by != g && holds(list)
		}
	})
	for range 2 {
		w, err := m.With(watch, over)
		if err != nil {
			return false
		}
		if awaited = awaitedAfter(w, b, over); awaited == nil {
			return false
		}
	}
	maps.DeleteFunc(objs, func(g trace.GID, _ []uint32) bool { return held[g] })
	return true
}
