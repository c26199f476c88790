package check

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/hybrid"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/lookahead"
	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// Machine is a machine that, while it is explored, compares its executions with the results of static
// analyses. After every step:
//
//   - Points-to: the sets of the operands of each goroutine's pending operation contain what the
//     operands point to.
//   - Call graph: it contains the calls on all stacks.
//   - Futures: the accesses of the executed operation, and whether it synchronises, were predicted
//     in every earlier state of the path in which the object existed. They were predicted for the
//     operation's goroutine or, before that existed, for the goroutine that was to start it.
//   - Must-facts (SPIN 2014, items I2 and I4): if an earlier state of the path promised that a
//     goroutine locks, joins or waits for something before an access, it has done so since that
//     state.
//   - Future allocations (item I5): each object that the step allocated, and that synchronises, was
//     predicted in every earlier state.
//   - Fingerprints: two stacks at different places have different fingerprints.
//   - Skipped choices: an oracle says that no choice is needed before an operation, or that the
//     operations of some goroutines are enough. Then everything that other goroutines can do while
//     these wait is explored (lookahead.PersistentSet), and none of it conflicts with the operations.
//     Oracles approximate this criterion, so a skip that passes is right, whatever it was derived
//     from.
//
// A difference is a mistake of hbcheck. Nothing is assumed to be right but the
// machine and por.
type Machine struct {
	*vm.Machine
	vm.StaticView
	Counts Counts

	o           *oracle.State // whose predictions are checked
	firstObject uint32        // number of the first object that the entry allocates
	points      *Pointers
	skips       map[skip]bool
	acts        []vm.Activation
	frames      []hybrid.Frame
	errs        []string

	// allowed has the predictions for each goroutine in all earlier states of the present path.
	allowed       map[trace.GID]static.Set
	marks         []predictions
	must          mustFacts
	intersections map[[2]static.Set]static.Set // see intersect
}

// Counts has the numbers of comparisons of a Machine.
type Counts struct {
	Steps    uint64
	Skips    uint64 // skipped choices, in different states
	Bounded  uint64 // those of them with an incomplete exploration
	Musts    uint64 // accesses compared with the events that had to come first
	Allocs   uint64 // allocations of objects that synchronise
	Pointers PointerCounts
}

// skip is a skipped choice: the state and the goroutines that move first.
type skip struct {
	state por.Hash
	gs    string
}

// predictions are those at a mark.
type predictions struct {
	mark    por.Mark
	allowed map[trace.GID]static.Set
	must    mustState
}

// maxParked bounds the states explored for one skipped choice.
const maxParked = 2000

// maxStaticErrors bounds the differences that are reported.
const maxStaticErrors = 20

// NewMachine returns a checking machine over m, which is in its initial
// state. If o is an oracle that NewOracle made for m, its futures are checked;
// otherwise they are computed anew.
func NewMachine(m *vm.Machine, prog *load.Program, e *load.Entry, o por.Oracle) *Machine {
	c := &Machine{Machine: m, StaticView: m.StaticView(), skips: make(map[skip]bool),
		allowed: make(map[trace.GID]static.Set), intersections: make(map[[2]static.Set]static.Set)}
	if c.o = oracle.StateOf(o); c.o == nil {
		c.o = oracle.StateOf(oracle.New(m, prog, e, oracle.FieldAccess))
	}
	c.points = NewPointers(c.o.Graph.Pointers)
	c.points.Observe(m)
	c.must = newMustFacts(c, static.NewBase(c.o.Graph))
	m.Observe(observer{c.points, c})
	c.firstObject, _ = m.StaticView().Objects()
	return c
}

// Oracle returns o with a check of every choice it skips.
func (c *Machine) Oracle(o por.Oracle) por.Oracle { return checkedOracle{o, c} }

// Err returns the differences found so far; nil if there are none.
func (c *Machine) Err() error {
	errs := slices.Concat(c.errs, c.points.Errors)
	if len(errs) == 0 {
		return nil
	}
	return errors.New(strings.Join(errs, "\n"))
}

func (c *Machine) errorf(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); len(c.errs) < maxStaticErrors && !slices.Contains(c.errs, text) {
		c.errs = append(c.errs, text)
	}
}

// at names an operation: kind and position.
func (c *Machine) at(op trace.Op) string { return fmt.Sprintf("%s at %v", op.Kind, c.Report().Pos(op)) }

// Step implements por.System.
func (c *Machine) Step(g trace.GID, choice int) {
	c.predict()
	op := c.Next(g)
	c.executes(g, &op, c.allowed[g])
	c.must.before(g, choice, &op)
	c.Machine.Step(g, choice)
	c.must.after(g)
	c.Counts.Steps++
	c.Live(func(id trace.GID) { // parents come first
		if _, known := c.allowed[id]; !known {
			c.allowed[id] = c.allowed[c.Report().Parent(id)] // the parent's predictions cover the goroutines that the parent may start
		}
	})
	c.points.Goroutines()
	c.Counts.Pointers = c.points.Counts
}

// Glide implements por.Racer: no step glides, because each access is checked.
func (c *Machine) Glide(int) {}

// Repeat implements por.Repeater.
func (c *Machine) Repeat(g trace.GID, choice int) { c.Step(g, choice) }

// predict queries the future of each goroutine. Earlier predictions on this path remain true.
func (c *Machine) predict() {
	gone := maps.Clone(c.allowed)
	c.Live(func(id trace.GID) {
		is := c.future(id)
		if was, ok := c.allowed[id]; ok {
			is = c.intersect(was, is)
		}
		c.allowed[id] = is
		delete(gone, id)
	})
	for id := range gone {
		delete(c.allowed, id)
	}
}

// intersect returns the intersection of a and b. It has each access of one of the sets for which the other
// set has the same access, or one that covers the same memory.
func (c *Machine) intersect(a, b static.Set) static.Set {
	if a == b {
		return a
	}
	k := [2]static.Set{min(a, b), max(a, b)}
	r, ok := c.intersections[k]
	if !ok {
		sets := c.o.Futures().F.Sets
		in := func(a, b static.Set) static.Set {
			return sets.Of(slices.DeleteFunc(sets.Elems(a), func(x int) bool { return !sets.Has(b, x) && !c.covered(x, b) })...)
		}
		r = sets.Union(in(a, b), in(b, a))
		c.intersections[k] = r
	}
	return r
}

// covered reports whether an access in set may be to memory of any type, at the place of the access
// with number n.
func (c *Machine) covered(n int, set static.Set) bool {
	acc := c.o.Futures().F.Acc
	x := acc.At(n)
	return slices.ContainsFunc(acc.OfKey(0), func(k int) bool {
		y := acc.At(k)
		wide := y.Objs == static.Empty || x.Objs != static.Empty && acc.Objs.Minus(x.Objs, y.Objs) == static.Empty
		return wide && x.Write == y.Write && x.Key != acc.SyncKey() && c.o.Futures().F.Sets.Has(set, k)
	})
}

// Mark implements por.System.
func (c *Machine) Mark() por.Mark {
	k := c.Machine.Mark()
	c.marks = append(c.marks, predictions{k, maps.Clone(c.allowed), c.must.state.clone()})
	return k
}

// Rewind implements por.System.
func (c *Machine) Rewind(k por.Mark) {
	c.Machine.Rewind(k)
	for c.marks[len(c.marks)-1].mark != k {
		c.marks = c.marks[:len(c.marks)-1]
	}
	c.allowed = maps.Clone(c.marks[len(c.marks)-1].allowed)
	c.must.state = c.marks[len(c.marks)-1].must.clone()
}

// Release implements por.System.
func (c *Machine) Release(k por.Mark) {
	c.Machine.Release(k)
	i := slices.IndexFunc(c.marks, func(p predictions) bool { return p.mark == k })
	c.marks = c.marks[:i]
}

// future returns the accesses that goroutine g may still make.
func (c *Machine) future(g trace.GID) static.Set {
	c.acts = c.Activations(g, c.acts[:0])
	c.frames = oracle.AppendFrames(c.frames[:0], c.acts)
	return c.o.Futures().FutureOf(c.frames)
}

// synchronising are the kinds of operations that count as synchronisation in futures.
var synchronising = trace.KindsWhere(func(r *trace.Row) bool {
	return r.On.Row().Primitive || r.On == trace.OnBubble
})

// executes checks that op, which g is about to execute, is in fut.
func (c *Machine) executes(g trace.GID, op *trace.Op, fut static.Set) {
	switch {
	case op.Kind.Memory():
		locs, ok := c.o.Locations(g, nil)
		if !ok {
			return
		}
		for i, l := range locs {
			if op.Access[i].Obj >= c.firstObject {
				// Predictions cover objects that existed at the time. Only the last prediction covers this
				// object.
				fut = c.future(g)
			}
			// To find out whether an access was predicted, query about an access that conflicts
			// with it.
			ask := l
			ask.Write = !l.Write
			if !c.o.Accesses.Conflict(fut, &ask) {
				c.errorf("%s by g%d to offset %d of a %v was not predicted", c.at(*op), g, l.Off, l.Type)
			}
		}
	case synchronising.Has(op.Kind):
		if f := c.o.Futures().F; !f.Sets.Has(fut, f.Sync()) {
			c.errorf("%s by g%d was not predicted", c.at(*op), g)
		}
	case op.InspectsAll():
		if !c.o.Accesses.Inspects(fut) {
			c.errorf("%s by g%d was not predicted", c.at(*op), g)
		}
	}
}

// checkedOracle checks every choice that an oracle skips.
type checkedOracle struct {
	por.Oracle
	c *Machine
}

// Unwrap implements oracle.Wrapper.
func (o checkedOracle) Unwrap() por.Oracle { return o.Oracle }

// Skip implements por.Oracle.
func (o checkedOracle) Skip(g trace.GID, op *trace.Op) string {
	reason := o.Oracle.Skip(g, op)
	if reason != "" {
		o.c.skipped(g, reason)
	}
	return reason
}

// Parts returns p with a check of every part it finds.
func (c *Machine) Parts(p por.Parts) por.Parts { return checkedParts{p, c} }

// checkedParts checks every part that is found.
type checkedParts struct {
	por.Parts
	c *Machine
}

// Part implements por.Parts.
func (p checkedParts) Part(enabled []trace.GID) []trace.GID {
	part := p.Parts.Part(enabled)
	if part != nil {
		p.c.wait(part, "parts", lookahead.PersistentPart)
	}
	return part
}

// Separate implements por.Parts.
func (p checkedParts) Separate(enabled []trace.GID) ([]trace.GID, por.Separation) {
	part, apart := p.Parts.Separate(enabled)
	if part != nil {
		p.c.wait(part, "parts", lookahead.PersistentPart)
	}
	return part, apart
}

// skipped checks that no choice is needed before g's pending operation.
func (c *Machine) skipped(g trace.GID, reason string) {
	c.wait([]trace.GID{g}, reason, lookahead.PersistentSet)
}

// wait checks, by a criterion of package lookahead, that no operation that other goroutines can execute
// while gs wait conflicts with the pending operations of gs.
func (c *Machine) wait(gs []trace.GID, reason string, is func(por.System, []trace.GID, uint64) (trace.Schedule, bool)) {
	k := skip{c.Hash(), fmt.Sprint(gs)}
	if c.skips[k] {
		return
	}
	c.skips[k] = true
	c.Counts.Skips++
	conflict, complete := is(c.Machine, gs, maxParked)
	if !complete {
		c.Counts.Bounded++
	}
	if conflict == nil {
		return
	}
	var waiting []string
	for _, g := range gs {
		waiting = append(waiting, fmt.Sprintf("%s by g%d", c.at(c.Next(g)), g))
	}
	m := c.Machine.Mark()
	last := conflict[len(conflict)-1]
	for _, a := range conflict[:len(conflict)-1] {
		c.Machine.Step(a.G, a.Choice)
	}
	c.errorf("no choice was made before %s (%s), but while it waits, g%d executes %s in step %d",
		strings.Join(waiting, ", "), reason, last.G, c.at(c.Next(last.G)), len(conflict))
	c.Machine.Rewind(m)
	c.Machine.Release(m)
}
