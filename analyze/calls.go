package analyze

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// calls is the analysis of the functions that a call may call, according to the points-to analysis.
type calls struct{ p *Program }

func (*calls) Name() string { return "calls" }

func (*calls) Doc() string { return "functions that a call may reach, and the callers of a function" }

// Release implements Analysis.
func (*calls) Release() {}

// Overall implements Analysis: the functions about which nothing is known.
func (c *calls) Overall() (list []Fact) {
	for _, fn := range c.p.Generic() {
		list = append(list, Fact{Analysis: c.Name(), Pos: c.p.position(fn.Pos()), Func: fn, No: true, Text: c.p.whyNot(fn)})
	}
	return list
}

// Whole implements Analysis: the callers of fn.
func (c *calls) Whole(fn *ssa.Function) []Fact {
	f := Fact{Analysis: c.Name(), Pos: c.p.position(fn.Pos()), Func: fn, Whole: true}
	if !c.p.Reached(fn) {
		f.No = true
		f.Text = fmt.Sprintf("%s is not called from any entry", c.p.Name(fn))
		return []Fact{f}
	}
	r := c.p.Pointer()
	outside := false
	var sites []ssa.CallInstruction
	for _, ctx := range r.Contexts(fn) {
		for _, call := range r.Callers(fn, ctx) {
			if call.Site == nil {
				outside = true
			} else if !slices.Contains(sites, call.Site) {
				sites = append(sites, call.Site)
			}
		}
	}
	for _, s := range sites {
		if pos := c.p.callPosition(s); pos.IsValid() {
			f.Notes = append(f.Notes, Note{Pos: pos, Text: "called here, in " + c.p.Name(s.Parent()), Func: s.Parent()})
		}
	}
	slices.SortStableFunc(f.Notes, func(a, b Note) int { return comparePositions(a.Pos, b.Pos) })
	f.Text = fmt.Sprintf("%s is called in %s", c.p.Name(fn), places(len(sites)))
	switch {
	case outside && len(sites) == 0:
		f.Text = c.p.Name(fn) + " is an entry"
	case outside:
		f.Text += " and is an entry"
	}
	f.Detail = len(f.Notes) > 0
	return []Fact{f}
}

func places(n int) string {
	if n == 1 {
		return "1 place"
	}
	return fmt.Sprintf("%d places", n)
}

// Own implements Analysis. It returns the functions that the call instr may call.
func (c *calls) Own(instr ssa.Instruction) []Fact {
	site, ok := instr.(ssa.CallInstruction)
	if !ok {
		return nil
	}
	if _, ok := site.Common().Value.(*ssa.Builtin); ok {
		return nil
	}
	f := Fact{Analysis: c.Name(), Pos: c.p.callPosition(site), Func: site.Parent()}
	verb := "calls"
	switch site.(type) {
	case *ssa.Go:
		verb = "starts a goroutine with"
	case *ssa.Defer:
		verb = "defers"
	}
	list := c.p.callees(site)
	static := site.Common().StaticCallee()
	switch {
	case static != nil && len(list) <= 1:
		list = []*ssa.Function{static}
		f.Detail = verb == "calls"
	case !c.p.Reached(site.Parent()):
		return nil
	case len(list) == 0:
		what := "a function"
		if c := site.Common(); c.IsInvoke() {
			what = "method " + c.Method.Name() + " of a value"
		}
		f.Text = fmt.Sprintf("%s %s that comes from outside, or is nil", verb, what)
		return []Fact{f}
	case static == nil:
		verb = strings.Replace(verb, "calls", "may call", 1)
	}
	var names []string
	for _, fn := range list {
		names = append(names, c.p.Name(fn))
		f.Notes = append(f.Notes, Note{Pos: c.p.position(fn.Pos()), Text: c.p.Name(fn), Func: fn})
	}
	f.Text = verb + " " + strings.Join(names, ", ")
	return []Fact{f}
}

// At implements Analysis.
func (c *calls) At(instr ssa.Instruction) []Fact { return nil }

// callees returns the functions that site may call in any context, sorted by name.
func (p *Program) callees(site ssa.CallInstruction) []*ssa.Function {
	var list []*ssa.Function
	for _, ctx := range p.Pointer().Contexts(site.Parent()) {
		for _, c := range p.Pointer().Callees(site, ctx) {
			if !slices.Contains(list, c.Fn) {
				list = append(list, c.Fn)
			}
		}
	}
	slices.SortFunc(list, func(a, b *ssa.Function) int { return strings.Compare(a.String(), b.String()) })
	return list
}
