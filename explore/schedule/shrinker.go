package schedule

import (
	"slices"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// Shrinking a schedule.

// attemptSlack is the number of steps that an execution may take beyond twice those of the schedule it
// follows. The bound is finite, and large enough for a program that has lost its bug to end.
const attemptSlack = 1000

// A shrinker tries variants of a schedule.
type shrinker struct {
	m     describe.Machine
	shows func() bool // reports whether the present state is the one the schedule is to lead to
	until bool        // the execution may continue from that state; otherwise it ends there
	left  int         // number of steps it may still execute
	over  func() bool // reports whether it has to stop
}

// A variant is a schedule that shows the bug, with its costs.
type variant struct {
	steps                 trace.Schedule
	preemptions, switches int
	end                   por.Hash // fingerprint of the state it leads to
}

// simpler reports whether v is easier to read than w.
func (v *variant) simpler(w *variant) bool {
	if v.preemptions != w.preemptions {
		return v.preemptions < w.preemptions
	}
	if v.switches != w.switches {
		return v.switches < w.switches
	}
	return len(v.steps) < len(w.steps)
}

// attempt executes want as far as possible: it skips steps that are not enabled. If the execution has not
// ended then, it continues without preemptions, within a bound. It returns the executed schedule; ok
// reports whether that shows the bug.
func (c *shrinker) attempt(want trace.Schedule) (v variant, ok bool) { return c.run(want, 0, 0) }

// run is attempt, except that among the steps from lo to hi each goroutine executes as many as it
// can before the next goroutine does.
func (c *shrinker) run(want trace.Schedule, lo, hi int) (v variant, ok bool) {
	straight := newPart(want[lo:hi])
	mark := c.m.Mark()
	defer func() {
		c.m.Rewind(mark)
		c.m.Release(mark)
	}()
	limit := 2*len(want) + attemptSlack
	last := trace.NoGID
	var enabled []trace.GID
	for i := 0; len(v.steps) < limit; {
		if c.until && c.shows() || c.m.Status() != por.Running {
			break
		}
		if c.over() {
			c.left = 0
			return v, false
		}
		enabled = c.m.Enabled(enabled[:0])
		var a trace.Step
		switch {
		case lo <= i && i < hi:
			if a, ok = straight.next(c.m, last, enabled); !ok {
				i = hi
				continue
			}
		case i < len(want):
			a = want[i]
			i++
			if !slices.Contains(enabled, a.G) || a.Choice >= c.m.Alternatives(a.G) {
				continue
			}
		case c.until:
			return v, false
		case slices.Contains(enabled, last):
			a.G = last
		default:
			a.G = enabled[0]
		}
		if last != trace.NoGID && last != a.G {
			v.switches++
			if preempts(c.m, last, a.G, enabled) {
				v.preemptions++
			}
		}
		c.m.Step(a.G, a.Choice)
		c.left--
		v.steps = append(v.steps, a)
		last = a.G
	}
	v.end = c.m.Hash()
	return v, c.shows()
}

// shrink improves v as long as possible.
func (c *shrinker) shrink(v variant) variant {
	for improved := true; improved && c.left > 0; {
		v, improved = c.improve(v)
	}
	return v
}

// split divides a schedule into blocks of steps of one goroutine.
func split(s trace.Schedule) (blocks []trace.Schedule) {
	for len(s) > 0 {
		n := 1
		for n < len(s) && s[n].G == s[0].G {
			n++
		}
		blocks = append(blocks, s[:n])
		s = s[n:]
	}
	return blocks
}

// move returns blocks with block i at index j.
func move(blocks []trace.Schedule, i, j int) []trace.Schedule {
	moved := slices.Delete(slices.Clone(blocks), i, i+1)
	return slices.Insert(moved, j, blocks[i])
}

func join(blocks []trace.Schedule) (s trace.Schedule) {
	for _, b := range blocks {
		s = append(s, b...)
	}
	return s
}

// improve searches for a simpler variant one change away. A schedule is a sequence of blocks of
// steps of one goroutine. A change leaves out a block, or joins it with the next or the previous
// block of the same goroutine:
//
//	main×2 g1×3 main×1 g2×2     the schedule
//	main×2      main×1 g2×2     without its second block
//	main×3 g1×3        g2×2     its third block joined with the first
//	g1×3        main×3 g2×2     its first block joined with the third
//
// improve returns the first variant that is simpler; its caller starts again from there. This is delta
// debugging with blocks as units (Zeller and Hildebrandt, TSE 2002), but not by halves, because the necessary
// steps are usually spread over the whole schedule, and few blocks are left after the search with a bound on
// preemptions.
func (c *shrinker) improve(best variant) (variant, bool) {
	blocks := split(best.steps)
	for i := range blocks {
		var tries []trace.Schedule
		tries = append(tries, join(slices.Delete(slices.Clone(blocks), i, i+1)))
		for j := i + 1; j < len(blocks); j++ {
			if blocks[j][0].G == blocks[i][0].G {
				tries = append(tries, join(move(blocks, i, j-1)), join(move(blocks, j, i+1)))
				break
			}
		}
		for _, t := range tries {
			if c.left <= 0 {
				return best, false
			}
			if v, ok := c.attempt(t); ok && v.simpler(&best) {
				return v, true
			}
		}
	}
	return best, false
}
