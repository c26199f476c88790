package explore

import (
	"fmt"
	"slices"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/schedule"
	"hbcheck.dev/hbcheck/vm"
)

// A report of a bug has more than the search has recorded. One more execution of the schedule adds the
// rest: the steps in words, the state at the end, how long a goroutine is delayed, and which timer
// overtakes a goroutine.
//
// Claim: a bug that is found is reported, with its final severity, however little time is left. (1)
// The identity of the bug, and Bug.Passes, on which its severity depends, come from the state in
// which the search found the bug. (2) So do the names of the goroutines in its schedule, and a
// replay file needs no more. (3) When time is up, the repetition ends, and the report uses only
// this data: the bug is Untold. A schedule of a program with inputs belongs to another machine, so
// (1) to (3) do not hold for it; it is repeated to its end.

// bugBudget bounds, in transitions, the work on simplifying one bug's schedule: once for searching again,
// and once for trying variants. allBudget bounds the work for all bugs of an entry together. They are
// counts, not times, so that the result is the same on every machine.
const (
	bugBudget = 300_000
	allBudget = 3_000_000
)

// narrateBug simplifies b's schedule and describes b. A mistake of hbcheck itself leaves b untold, and
// does not affect other bugs.
func (s *exploration) narrateBug(b *bug.Bug, budget int) (spent int) {
	found := *b
	defer s.result.survive(func() { *b = found; b.DescribeBriefly(); b.Noted.Movers = nil })
	s.judgeLeft(b)
	if budget > 0 && !b.Noted.Stays && !s.opts.NoMinimise && !b.Warning && !s.limit.passed() {
		s.limit.cuttable = true
		spent = schedule.Minimise(s.m, b, s.opts.POR, s.opts.bounds(), budget, func() bool { return s.limit.passed() || s.limit.mustNarrate(len(found.Schedule)) })
		s.limit.cuttable = false
	}
	s.m.Await(vm.AwaitNever)
	t := s.teller()
	switch err := s.describe(b, t); {
	case err == schedule.ErrNoTime:
		if len(b.Inputs) > 0 {
			found.Inputs, found.Schedule, found.Loop = b.Inputs, b.Schedule, b.Loop
		}
		*b = found
		b.DescribeBriefly()
	case err != nil:
		panic(fmt.Sprintf("BUG: the schedule of %v %+v at %v cannot be repeated: %v", b.Kind, b.Detail, b.Pos, err))
	case !b.Warning:
		if slices.Contains(s.m.Modes(), vm.ModeSlack) {
			b.Delay = t.Delay
		}
		if s.overtaking && b.Loop < 0 {
			b.Overtakes = t.Overtakes
		}
	}
	b.Noted.Movers = nil
	return spent
}

// judgeLeft decides whether b stays: a goroutine that one execution, or every execution, has left.
func (s *exploration) judgeLeft(b *bug.Bug) {
	asked := !b.Noted.Symbolic && (b.Always || b.Noted.Stays && !b.Warning && s.opts.Leaks != LeaksAreErrors)
	if !asked {
		b.Noted.Stays = false
		return
	}
	s.m.Await(vm.AwaitNever)
	held, known := bug.HeldByEntry(s.m, b, s.limit.narrationOver)
	if b.Loop < 0 {
		s.m.Await(s.opts.await())
	}
	//mutant: one that is not judged in time is an error [test ./explore TestLeftInTime]: "!known" -> "known && !known"
	b.Noted.Stays = held || !known
	//mutant: a goroutine that may not stay is not doubted [test ./explore TestLeftDoubted]: "!b.Noted.Stays && " -> "false && "
	s.result.doubted = s.result.doubted || !b.Noted.Stays && !s.opts.doubtsLeft && s.m.DoubtsClock()
	//mutant: one that is left by a function hides beside one of the entry [test ./cmd/hbcheck TestScripts/left]: "b.Always && " -> "false && "
	if b.Always && !b.Noted.Stays {
		b.Warning, b.Always = false, false
		s.result.Verdict = Fail
	}
}

// narrateOutcome describes the schedule of o. A mistake of hbcheck itself leaves the outcome without a
// description, and does not affect other outcomes.
func (s *exploration) narrateOutcome(o *Outcome) (err error) {
	defer s.result.survive(func() { o.Events, err = nil, nil })
	if o.Events, err = schedule.Events(s.m, o.Schedule, s.teller()); err != nil && err != schedule.ErrNoTime {
		panic(fmt.Sprintf("BUG: the schedule of outcome %q cannot be repeated: %v", o.Output, err))
	}
	return err
}

func (s *exploration) teller() *schedule.Teller {
	return schedule.NewTeller(s.m, s.limit.narrationOver)
}
