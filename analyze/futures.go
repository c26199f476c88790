package analyze

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/static"
)

// future shows an analysis of package static.
type future struct {
	p         *Program
	base      *static.Base
	name, doc string
	a         static.Analysis // nil after Release
}

// futures returns the analyses of package static.
func futures(p *Program) []Analysis {
	base := static.NewBase(p.Graph())
	p.base = base
	base.Only(p.Functions())
	base.Interrupt = func() bool { return !p.deadline.IsZero() && time.Now().After(p.deadline) }
	var list []Analysis
	for _, a := range static.Analyses(base) {
		list = append(list, &future{p, base, a.Name(), a.Doc(), a})
	}
	return list
}

func (f *future) Name() string { return f.name }

func (f *future) Doc() string { return f.doc }

// Release frees the memory of the analysis, which must not be used any more.
func (f *future) Release() { f.a = nil }

// Whole implements Analysis. It returns the facts at the function's entry.
func (f *future) Whole(fn *ssa.Function) []Fact {
	if len(fn.Blocks) == 0 || f.p.Graph().Body(fn) != fn {
		return nil
	}
	list := f.At(fn.Blocks[0].Instrs[0])
	for i := range list {
		x := &list[i]
		x.Pos, x.Whole = f.p.position(fn.Pos()), true
		x.Detail = f.Name() == "guardedby" // Overall lists it for all functions together
	}
	return list
}

// Own implements Analysis.
func (f *future) Own(instr ssa.Instruction) []Fact {
	if f.name != "fieldaccess" || !instr.Pos().IsValid() || f.p.Graph().Body(instr.Parent()) != instr.Parent() {
		return nil
	}
	var list []Fact
	for _, x := range f.base.Accesses(instr) {
		list = append(list, Fact{Analysis: f.Name(), Pos: f.p.position(instr.Pos()), Func: instr.Parent(), Text: x.Text, Detail: true})
	}
	return list
}

// leads are the first words of the facts of an analysis.
var leads = map[string]string{
	"fieldaccess": "may ", "maywait": "may ", "mustwait": "always waits before it may ", "mustlock": "must ", "mustjoin": "must ",
	"maynotify": "may ", "futurealloc": "may ", "unheldunlock": "may, without having locked it, ",
}

// At implements Analysis. Facts that differ only in their subjects become one.
func (f *future) At(instr ssa.Instruction) []Fact {
	if f.p.Graph().Body(instr.Parent()) != instr.Parent() {
		return nil // the machine implements the function
	}
	var list []Fact
	lead := leads[f.Name()]
	index := make(map[string]int)
	for _, x := range f.a.At(instr) {
		if x.Pos.IsValid() && x.Why == "" && !f.p.shown(f.p.packageAt(x.Pos)) {
			continue // inside of libraries
		}
		fact := Fact{Analysis: f.Name(), Pos: f.p.position(instr.Pos()), Func: instr.Parent(), Text: lead + x.Text}
		var note *Note
		if x.Pos.IsValid() {
			note = &Note{Pos: f.p.position(x.Pos), Text: cmp.Or(x.Why, x.Text)}
		}
		switch {
		case x.Why != "":
			fact.No = true
			fact.Text = negate(x.Text) + ": " + x.Why
		case lead != "":
			item := cmp.Or(x.Of, x.Text)
			fact.Text = lead + strings.TrimSuffix(x.Text, item)
			k, ok := index[fact.Text]
			if !ok {
				k = len(list)
				index[fact.Text] = k
				list = append(list, fact)
			}
			if item == "anything" {
				item = "do anything"
			}
			if !slices.Contains(list[k].Items, item) {
				list[k].Items = append(list[k].Items, item)
			}
			if note != nil {
				list[k].Notes = append(list[k].Notes, *note)
			}
			continue
		}
		if note != nil {
			fact.Notes = []Note{*note}
		}
		list = append(list, fact)
	}
	return list
}

// negate returns the text of the opposite of a fact.
func negate(text string) string {
	if a, b, ok := strings.Cut(text, " is "); ok {
		return a + " is not " + b
	}
	return "not: " + text
}

// Message is the text of f with at most n of its items; 0 means all.
func (f *Fact) Message(n int) string {
	items, rest := f.Items, 0
	if n > 0 && len(items) > n {
		items, rest = items[:n], len(items)-n
	}
	s := f.Text + strings.Join(items, ", ")
	if rest > 0 {
		s += fmt.Sprintf(" and %d more", rest)
	}
	return s
}

// at returns the instructions of line in file, of all functions there, in the order
// of the source. The file may be named by the end of its path.
func (p *Program) at(file string, line int) []ssa.Instruction {
	var list []ssa.Instruction
	for _, fn := range p.Functions() {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if _, ok := instr.(*ssa.DebugRef); ok || !instr.Pos().IsValid() {
					continue
				}
				if pos := p.position(instr.Pos()); pos.Line == line && pos.Filename == file {
					list = append(list, instr)
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b ssa.Instruction) int { return cmp.Compare(a.Pos(), b.Pos()) })
	return list
}

// callPosition returns the position of a call as people expect it; ssa has the position of the opening
// parenthesis.
func (p *Program) callPosition(site ssa.CallInstruction) token.Position {
	if !site.Pos().IsValid() {
		for _, v := range site.Common().Args {
			if mc, ok := v.(*ssa.MakeClosure); ok && mc.Fn.Pos().IsValid() {
				return p.position(mc.Fn.Pos()) // a loop over a func
			}
		}
	}
	return p.position(site.Pos())
}
