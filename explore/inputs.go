package explore

import (
	"fmt"
	"slices"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/schedule"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// describe executes b's schedule and fills in the rest of b. If the program has read inputs, b gets the least
// inputs that lead to it, and the schedule of the program with these inputs. A machine without symbolic
// values executes that schedule, which has to show the bug. If there is no time to find such inputs, b keeps
// the schedule that stands for all inputs that lead to b.
func (s *exploration) describe(b *bug.Bug, t *schedule.Teller) error {
	if !b.Noted.Symbolic {
		return s.narrateIn(s.m, b, t)
	}
	mark := s.m.Mark()
	rest := trace.Schedule{}
	loop := b.Loop
	late := false
	for i, a := range b.Schedule {
		if late = t.Ends(s.m, i); late {
			break
		}
		switch {
		case s.m.Next(a.G).Kind != trace.Branch:
			rest = append(rest, a)
		case i < b.Loop:
			loop--
		}
		s.m.Step(a.G, a.Choice)
	}
	var inputs []describe.Input
	ok := false
	if late = late || t.Ends(s.m, 0); !late {
		inputs, ok = s.m.Inputs()
	}
	s.m.Rewind(mark)
	s.m.Release(mark)
	if late {
		return schedule.ErrNoTime
	}
	if !ok || len(inputs) == 0 {
		return s.narrateIn(s.m, b, t)
	}
	c, err := s.m.With(s.m.Concrete(inputs), t.Out)
	if err != nil {
		return err
	}
	c.Await(vm.AwaitNever)
	t.On(c)
	b.Inputs, b.Schedule, b.Loop = inputs, slices.Clip(rest), loop
	switch err := s.narrateIn(c, b, t); {
	case err == schedule.ErrNoTime:
		return err
	case err != nil:
		return fmt.Errorf("with inputs %v: %w", inputs, err)
	}
	return nil
}

// narrateIn is narrate with the Observation that Options.Observe asks for.
func (s *exploration) narrateIn(m describe.Machine, b *bug.Bug, t *schedule.Teller) error {
	if err := schedule.Narrate(m, b, t); err != nil {
		return err
	}
	if s.opts.Observe && len(b.Schedule) <= describe.MaxObserved && !b.Warning && !s.limit.passed() {
		var facts por.Oracle
		if m == s.m && s.opts.kind() != oracle.None && !s.opts.LazyAnalysis {
			facts = m.Oracle(s.opts.kind(), s.limit.passed)
		}
		b.Observation = describe.Observe(m, b.Schedule, facts)
	}
	return nil
}
