package static

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"go/token"

	"golang.org/x/tools/go/ssa"
)

// MinPrefix is the analysis of WaitGroup counters. It has no counterpart in the
// paper, where a thread is joined by its end.
//
// For each WaitGroup w it finds the least value that the sum of all Add deltas and Dones can have
// on any prefix of any path from a program point to the function's exit. Goroutines started from
// there on are included: such a goroutine may run to its least sum at once at the go statement, or
// at any time later. If
//
//	counter(w) + Σ MinPrefix(T, w) ≥ 1   over the goroutines T ≠ T_c
//
// then w's Wait stays blocked while T_c does not move, however many workers there are. The sum is unbounded
// after an Add of an unknown number, an Add to a WaitGroup without a name, or a loop that counts down.
//
// Transfer: Add(w, n) adds n; go f adds the least prefix of f; a sequence has
// min(a.Least, a.Sum + b.Least), alternatives the minimum of both.
type MinPrefix struct {
	*Engine[Prefix]
	d *prefixDomain
}

//	go func() { wg.Done() }(); wg.Add(1); wg.Done()        least -1: the goroutine's Done first
//	for range n { go func() { defer wg.Done() }() }        unbounded

// Unbounded is a sum without lower bound.
const Unbounded = -1 << 20

// leastPrefix is the smallest sum that is distinguished. Without it a loop that counts down would have no
// fixed point.
const leastPrefix = -32

// Prefix is a value of the analysis: number of a map from WaitGroups to counts.
type Prefix struct {
	counts countsID
	Exits  bool
}

type countsID int32

// count is the change of the counter of the WaitGroup Path; Unknown: of any WaitGroup.
type count struct {
	Path  Path
	Least int // over all prefixes, ≤ 0
	Sum   int // sum up to the exit, if there is an exit
}

// NewMinPrefix returns the analysis.
func NewMinPrefix(b *Base) *MinPrefix {
	d := &prefixDomain{base: b, index: map[string]countsID{}}
	d.intern(nil)
	return &MinPrefix{NewEngine[Prefix](b, d), d}
}

// Least returns the least prefix of each WaitGroup in v that is below zero.
func (a *MinPrefix) Least(v Prefix, f func(p Path, least int)) {
	for _, c := range a.d.lists[v.counts] {
		if c.Least < 0 {
			f(c.Path, c.Least)
		}
	}
}

func (*MinPrefix) Name() string { return "minprefix" }

func (*MinPrefix) Doc() string {
	return "how far the counters of WaitGroups may go down from here until the function returns"
}

// At implements Analysis.
func (a *MinPrefix) At(instr ssa.Instruction) []Fact {
	var facts []Fact
	a.Least(a.total(a.Before(instr)), func(p Path, least int) {
		text := fmt.Sprintf("%s may go down by %d", a.base.Paths.String(p), -least)
		if least <= Unbounded {
			text = fmt.Sprintf("%s may go down without bound", a.base.Paths.String(p))
		}
		facts = append(facts, Fact{Text: text, Pos: token.NoPos})
	})
	return sortFacts(facts)
}

type prefixDomain struct {
	base  *Base
	lists [][]count // by path
	index map[string]countsID
}

func clampCount(n int) int {
	if n < leastPrefix {
		return Unbounded
	}
	return min(n, -leastPrefix)
}

func (d *prefixDomain) intern(list []count) countsID {
	slices.SortFunc(list, func(a, b count) int { return cmp.Compare(a.Path, b.Path) })
	var key []byte
	out := list[:0]
	for _, c := range list {
		if c.Least == 0 && c.Sum == 0 {
			continue
		}
		out = append(out, c)
		for _, n := range []int{int(c.Path), c.Least, c.Sum} {
			key = binary.LittleEndian.AppendUint32(key, uint32(n))
		}
	}
	id, ok := d.index[string(key)]
	if !ok {
		id = countsID(len(d.lists))
		d.lists = append(d.lists, slices.Clone(out))
		d.index[string(key)] = id
	}
	return id
}

// combine merges two maps, with zero for missing entries.
func (d *prefixDomain) combine(a, b countsID, f func(x, y count) count) countsID {
	x, y := d.lists[a], d.lists[b]
	var list []count
	for len(x) > 0 || len(y) > 0 {
		switch {
		case len(y) == 0 || len(x) > 0 && x[0].Path < y[0].Path:
			list = append(list, f(x[0], count{Path: x[0].Path}))
			x = x[1:]
		case len(x) == 0 || y[0].Path < x[0].Path:
			list = append(list, f(count{Path: y[0].Path}, y[0]))
			y = y[1:]
		default:
			list = append(list, f(x[0], y[0]))
			x, y = x[1:], y[1:]
		}
	}
	return d.intern(list)
}

func (d *prefixDomain) Skip() Prefix { return Prefix{Exits: true} }

func (d *prefixDomain) Never() Prefix { return Prefix{} }

func (d *prefixDomain) Merge(a, b Prefix) Prefix {
	return Prefix{d.combine(a.counts, b.counts, func(x, y count) count {
		c := count{Path: x.Path, Least: min(x.Least, y.Least)}
		switch {
		case a.Exits && b.Exits:
			c.Sum = min(x.Sum, y.Sum)
		case a.Exits:
			c.Sum = x.Sum
		case b.Exits:
			c.Sum = y.Sum
		}
		return c
	}), a.Exits || b.Exits}
}

func (d *prefixDomain) Seq(a, b Prefix) Prefix {
	if !a.Exits {
		return a
	}
	return Prefix{d.combine(a.counts, b.counts, func(x, y count) count {
		c := count{Path: x.Path, Least: clampCount(min(x.Least, x.Sum+y.Least))}
		if b.Exits {
			c.Sum = clampCount(x.Sum + y.Sum)
		}
		return c
	}), b.Exits}
}

func (d *prefixDomain) Event(e *Event) Prefix {
	c := count{Path: e.Path}
	switch {
	//mutant: unknown numbers are none [patterns joinUnknown]: " || e.Kind == AddEvent && !e.Known" -> ""
	case e.Kind == AnyEvent || e.Kind == AddEvent && !e.Known:
		c.Least, c.Sum = Unbounded, Unbounded
	case e.Kind != AddEvent:
		return d.Skip()
	case e.Path == Unknown && e.N >= 0:
		return d.Skip() // not reliable
	case e.Path == Unknown:
		c.Least, c.Sum = clampCount(e.N), clampCount(e.N)
	default:
		c.Least, c.Sum = clampCount(min(e.N, 0)), clampCount(e.N)
	}
	return Prefix{d.intern([]count{c}), true}
}

func (d *prefixDomain) Spawn(v Prefix) Prefix {
	var list []count
	for _, c := range d.lists[v.counts] {
		list = append(list, count{c.Path, c.Least, c.Least})
	}
	return Prefix{d.intern(list), true}
}

// Rename adds up the counts whose path has no name any more, and uses only negative ones.
func (d *prefixDomain) Rename(v Prefix, r *Renaming) Prefix {
	sum := map[Path]count{}
	var order []Path
	for _, c := range d.lists[v.counts] {
		p := r.Path(c.Path)
		if d.base.Paths.Fresh(p) {
			continue // the WaitGroup does not exist yet
		}
		if _, ok := sum[p]; !ok {
			order = append(order, p)
		}
		o := sum[p]
		if p == Unknown {
			c.Sum = min(c.Sum, 0)
		}
		// If two counts get the same name, their operations may come in any order.
		sum[p] = count{p, clampCount(o.Least + c.Least), clampCount(o.Sum + c.Sum)}
	}
	var list []count
	for _, p := range order {
		list = append(list, sum[p])
	}
	return Prefix{d.intern(list), v.Exits}
}
