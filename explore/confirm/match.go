package confirm

import (
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/target"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/static/findings"
	"hbcheck.dev/hbcheck/trace"
)

// A shape says how an execution shows the bug of a finding.
type shape uint8

const (
	never   shape = iota // no single execution shows the bug
	pair                 // a race of the two places
	access               // a race of the place with any other access
	blocked              // a goroutine waits forever at the place
	holding              // a goroutine waits forever at one of the places
	cycle                // goroutines wait for each other at two of the places
	crash                // an execution ends at one of the places
	channel              // a crash, or two places whose close and other operation are not ordered
	counter              // a crash, or the place is not ordered with another use of the WaitGroup
	held                 // a goroutine waits forever for a lock that was taken at one of the places
	woken                // a goroutine waits forever at the place, or fails because others came first after it was woken
	lost                 // a test fails after another goroutine has written between the two places
)

// shapes has the shapes of the checks; a check that is not here is never confirmed.
var shapes = map[string]shape{
	"HBA101": holding, "HBA102": holding, "HBA103": held, "HBA104": crash, "HBA105": crash, "HBA106": crash,
	"HBA107": access, "HBA108": access, "HBA109": holding, "HBA110": cycle, "HBA111": cycle, "HBA112": holding,
	"HBA201": blocked, "HBA202": blocked, "HBA203": channel, "HBA205": blocked, "HBA207": blocked, "HBA208": channel,
	"HBA301": counter, "HBA302": blocked, "HBA304": holding, "HBA305": woken, "HBA306": blocked, "HBA307": access,
	"HBA401": pair, "HBA402": pair, "HBA403": lost, "HBA404": crash, "HBA405": crash, "HBA501": access,
}

// crashTexts has words of the messages of the panics that the checks are about.
var crashTexts = map[string]string{
	"HBA104": "nlock", "HBA105": "nlock", "HBA106": "nlock", "HBA201": "channel", "HBA202": "channel", "HBA203": "channel",
	"HBA205": "channel", "HBA207": "channel", "HBA208": "channel", "HBA301": "WaitGroup", "HBA302": "WaitGroup",
}

// A line is a line of the source.
type line struct {
	file string
	n    int
}

func lineOf(pos token.Position) line { return line{pos.Filename, pos.Line} }

// A claim is a finding with the lines of its places.
type claim struct {
	*findings.Finding
	shape shape
	at    line
	lines []line // the lines of all its places
}

func newClaim(fset *token.FileSet, f *findings.Finding) *claim {
	c := &claim{Finding: f, shape: shapes[f.Code], at: lineOf(fset.Position(f.Pos))}
	c.lines = append(c.lines, c.at)
	for _, r := range f.Related {
		c.lines = append(c.lines, lineOf(fset.Position(r.Pos)))
	}
	return c
}

func (c *claim) has(pos token.Position) bool { return slices.Contains(c.lines, lineOf(pos)) }

// mayShow reports whether b may be the bug of the claim. b's schedule has not been executed again yet.
func (c *claim) mayShow(b *bug.Bug) bool {
	switch c.shape {
	case held, cycle:
		return b.Kind == bug.Deadlock || b.Kind == bug.Leak
	case holding:
		return c.waits(b)
	case lost:
		return b.Kind == bug.Failure || b.Kind == bug.Panic
	case woken:
		return b.Kind == bug.Failure || b.Kind == bug.Panic || c.shownBy(b)
	}
	return c.shownBy(b)
}

// shownBy reports whether b is the bug of the claim.
func (c *claim) shownBy(b *bug.Bug) bool {
	switch c.shape {
	case pair:
		// The place of an atomic access is an example: the plain one races with any other access, too.
		//mutant: confirm: a plain access races with one atomic access only [test ./explore/confirm TestShownBy]: "c.Code == \"HBA402\" || " -> ""
		return c.races(b, func(pos token.Position) bool { return c.Code == "HBA402" || c.has(pos) })
	case access:
		return c.races(b, func(token.Position) bool { return true })
	case blocked:
		return c.waits(b) || b.Kind != bug.Deadlock && b.Kind != bug.Leak && c.crashes(b)
	case holding:
		return c.waits(b) && (c.Code == "HBA304" || c.needs(b))
	case cycle:
		n := 0
		for _, e := range b.Cycle {
			if c.has(e.Pos) || c.hasTaken(b, e) {
				n++
			}
		}
		return (b.Kind == bug.Deadlock || b.Kind == bug.Leak) && n > 1
	case channel:
		return c.crashes(b) || c.races(b, c.has)
	case counter:
		return c.crashes(b) || c.races(b, func(token.Position) bool { return true })
	case crash:
		return c.crashes(b)
	case held:
		return slices.ContainsFunc(b.Goroutines, func(g describe.Goroutine) bool {
			return slices.ContainsFunc(g.Awaits, func(h describe.Holding) bool {
				//mutant: confirm: a goroutine that keeps a lock while it waits has returned with it [test ./explore/confirm TestShownBy]: "!within(b, h)" -> "true"
				return c.has(h.Pos) && !within(b, h)
			})
		})
	case lost:
		return c.mayShow(b) && c.loses(b.Events)
	case woken:
		if b.Kind == bug.Deadlock || b.Kind == bug.Leak {
			return slices.ContainsFunc(waiting(b), func(pos token.Position) bool { return lineOf(pos) == c.at })
		}
		return (b.Kind == bug.Failure || b.Kind == bug.Panic) && c.overtaken(b)
	}
	return false
}

// waits reports whether a goroutine waits forever at the place of the finding, or, for a lock that is held,
// at any of its places.
func (c *claim) waits(b *bug.Bug) bool {
	return (b.Kind == bug.Deadlock || b.Kind == bug.Leak) && slices.ContainsFunc(waiting(b), func(pos token.Position) bool {
		return lineOf(pos) == c.at || c.shape == holding && c.has(pos)
	})
}

// hasTaken reports whether e waits for a lock that was taken at one of the places. It may wait in a
// function that is called, or deferred, at another place of the finding.
func (c *claim) hasTaken(b *bug.Bug, e bug.Edge) bool {
	return slices.ContainsFunc(b.Goroutines, func(g describe.Goroutine) bool {
		return g.ID == e.From && slices.ContainsFunc(g.Awaits, func(h describe.Holding) bool { return h.ID == e.To && c.has(h.Pos) })
	})
}

// needs reports whether a goroutine waits for a lock that was taken at one of the places. If a goroutine
// waits for itself, the one that has the lock has to be in a call at one of the places, too.
func (c *claim) needs(b *bug.Bug) bool {
	at := func(id trace.GID) bool {
		return slices.ContainsFunc(b.Goroutines, func(g describe.Goroutine) bool {
			return g.ID == id && slices.ContainsFunc(g.Stack, func(f describe.Frame) bool { return c.has(f.Pos) })
		})
	}
	return slices.ContainsFunc(b.Goroutines, func(g describe.Goroutine) bool {
		return slices.ContainsFunc(g.Awaits, func(h describe.Holding) bool {
			//mutant: confirm: a lock taken elsewhere confirms a finding [test ./explore/confirm TestShownBy]: "c.has(h.Pos)" -> "true"
			return c.has(h.Pos) && (at(h.ID) || c.Code != "HBA101" && c.Code != "HBA102")
		})
	})
}

// within reports whether the goroutine that has the lock h is still in the function that took it.
func within(b *bug.Bug, h describe.Holding) bool {
	if h.Event < 0 || h.Event >= len(b.Events) {
		return false
	}
	name := b.Events[h.Event].Func
	return slices.ContainsFunc(b.Goroutines, func(g describe.Goroutine) bool {
		return g.ID == h.ID && slices.ContainsFunc(g.Stack, func(f describe.Frame) bool { return f.Func == name })
	})
}

// overtaken reports whether a goroutine has waited for a Cond at the place of the finding, and
// another goroutine has written to memory that the first one had read before. The write must be
// between the signal and the return of Wait. If b is a panic, that goroutine has to be the one that
// panics.
func (c *claim) overtaken(b *bug.Bug) bool {
	for k, wake := range b.Events {
		if wake.Blocked || wake.Kind != trace.WakeLock && wake.Kind != trace.CondWait || lineOf(wake.Pos) != c.at {
			continue
		}
		//mutant: confirm: a panic of any goroutine shows an early signal [test ./explore/confirm TestShownBy]: "b.G != wake.Name" -> "false"
		if b.Kind == bug.Panic && b.G != wake.Name {
			continue
		}
		var written []uint64 // after the signal
		parked, signalled := false, false
		for i := k - 1; i >= 0; i-- {
			switch e := &b.Events[i]; {
			case e.G != wake.G && (e.Kind == trace.Signal || e.Kind == trace.Broadcast):
				signalled = true
			case e.G != wake.G && e.Write && e.Loc != 0 && !signalled:
				//mutant: confirm: nothing is written after a signal [test ./explore/confirm TestShownBy]: "append(written, e.Loc)" -> "written"
				written = append(written, e.Loc)
			case e.G == wake.G && e.Kind == trace.Park:
				parked = true
			case e.G == wake.G && parked && !e.Write && slices.Contains(written, e.Loc):
				return true
			}
		}
	}
	return false
}

// loses reports whether a goroutine loads at a place of the finding and stores at the first place
// of the finding, and another goroutine stores in between.
func (c *claim) loses(events []describe.Event) bool {
	for k, store := range events {
		if store.Blocked || lineOf(store.Pos) != c.at || !store.Write {
			continue
		}
		between := false
		for i := k - 1; i >= 0; i-- {
			e := &events[i]
			if e.Blocked || e.Loc != store.Loc {
				continue
			}
			if e.G != store.G {
				between = between || e.Write
			} else if c.has(e.Pos) {
				//mutant: confirm: an update is lost to no other one [test ./explore/confirm TestShownBy]: "between" -> "true"
				if between && !e.Write {
					return true
				}
				break
			}
		}
	}
	return false
}

// races reports whether b is a race of an access at the place of the finding with another one that
// satisfies wanted.
func (c *claim) races(b *bug.Bug, wanted func(token.Position) bool) bool {
	if b.Kind != bug.Race || b.Accesses == nil {
		return false
	}
	for i := range b.Accesses {
		x, y := &b.Accesses[i], &b.Accesses[1-i]
		//mutant: confirm: a race at any place confirms a finding [test ./explore/confirm TestShownBy]: "lineOf(x.Pos) == c.at || lineOf(x.Own) == c.at" -> "x != nil"
		if (lineOf(x.Pos) == c.at || lineOf(x.Own) == c.at) && (wanted(y.Pos) || wanted(y.Own)) {
			return true
		}
	}
	return false
}

// waiting returns where goroutines wait in a deadlock or a leak.
func waiting(b *bug.Bug) []token.Position {
	list := []token.Position{b.Pos, b.Site}
	for _, r := range b.Related {
		if r.Role == describe.RoleWaits {
			list = append(list, r.Pos)
		}
	}
	for _, e := range b.Cycle {
		list = append(list, e.Pos)
	}
	return list
}

// crashes reports whether b ends the execution in a function that was called from one of the places.
func (c *claim) crashes(b *bug.Bug) bool {
	if b.Kind != bug.Panic && b.Kind != bug.Misuse && (b.Kind != bug.Failure || c.Code != "HBA404") {
		return false
	}
	if d, ok := b.Detail.(bug.Crashed); ok && !strings.Contains(d.Text, crashTexts[c.Code]) {
		return false // such as a nil pointer
	}
	return c.has(b.Pos) || c.has(b.Site) || slices.ContainsFunc(b.Stack, func(f describe.Frame) bool { return !f.Std && c.has(f.Pos) })
}

// target returns the situation in which the bug would occur.
func (c *claim) target(fset *token.FileSet) target.Target {
	place := func(l line) oracle.Place { return oracle.Place{File: filepath.ToSlash(l.file), Line: l.n} }
	other := c.at
	if c.Other != nil {
		other = lineOf(fset.Position(c.Other.Pos))
	} else if c.shape == pair && len(c.lines) > 1 {
		other = c.lines[1]
	}
	switch {
	case c.shape == pair:
		return target.New(por.Meet, place(c.at), place(other))
	case c.shape == cycle:
		var list []oracle.Place
		for _, l := range c.lines {
			if p := place(l); !slices.Contains(list, p) {
				list = append(list, p)
			}
		}
		return target.New(por.Cross, list...)
	}
	if c.shape == lost && len(c.lines) > 1 {
		return target.New(por.Interpose, place(c.lines[1]), place(c.at), place(c.at))
	}
	return target.New(por.Meet, place(c.at))
}
