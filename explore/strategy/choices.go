package strategy

import (
	"cmp"
	"go/token"
	"maps"
	"slices"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/trace"
)

// Choices counts, in executions drawn at random, the states in which pending operations conflict. An
// exhaustive search branches over every order of these. The branches of a running search say less, because a
// search stays among the last choices of one execution for a long time.
type Choices struct {
	m       describe.Machine
	met     uint64 // number of states in which operations conflict
	at      map[token.Position]*site
	enabled []trace.GID
	ops     []trace.Op
}

// site has the counts of one position.
type site struct {
	what    string
	met     uint64               // number of states in which an operation there has a conflict
	last    uint64               // the last of these states, as a value of Choices.met
	between map[[2]string]uint64 // conflicts, by goroutines
}

const (
	sampleEvery  = 16 // steps
	mostCompared = 16 // goroutines to compare with each other in one state
)

// Watch returns a function to call in place of over, after every step of a search that samples: it counts
// choices of m.
func (c *Choices) Watch(m describe.Machine, over func() bool) func() bool {
	c.m = m
	step := 0
	return func() bool {
		if step++; step%sampleEvery == 0 {
			c.sample()
		}
		return over()
	}
}

// sample counts the conflicts of the present state.
func (c *Choices) sample() {
	c.enabled = c.m.Enabled(c.enabled[:0])
	c.ops = c.ops[:0]
	for _, g := range c.enabled[:min(len(c.enabled), mostCompared)] {
		c.ops = append(c.ops, c.m.Next(g))
	}
	var events [mostCompared]*describe.Event // events of the operations that conflict
	event := func(i int) *describe.Event {
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
func (c *Choices) add(e *describe.Event, names [2]string) {
	if !e.Pos.IsValid() {
		return // the event is a timer's
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

// Most returns the position with the most conflicts, if it is worth reporting.
func (c *Choices) Most() *Choice {
	const (
		fewest = 32   // states for a meaningful count
		least  = 0.25 // least fraction worth reporting
		half   = 0.5  // least fraction of a position's conflicts for reporting two goroutines
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

// A Choice describes most choices of a search: operations at Pos that conflict with an enabled
// operation of another goroutine.
type Choice struct {
	Pos  token.Position
	What string  // the expression there
	Part float64 // fraction of the sampled states with a choice in which this one occurs
	// Between has the two goroutines of most of these conflicts; it is empty if more than two goroutines have
	// them.
	Between [2]string
}
