package confirm

import (
	"cmp"
	"context"
	"fmt"
	"go/token"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/target"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/static/findings"
)

// A Status is the state of knowledge about a finding.
type Status uint8

// The statuses.
const (
	Open Status = iota
	Confirmed
	Refuted
)

var statuses = [...]string{"open", "confirmed", "refuted"}

func (s Status) String() string { return statuses[s] }

// An Answer is the result of executions for a finding.
type Answer struct {
	Status
	Result *explore.Result // result of the entry that confirms the finding
	Bug    *bug.Bug        // the bug that confirms the finding
	By     []string        // the entries whose exhaustive exploration refutes the finding
	Why    string          // why the finding is open, in words
}

// A Config says which findings to check, and how.
type Config struct {
	Prog    *load.Program
	Graph   findings.Calls // its calls show which entries may reach a place; nil: every entry may reach every place
	List    []findings.Finding
	Entries []explore.Entry
	// Explore explores an entry, after change has changed the options: with all explorers, or, if sampled
	// is set, with an explorer that samples.
	Explore func(ctx context.Context, e *explore.Entry, sampled bool, change func(*explore.Options)) (*explore.Result, error)
	// Work bounds the work of all explorations together, and Each that of one; 0: no bound. The work is
	// counted (explore.Options.MaxWork), so the answers are the same on every machine.
	Work, Each uint64

	spent uint64 // work done
}

// Left returns the work that is left.
func (c *Config) Left() uint64 { return c.Work - min(c.spent, c.Work) }

// Over reports whether nothing more can be explored.
func (c *Config) Over(ctx context.Context) bool {
	//mutant: confirm: explorations do as much work as they like [test ./explore/confirm TestWork]: "c.Work > 0" -> "false"
	return ctx.Err() != nil || c.Work > 0 && c.spent >= c.Work
}

// A bound ended the explorations.
type bound struct{ what, flag string }

func (b bound) String() string { return b.what + " (" + b.flag + ")" }

// bound returns the bound because of which nothing more can be explored.
func (c *Config) bound() bound {
	if c.Work > 0 && c.spent >= c.Work {
		return bound{"the work was used up", "--work"}
	}
	return bound{"time was up", "--budget"}
}

// Why returns the reason why nothing more can be explored, in words.
func (c *Config) Why() string { return c.bound().String() }

// leastWork is what an exploration counts at least: making a machine takes time, too.
const leastWork = 10_000

// run is c.Explore within the bounds.
func (c *Config) run(ctx context.Context, e *explore.Entry, sampled bool, change func(*explore.Options)) (*explore.Result, error) {
	r, err := c.Explore(ctx, e, sampled, func(o *explore.Options) {
		if o.MaxWork = c.Each; c.Work > 0 && (o.MaxWork == 0 || c.Left() < o.MaxWork) {
			o.MaxWork = max(1, c.Left())
		}
		change(o)
	})
	if r != nil {
		c.spent += leastWork + max(r.Work, r.Stats.Work())
	}
	return r, err
}

// entry is an entry with the claims that it may confirm.
type entry struct {
	*explore.Entry
	claims []int // numbers
	near   int   // number of claims whose places the call graph reaches
	calls  int   // longest path of calls to the places of a claim, for the nearest claim
	driver bool  // a driver for the claims: samples come first
	lines  int   // number of lines of places that one execution reached (see scout); -1: none; 0: not executed
}

// A state is the state of knowledge about a claim.
type state struct {
	*claim
	answer   Answer
	refuting []string // entries
	open     []string // reasons why entries do not refute the claim
	untried  []string // entries that were not explored
	bound    bound    // the reason for that
}

// Search explores the entries that may reach the places of findings until ctx is done. An entry is first
// explored with all explorers; bugs that belong to no finding are accepted, so that they hide no others. If
// that exploration does not end, samples are aimed at each of the entry's findings.
func (c *Config) Search(ctx context.Context) ([]Answer, error) {
	fset := c.Prog.Fset
	var states []*state
	for i := range c.List {
		states = append(states, &state{claim: newClaim(fset, &c.List[i])})
	}
	list := c.candidates(states)
	if len(list) > few {
		if err := c.scout(ctx, list, states); err != nil {
			return nil, err
		}
	}
	for _, e := range list {
		if c.Over(ctx) {
			for _, i := range e.claims {
				states[i].untried = append(states[i].untried, e.Name)
				states[i].bound = c.bound()
			}
			continue
		}
		if err := c.explore(ctx, e, states); err != nil {
			return nil, err
		}
	}
	var answers []Answer
	for _, s := range states {
		answers = append(answers, s.conclude())
	}
	return answers, nil
}

// candidates returns the entries that may reach all places of a claim: first those with the most claims,
// then those with the shortest paths of calls.
func (c *Config) candidates(states []*state) (list []entry) {
	for i := range c.Entries {
		e := entry{Entry: &c.Entries[i]}
		if e.Source == nil || len(e.Together) > 0 {
			continue
		}
		graph := c.Graph
		if graph == nil {
			graph = findings.Static{Prog: c.Prog}
		}
		reach := findings.NewReach(c.Prog.Fset, graph, e.Source.Func)
		for k, s := range states {
			if s.shape == never {
				continue
			}
			all := true
			for _, p := range s.places() {
				all = all && reach.Has(p)
			}
			if all || c.Graph == nil {
				e.claims = append(e.claims, k)
			}
			if all {
				e.near++
				if n := farthest(reach, s.places()); e.near == 1 || n < e.calls {
					e.calls = n
				}
			}
		}
		if len(e.claims) > 0 {
			list = append(list, e)
		}
	}
	slices.SortStableFunc(list, func(a, b entry) int {
		//mutant: confirm: without a call graph, static calls are ignored [test ./explore/confirm TestStaticOrder]: "b.near, a.near" -> "0, 0"
		return cmp.Or(cmp.Compare(b.near, a.near), cmp.Compare(a.calls, b.calls))
	})
	return list
}

// farthest returns the length of the path of calls to the farthest of places.
func farthest(reach *findings.Reach, places []*findings.Place) (n int) {
	for _, p := range places {
		n = max(n, reach.Calls(p))
	}
	return n
}

const (
	few = 8 // entries that are explored in any order
	// scoutWork bounds the execution that shows which places an entry reaches.
	scoutWork = 1_000_000
)

// scout executes each entry once, and puts those first that reached the most places, because in the call
// graph most tests reach most functions. Entries that reached none come last, after entries that were not
// executed because there was no time. It takes at most a third of the time and of the work.
func (c *Config) scout(ctx context.Context, list []entry, states []*state) error {
	if end, ok := ctx.Deadline(); ok {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, time.Until(end)/3)
		defer stop()
	}
	most := c.spent + c.Left()/3
	over := func() bool { return ctx.Err() != nil || c.Work > 0 && c.spent > most }
	for i := range list {
		e := &list[i]
		if over() {
			break
		}
		r, err := c.run(ctx, e.Entry, true, func(o *explore.Options) {
			if o.MaxExecs = 1; o.MaxWork == 0 || o.MaxWork > scoutWork {
				o.MaxWork = scoutWork
			}
			o.Known = func(*bug.Bug) bool { return true }
		})
		if err != nil {
			return err
		}
		for _, k := range e.claims {
			for _, p := range states[k].places() {
				if reaches(r.Coverage, lineOf(c.Prog.Fset.Position(p.Pos))) {
					e.lines++
				}
			}
		}
		//mutant: confirm: what reached no place comes before what was not executed [test ./explore/confirm TestScoutLast]: "e.lines == 0 && ctx.Err() == nil" -> "false"
		if e.lines == 0 && ctx.Err() == nil {
			e.lines = -1
		}
	}
	//mutant: confirm: where one execution leads says nothing [test ./explore/confirm TestScout]: "b.lines - a.lines" -> "0"
	slices.SortStableFunc(list, func(a, b entry) int { return b.lines - a.lines })
	return nil
}

// Targets returns situations for the findings whose places are all reached, at most as many as most.
func Targets(fset *token.FileSet, list []findings.Finding, reach *findings.Reach, most int) (targets []target.Target) {
	seen := map[string]bool{}
	for i := range list {
		c := newClaim(fset, &list[i])
		if c.shape == never || len(targets) == most || slices.ContainsFunc(c.places(), func(p *findings.Place) bool { return !reach.Has(p) }) {
			continue
		}
		if t := c.target(fset); !seen[t.String()] {
			seen[t.String()] = true
			targets = append(targets, t)
		}
	}
	return targets
}

// places returns the places that an execution has to reach.
func (c *claim) places() []*findings.Place {
	list := []*findings.Place{&c.Place}
	if c.Other != nil && c.shape != access && c.shape != woken {
		return append(list, c.Other)
	}
	if (c.shape == pair || c.shape == cycle) && len(c.Related) > 0 {
		list = append(list, &c.Related[0])
	}
	return list
}

// explore explores one entry for its claims that are not confirmed yet.
func (c *Config) explore(ctx context.Context, e entry, states []*state) error {
	fset := c.Prog.Fset
	open := slices.DeleteFunc(slices.Clone(e.claims), func(i int) bool { return states[i].answer.Status == Confirmed })
	confirm := func(r *explore.Result) (any bool) {
		for _, b := range r.Bugs {
			open = slices.DeleteFunc(open, func(i int) bool {
				//mutant: confirm: a warning confirms a finding [test ./explore/confirm TestWarning]: "b.Warning || " -> ""
				if b.Warning || !states[i].shownBy(b) {
					return false
				}
				states[i].answer = Answer{Status: Confirmed, Result: r, Bug: b}
				any = true
				return true
			})
		}
		return any
	}
	var raced atomic.Bool
	rejected := map[bugKey]bool{} // bugs that seemed to be those of a finding, and are not
	reject := func(r *explore.Result) (any bool) {
		for _, b := range r.Bugs {
			if k := keyOf(b); !b.Warning && !rejected[k] {
				rejected[k], any = true, true
			}
		}
		return any
	}
	known := func(b *bug.Bug) bool {
		if !rejected[keyOf(b)] && slices.ContainsFunc(open, func(i int) bool { return states[i].mayShow(b) }) {
			return false
		}
		if b.Kind == bug.Race {
			raced.Store(true) // later results hold for sequential consistency only
		}
		return true
	}
	aimed := func() (*explore.Result, error) {
		return c.run(ctx, e.Entry, true, func(o *explore.Options) {
			o.Known = known
			for _, i := range open {
				o.Targets = append(o.Targets, states[i].target(fset))
			}
		})
	}
	for e.driver && len(open) > 0 && !c.Over(ctx) {
		r, err := aimed()
		if err != nil {
			return err
		}
		if !confirm(r) && !reject(r) {
			break
		}
	}
	var last *explore.Result
	for len(open) > 0 && !c.Over(ctx) {
		r, err := c.run(ctx, e.Entry, false, func(o *explore.Options) { o.Known = known })
		if err != nil {
			return err
		}
		r.Accept()
		if last = r; confirm(r) || reject(r) {
			continue
		}
		if r.Verdict != explore.Incomplete || e.driver {
			break
		}
		if r, err = aimed(); err != nil {
			return err
		}
		if last.Coverage != nil {
			last.Coverage.Add(r.Coverage)
		}
		if !confirm(r) && !reject(r) {
			break
		}
	}
	if last == nil {
		return nil
	}
	for _, i := range open {
		s := states[i]
		n, all := 0, s.places()
		for _, p := range all {
			if reaches(last.Coverage, lineOf(fset.Position(p.Pos))) {
				n++
			}
		}
		warned := slices.ContainsFunc(last.Bugs, func(b *bug.Bug) bool { return s.shownBy(b) })
		switch {
		case n == 0:
			s.open = append(s.open, e.Name+" reaches none of the places")
		case n < len(all):
			s.open = append(s.open, e.Name+" reaches only one of the places")
		case warned:
			s.open = append(s.open, e.Name+" shows it only as a warning")
		//mutant: confirm: what is incomplete refutes [test ./explore/confirm TestIncompleteSearch]: "last.Verdict != explore.OK" -> "false"
		case last.Verdict != explore.OK:
			s.open = append(s.open, e.Name+" was not explored completely")
		case s.shape == lost:
			s.open = append(s.open, e.Name+" does not fail because of it")
		case raced.Load():
			s.open = append(s.open, e.Name+" has another data race")
		default:
			s.refuting = append(s.refuting, e.Name)
		}
	}
	return nil
}

// A bugKey distinguishes the bugs of an entry.
type bugKey struct {
	kind      bug.Kind
	pos, site token.Position
	detail    bug.Detail
}

func keyOf(b *bug.Bug) bugKey { return bugKey{b.Kind, b.Pos, b.Site, b.Detail} }

// conclude returns the answer after all explorations.
func (s *state) conclude() Answer {
	var left []string // entries that may still show the bug
	for _, why := range s.open {
		if !strings.Contains(why, " reaches ") {
			left = append(left, why)
		}
	}
	switch {
	case s.answer.Status == Confirmed:
	case len(s.refuting) > 0 && len(left)+len(s.untried) == 0:
		s.answer = Answer{Status: Refuted, By: s.refuting}
	case s.shape == never:
		s.answer.Why = "no single execution shows it"
	case len(s.open)+len(s.refuting)+len(s.untried) == 0:
		s.answer.Why = "no test reaches its places"
	default:
		var why []string
		list := s.open
		if len(left) > 0 {
			list = left
		}
		if len(list) > 0 {
			why = append(why, andMore(list))
		}
		if len(s.untried) > 0 {
			why = append(why, fmt.Sprintf("%s before %s (%s)", s.bound.what, andMore(s.untried), s.bound.flag))
		}
		s.answer.Why = strings.Join(why, "; ")
	}
	return s.answer
}

// andMore returns the first of list, and how many others there are.
func andMore(list []string) string {
	if len(list) == 1 {
		return list[0]
	}
	return fmt.Sprintf("%s, and %d more", list[0], len(list)-1)
}
