package debug

import (
	"fmt"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// A Goroutine is a goroutine that has not ended.
type Goroutine struct {
	ID     trace.GID
	Name   string
	Helper bool // a goroutine of the models: a timer
	// Running: it is in the middle of a step. Otherwise Next is its pending operation, Enabled
	// reports whether that can be executed, and Holders are the goroutines that keep it from being
	// executed.
	Running bool
	Next    describe.Event
	Enabled bool
	Wait    string // the runtime's word for the event for which it waits
	Holders []string
}

// Goroutines returns the goroutines that have not ended: main, its children, their children.
func (s *Session) Goroutines() (list []Goroutine) {
	for _, g := range s.vm.Report().Goroutines() {
		x := Goroutine{ID: g.ID, Name: s.Name(g.ID), Helper: g.System, Running: s.vm.Debugger().Running(g.ID)}
		if !x.Running && s.at.Step >= 0 {
			x.Next, x.Enabled = s.m.Describe(g.ID), g.Enabled
			if !g.Enabled {
				x.Wait = g.Wait
				x.Holders = s.nameAll(s.vm.Report().Holders(s.vm.Next(g.ID)))
			}
		}
		list = append(list, x)
	}
	return list
}

// A Held is a lock that a goroutine holds.
type Held struct {
	Name   string
	Step   int // number of the step in which it was acquired, from 0
	Shared bool
}

// observation returns the observation of the schedule, nil if the schedule is too long.
func (s *Session) observation() *describe.Observation {
	if s.seen == nil && len(s.moves) <= describe.MaxObserved && s.at.Step >= 0 {
		here, current := s.at, s.current
		s.goTo(Place{})
		schedule := make(trace.Schedule, 0, len(s.moves))
		for s.at.Step < len(s.moves) { // names are those of goroutines of this machine
			for _, g := range s.vm.Pending(nil) {
				if s.m.Name(g) == s.moves[s.at.Step].name {
					schedule = append(schedule, trace.Step{G: g, Choice: s.moves[s.at.Step].choice})
				}
			}
			s.execute()
			s.arrive()
		}
		s.rewindTo(0)
		s.seen = describe.Observe(s.m, schedule, nil)
		s.goTo(here)
		s.current = current
	}
	return s.seen
}

// executed returns the number of steps whose operation has been executed.
func (s *Session) executed() int {
	if s.at.Tick > 1 && s.at.Step >= 0 {
		return s.at.Step + 1
	}
	return max(s.at.Step, 0)
}

// Held returns the locks that a goroutine holds.
func (s *Session) Held(name string) (list []Held) {
	o := s.observation()
	if o == nil {
		return nil
	}
	type lock struct {
		Held
		loc uint64
	}
	var held []lock
	for i := range min(s.executed(), len(o.States)) {
		st := &o.States[i]
		if s.moves[i].name != name {
			continue
		}
		if k := slices.IndexFunc(held, func(l lock) bool { return l.loc == st.Released }); st.Released != 0 && k >= 0 {
			held = slices.Delete(held, k, k+1)
		}
		if st.Acquired != 0 {
			held = append(held, lock{Held{s.moves[i].ev.What, i, st.Shared}, st.Acquired})
		}
	}
	for _, l := range held {
		list = append(list, l.Held)
	}
	return list
}

// A Clock is an entry of a goroutine's vector clock: the last step of another goroutine that happens before
// its next step.
type Clock struct {
	Name string
	Step int // from 0
}

// Clocks returns the vector clock of a goroutine: for each other goroutine, the last step that
// happens before the next step of this one, by the relation of the Go memory model.
func (s *Session) Clocks(name string) (list []Clock) {
	o := s.observation()
	if o == nil {
		return nil
	}
	steps := make(map[string][]int)
	for i := range min(s.executed(), len(o.States)) {
		steps[s.moves[i].name] = append(steps[s.moves[i].name], i)
	}
	// If a step happens before the goroutine's next step, so do all earlier steps of its own
	// goroutine, and the steps that happen before these.
	known := make(map[string]int) // by goroutine: how many of its steps happen before this one
	var learn func(g string, n int)
	learn = func(g string, n int) {
		for k := known[g]; k < n; k++ {
			known[g] = k + 1
			for _, x := range o.States[steps[g][k]].After {
				h := s.moves[x].name
				if m, _ := slices.BinarySearch(steps[h], x); m >= known[h] {
					learn(h, m+1)
				}
			}
		}
	}
	learn(name, len(steps[name]))
	for g, n := range known {
		if g != name && n > 0 {
			list = append(list, Clock{g, steps[g][n-1]})
		}
	}
	slices.SortFunc(list, func(a, b Clock) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// A Choice is a goroutine that could have moved in a step.
type Choice struct {
	Name  string
	Next  describe.Event // the step it would have made
	Taken bool           // this goroutine moved
	// Later is the step, from 0, in which the schedule executes that operation; -1: there is none.
	Later int
	// Conflicts are the steps from this one up to Later with which its operation may not commute:
	// if it moved here, the order would be different. If there are none, the behaviour would be the
	// same.
	Conflicts []int
}

// Choices returns the goroutines that could move in the next or current step, and why the others were not
// chosen.
func (s *Session) Choices() (list []Choice, err error) {
	i := s.at.Step
	switch {
	case i < 0:
		return nil, fmt.Errorf("main has not reached its first operation: no other goroutine can move yet")
	case i >= len(s.moves):
		if s.m.Status() != por.Running {
			return nil, fmt.Errorf("the program has ended, or no goroutine can move: there is no choice")
		}
		return nil, fmt.Errorf("the schedule ends here")
	}
	o := s.observation()
	here, current := s.at, s.current
	s.goTo(Place{Step: i})
	for _, g := range s.vm.Enabled(nil) {
		c := Choice{Name: s.Name(g), Next: s.m.Describe(g), Taken: s.Name(g) == s.moves[i].name, Later: -1}
		for k := i; k < len(s.moves) && c.Later < 0; k++ {
			if s.moves[k].name == c.Name {
				c.Later = k
			}
		}
		if c.Later > i && o != nil {
			for _, k := range o.States[c.Later].Conflicts {
				if k >= i {
					c.Conflicts = append(c.Conflicts, k)
				}
			}
		}
		list = append(list, c)
	}
	s.goTo(here)
	s.current = current
	return list, nil
}
