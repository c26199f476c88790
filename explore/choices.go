package explore

import (
	"cmp"
	"go/token"
	"maps"
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// A Choice is what most choices are about: operations at Pos that conflict with one of another
// goroutine that could be executed instead.
type Choice struct {
	Pos  token.Position
	What string  // the expression there
	Part float64 // of the states of sampled executions in which there is such a choice at all
	// Between are the two goroutines that most of these conflicts are between; empty: there are more.
	Between [2]string
}

// choices counts, of the states of executions that are drawn at random, those in which pending
// operations conflict. Every order of these is a branch of an exhaustive search; which of them it
// is in while it runs says less, as it is long among the last ones of an execution.
type choices struct {
	m       Machine
	met     uint64 // such states
	at      map[token.Position]*site
	enabled []trace.GID
	ops     []trace.Op
}

// site is what is known of a position.
type site struct {
	what    string
	met     uint64               // states in which an operation there has a conflict
	last    uint64               // the last of them, counted by choices.met
	between map[[2]string]uint64 // conflicts, by goroutines
}

const (
	sampleEvery  = 16 // steps
	mostCompared = 16 // goroutines that are compared with each other in one state
)

// watch makes the search of s, which samples, count choices.
func (c *choices) watch(s *exploration) {
	c.m = s.m
	over, step := s.cfg.Over, 0
	s.cfg.Over = func() bool { // it is asked after every step
		if step++; step%sampleEvery == 0 {
			c.sample()
		}
		return over()
	}
}

// sample looks at the present state.
func (c *choices) sample() {
	c.enabled = c.m.Enabled(c.enabled[:0])
	c.ops = c.ops[:0]
	for _, g := range c.enabled[:min(len(c.enabled), mostCompared)] {
		c.ops = append(c.ops, c.m.Next(g))
	}
	var events [mostCompared]*Event // those that conflict
	event := func(i int) *Event {
		if events[i] == nil {
			e := c.m.Describe(c.ops[i].G)
			events[i] = &e
		}
		return events[i]
	}
	first := true
	for i := range c.ops {
		for j := range c.ops[:i] {
			if !c.ops[i].Conflicts(&c.ops[j]) {
				continue
			}
			if first {
				c.met++
				first = false
			}
			a, b := event(j), event(i)
			names := [2]string{a.Name, b.Name}
			slices.Sort(names[:])
			c.add(a, names)
			if a.Pos.Filename != b.Pos.Filename || a.Pos.Line != b.Pos.Line {
				c.add(b, names)
			}
		}
	}
}

// add counts a conflict at e's position.
func (c *choices) add(e *Event, names [2]string) {
	if !e.Pos.IsValid() {
		return // of a timer
	}
	pos := token.Position{Filename: e.Pos.Filename, Line: e.Pos.Line}
	x := c.at[pos]
	if x == nil {
		if c.at == nil {
			c.at = make(map[token.Position]*site)
		}
		x = &site{what: e.What, between: make(map[[2]string]uint64)}
		c.at[pos] = x
	}
	if x.last != c.met {
		x.met++
		x.last = c.met
	}
	x.between[names]++
}

// most returns the position that has to do with most conflicts, if it is worth naming.
func (c *choices) most() *Choice {
	const (
		fewest = 32   // states that say something
		least  = 0.25 // the part of one that is worth naming
		half   = 0.5  // of the conflicts of a position, those between two goroutines that are named
	)
	if c.met < fewest || len(c.at) == 0 {
		return nil
	}
	pos := slices.MinFunc(slices.Collect(maps.Keys(c.at)), func(p, q token.Position) int {
		return cmp.Or(cmp.Compare(c.at[q].met, c.at[p].met), cmp.Compare(p.Filename, q.Filename), p.Line-q.Line)
	})
	p := c.at[pos]
	x := &Choice{Pos: pos, What: p.what, Part: float64(p.met) / float64(c.met)}
	if x.Part < least {
		return nil
	}
	names := slices.MinFunc(slices.Collect(maps.Keys(p.between)), func(a, b [2]string) int {
		return cmp.Or(cmp.Compare(p.between[b], p.between[a]), slices.Compare(a[:], b[:]))
	})
	conflicts := uint64(0)
	for _, n := range p.between {
		conflicts += n
	}
	if float64(p.between[names]) >= half*float64(conflicts) {
		x.Between = names
	}
	return x
}
