package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/load"
)

// A Covered has the numbers of executed statements of some functions.
type Covered struct {
	Statements, Reached int
	Functions           int
	Gaps                []Gap  // what was not executed, by position
	OneWay              []Only // choices that were not taken both ways
	Orders              []OneOrder
}

// A Gap is a stretch of lines of one function that was not executed.
type Gap struct {
	File     string // absolute
	Func     string
	From, To int
}

// An Only is a choice with an alternative that was never taken.
type Only struct {
	File string
	Line int
	What string
}

// A OneOrder is the only order in which two operations occurred, with its count.
type OneOrder struct {
	describe.Order
	Times uint64
}

// Percent returns the part of the statements that was executed, as go test prints it.
func (c *Covered) Percent() string {
	return fmt.Sprintf("%.1f%%", 100*float64(c.Reached)/float64(c.Statements))
}

// CoverageOf summarises the coverage of the functions that an exploration of c's program has called:
// functions that are not called are no concern of a single entry. Test files do not count, as with go test;
// but a test's choices do.
func CoverageOf(c *explore.Coverage) Covered {
	called := make(map[int]bool)
	for i, b := range c.Blocks {
		if c.Reached[i] && b.Fn >= 0 {
			called[b.Fn] = true
		}
	}
	return sum(c, func(b *load.Block) bool { return called[b.Fn] })
}

// PackageCoverage summarises the coverage of all functions of a package.
func PackageCoverage(c *explore.Coverage, path string) Covered {
	return sum(c, func(b *load.Block) bool { return b.Package == path })
}

func sum(c *explore.Coverage, counts func(*load.Block) bool) (s Covered) {
	functions := make(map[int]bool)
	chosen := make(map[int]bool) // by Block.Of: a case of the select statement
	for i, b := range c.Blocks {
		chosen[b.Of] = chosen[b.Of] || b.Kind == load.Comm && c.Executed(i)
	}
	for i := range c.Blocks {
		b := &c.Blocks[i]
		if !counts(b) {
			continue
		}
		switch {
		case b.Kind == load.Comm && !c.Executed(i) && chosen[b.Of]:
			s.OneWay = append(s.OneWay, Only{b.File, b.Line, "case never chosen"})
		case b.Kind == load.Else && !b.Test && !c.Executed(i) && c.Executed(b.Then):
			s.OneWay = append(s.OneWay, Only{b.File, b.Line, "condition always true"})
		}
		if b.Test || b.Kind == load.Else {
			continue
		}
		functions[b.Fn] = true
		s.Statements += b.Stmts
		if c.Executed(i) {
			s.Reached += b.Stmts
		} else if b.Stmts > 0 {
			s.Gaps = append(s.Gaps, Gap{b.File, b.Func, b.First, b.Last})
		}
	}
	files := make(map[string]bool) // files whose statements count
	for i := range c.Blocks {
		if counts(&c.Blocks[i]) {
			files[c.Blocks[i].File] = true
		}
	}
	for pos, contended := range c.Locks {
		if c.Classes && !contended && files[pos.Filename] {
			s.OneWay = append(s.OneWay, Only{pos.Filename, pos.Line, "lock never contended"})
		}
	}
	for o, times := range c.Orders {
		if _, both := c.Orders[o.Reversed()]; times > 0 && !both && files[o.First.Pos.Filename] && files[o.Second.Pos.Filename] {
			s.Orders = append(s.Orders, OneOrder{o, times})
		}
	}
	slices.SortFunc(s.Orders, func(a, b OneOrder) int {
		return cmp.Or(cmp.Compare(b.Times, a.Times), comparePlaces(a.First, b.First), comparePlaces(a.Second, b.Second))
	})
	s.Functions = len(functions)
	s.Gaps = joined(s.Gaps)
	slices.SortStableFunc(s.OneWay, func(a, b Only) int {
		return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line, cmp.Compare(a.What, b.What))
	})
	s.OneWay = slices.Compact(s.OneWay)
	return s
}

func comparePlaces(a, b describe.Place) int {
	return cmp.Or(cmp.Compare(a.Pos.Filename, b.Pos.Filename), a.Pos.Line-b.Pos.Line, int(a.Kind)-int(b.Kind), cmp.Compare(a.What, b.What))
}

// joined combines adjacent stretches of lines of one function.
func joined(list []Gap) (out []Gap) {
	slices.SortStableFunc(list, func(a, b Gap) int {
		return cmp.Or(cmp.Compare(a.File, b.File), a.From-b.From, a.To-b.To)
	})
	for _, g := range list {
		if n := len(out) - 1; n >= 0 && out[n].File == g.File && out[n].Func == g.Func && g.From <= out[n].To+1 {
			out[n].To = max(out[n].To, g.To)
			continue
		}
		out = append(out, g)
	}
	return out
}

// String returns "cache.go:31-35".
func (g Gap) String() string {
	s := fmt.Sprintf("%s:%d", filepath.Base(g.File), g.From)
	if g.To > g.From {
		s += fmt.Sprintf("-%d", g.To)
	}
	return s
}

func (o Only) String() string { return fmt.Sprintf("%s:%d: %s", filepath.Base(o.File), o.Line, o.What) }

// String returns "read bank.go:17 before write bank.go:23 (b.bal)".
func (o OneOrder) String() string {
	return o.in(filepath.Base)
}

// in returns the text of String, with name(file) as the name of each file.
func (o OneOrder) in(name func(file string) string) string {
	place := func(p describe.Place) string {
		return fmt.Sprintf("%s %s:%d", p.Kind, name(p.Pos.Filename), p.Pos.Line)
	}
	s := place(o.First) + " before " + place(o.Second)
	switch a, b := o.First.What, o.Second.What; {
	case a != "" && b != "" && a != b:
		s += fmt.Sprintf(" (%s, %s)", a, b)
	case a+b != "":
		s += fmt.Sprintf(" (%s)", cmp.Or(a, b))
	}
	return s
}

// Words describes o for an entry of a list, whose heading says what is listed.
func (o OneOrder) Words(paths Paths) string {
	return o.in(paths.File) + ", never the other way round"
}

// maxGaps bounds the gaps, and the choices, that one line of the report names.
const maxGaps = 3

// Coverage returns a line about the executed part of the functions that an entry has called.
func Coverage(r *explore.Result) string {
	c := CoverageOf(r.Coverage)
	s := "[no statements outside of test files]"
	if c.Statements > 0 {
		s = fmt.Sprintf("%s of the statements in %s", c.Percent(), count(c.Functions, "function"))
		if len(c.Gaps) > 0 {
			s += " (" + enumerated(c.Gaps) + " never reached)"
		}
	}
	if n := len(c.OneWay); n > 0 {
		s += fmt.Sprintf("; %s never taken both ways: %s", count(n, "choice"), enumerated(c.OneWay))
	}
	if n := len(c.Orders); n > 0 {
		s += fmt.Sprintf("; %s met in one order only: %s", count(n, "pair"), enumerated(c.Orders))
	}
	return s
}

// enumerated lists the first elements of a list.
func enumerated[T fmt.Stringer](list []T) string {
	var words []string
	for _, x := range list[:min(maxGaps, len(list))] {
		words = append(words, x.String())
	}
	if n := len(list) - maxGaps; n > 0 {
		words = append(words, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(words, ", ")
}

// A Coverages adds up the coverage of several entries of one program.
type Coverages struct {
	All      *explore.Coverage
	explored map[string]bool // import paths
}

// Add adds the coverage of r, if that was noted.
func (x *Coverages) Add(r *explore.Result) {
	if x.explored == nil {
		x.explored = make(map[string]bool)
	}
	x.explored[r.Package] = true
	switch {
	case r.Coverage == nil:
	case x.All == nil:
		x.All = &explore.Coverage{Blocks: r.Coverage.Blocks, Reached: slices.Clone(r.Coverage.Reached), Init: slices.Clone(r.Coverage.Init),
			Locks: maps.Clone(r.Coverage.Locks), Classes: r.Coverage.Classes, Orders: maps.Clone(r.Coverage.Orders)}
	default:
		x.All.Add(r.Coverage)
	}
}

// Packages returns the import paths of the packages that have statements outside of test files, and in which
// an entry was explored or some code was executed.
func (x *Coverages) Packages() (list []string) {
	if x.All == nil {
		return nil
	}
	has := make(map[string]bool)
	for i := range x.All.Blocks {
		if b := &x.All.Blocks[i]; !b.Test && b.Stmts > 0 {
			has[b.Package] = has[b.Package] || x.All.Reached[i] || x.explored[b.Package]
		}
	}
	for path, shown := range has {
		if shown {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	return list
}

// Profile is a writer of a profile for go tool cover. Its mode is set: a block has been executed, or
// not. A search has no meaningful counts, because it returns to earlier states and omits equivalent
// executions.
type Profile struct {
	W io.Writer
	Coverages
}

// Result implements Writer.
func (p *Profile) Result(r *explore.Result, _ []Files) error {
	p.Add(r)
	return nil
}

// Failed implements Writer.
func (p *Profile) Failed(string, string, string) error { return nil }

// Close implements Writer.
func (p *Profile) Close() error {
	lines := []string{}
	if p.All != nil {
		type place struct {
			b       *load.Block
			reached int
		}
		var list []place
		for i := range p.All.Blocks {
			if b := &p.All.Blocks[i]; !b.Test && b.Kind != load.Else {
				x := place{b: b}
				if p.All.Executed(i) {
					x.reached = 1
				}
				list = append(list, x)
			}
		}
		slices.SortStableFunc(list, func(x, y place) int {
			a, b := x.b, y.b
			return cmp.Or(cmp.Compare(a.Name(), b.Name()), a.Start.Line-b.Start.Line, a.Start.Column-b.Start.Column,
				a.End.Line-b.End.Line, a.End.Column-b.End.Column)
		})
		for _, x := range list {
			b := x.b
			lines = append(lines, fmt.Sprintf("%s:%d.%d,%d.%d %d %d\n", b.Name(), b.Start.Line, b.Start.Column, b.End.Line, b.End.Column, b.Stmts, x.reached))
		}
	}
	_, err := io.WriteString(p.W, "mode: set\n"+strings.Join(lines, ""))
	return err
}
