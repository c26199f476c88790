package analyze

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/tools/go/ssa"
)

// A Selection selects facts.
type Selection struct {
	Analyses []string // names; nil means all
	Func     string   // only this function and the literals in it
	At       string   // "file.go:line": the facts there, instead of facts about whole functions
}

// Facts returns the facts that sel selects, sorted by position. It can be called once.
func (p *Program) Facts(sel Selection) ([]Fact, error) {
	analyses, err := choose(Analyses(p), sel.Analyses)
	if err != nil {
		return nil, err
	}
	fns := p.Functions()
	if sel.Func != "" {
		if fns, err = p.find(sel.Func); err != nil {
			return nil, err
		}
	}
	wanted := func(instr ssa.Instruction) bool { return sel.Func == "" || slices.Contains(fns, instr.Parent()) }
	if sel.At != "" {
		instrs, err := p.line(sel.At)
		if err != nil {
			return nil, err
		}
		facts := p.collect(analyses, func(a Analysis) (facts []Fact) {
			for _, instr := range instrs {
				if wanted(instr) {
					facts = append(facts, a.Own(instr)...)
				}
			}
			for _, instr := range first(instrs) {
				if wanted(instr) {
					facts = append(facts, a.At(instr)...)
				}
			}
			return facts
		})
		return firstOnLine(facts), nil
	}
	return p.collect(analyses, func(a Analysis) (facts []Fact) {
		if sel.Func == "" {
			facts = a.Overall()
		}
		for _, fn := range fns {
			if p.late() {
				break
			}
			whole := a.Whole(fn)
			for i := range whole {
				whole[i].Detail = whole[i].Detail && sel.Func == "" // then no Overall reports it
			}
			facts = append(facts, whole...)
			for _, b := range fn.Blocks {
				for _, instr := range b.Instrs {
					facts = append(facts, a.Own(instr)...)
				}
			}
		}
		return facts
	}), nil
}

// collect returns the facts that ask finds for each analysis, sorted, without analyses that did not end in
// time.
func (p *Program) collect(analyses []Analysis, ask func(a Analysis) []Fact) []Fact {
	var all []Fact
	for _, a := range analyses {
		facts, ok := p.inTime(a, ask)
		if !ok {
			p.GaveUp = append(p.GaveUp, a.Name())
		}
		a.Release() // large programs need the memory that this releases
		all = append(all, facts...)
	}
	return sortFacts(all)
}

// inTime reports whether ask was done within the time limit.
func (p *Program) inTime(a Analysis, ask func(a Analysis) []Fact) (facts []Fact, ok bool) {
	ok = true
	if p.Timeout > 0 {
		p.deadline = time.Now().Add(p.Timeout)
	}
	facts = ask(a)
	p.deadline = time.Time{}
	if p.late() {
		facts, ok = nil, false
		p.base.Restart()
	}
	return facts, ok
}

// late reports whether the present analysis has been interrupted.
func (p *Program) late() bool { return p.base != nil && p.base.Interrupted() }

// first returns those of instrs that are executed first in their functions.
func first(instrs []ssa.Instruction) []ssa.Instruction {
	var list []ssa.Instruction
	before := func(a, b ssa.Instruction) bool {
		if a.Block() != b.Block() {
			return a.Block().Index < b.Block().Index
		}
		return slices.Index(a.Block().Instrs, a) < slices.Index(b.Block().Instrs, b)
	}
	for _, x := range instrs {
		k := slices.IndexFunc(list, func(y ssa.Instruction) bool { return y.Parent() == x.Parent() })
		if k < 0 {
			list = append(list, x)
		} else if before(x, list[k]) {
			list[k] = x
		}
	}
	return list
}

// firstOnLine keeps the first of the facts that the instructions of a line share.
func firstOnLine(facts []Fact) []Fact {
	seen := make(map[string]bool)
	return slices.DeleteFunc(facts, func(f Fact) bool {
		k := f.Analysis + ": " + f.Message(0)
		again := seen[k]
		seen[k] = true
		return again
	})
}

// choose returns the analyses with the given names.
func choose(all []Analysis, names []string) ([]Analysis, error) {
	if len(names) == 0 || slices.Contains(names, "all") {
		return all, nil
	}
	var list []Analysis
	for _, name := range names {
		i := slices.IndexFunc(all, func(a Analysis) bool { return a.Name() == strings.ReplaceAll(name, "-", "") })
		if i < 0 {
			var known []string
			for _, a := range all {
				known = append(known, a.Name())
			}
			return nil, fmt.Errorf("--analysis %s: no such analysis; there are %s", name, strings.Join(known, ", "))
		}
		if !slices.Contains(list, all[i]) {
			list = append(list, all[i])
		}
	}
	return list, nil
}

// typeArguments matches the type arguments in the name of an instance.
var typeArguments = regexp.MustCompile(`\[.*\]`)

// find returns the functions that people may mean by name, and the literals in
// them: the full name or an end of it, "(*Bank).Deposit", "Bank.Deposit", "Deposit".
func (p *Program) find(name string) ([]*ssa.Function, error) {
	// Type arguments may be left out.
	plain := func(fn string) string {
		return strings.NewReplacer("(", "", ")", "", "*", "").Replace(typeArguments.ReplaceAllString(fn, ""))
	}
	want := plain(name)
	means := func(fn *ssa.Function) bool {
		full := plain(fn.String())
		return full == want || strings.HasSuffix(full, "."+want) || strings.HasSuffix(full, "/"+want)
	}
	var list []*ssa.Function
	var like []string
	for _, fn := range p.Functions() {
		if full := plain(fn.String()); means(fn) {
			list = append(list, fn)
		} else if strings.Contains(strings.ToLower(full), strings.ToLower(want)) && len(like) < 5 {
			like = append(like, p.Name(fn))
		}
	}
	if len(list) == 0 {
		for _, fn := range p.Generic() {
			if means(fn) {
				return nil, &NoSuchFunction{Name: name, Generic: p.whyNot(fn)}
			}
		}
		return nil, &NoSuchFunction{Name: name, Like: like}
	}
	for i := 0; i < len(list); i++ {
		for _, lit := range list[i].AnonFuncs {
			if !slices.Contains(list, lit) {
				list = append(list, lit)
			}
		}
	}
	return list, nil
}

// line returns the instructions at a "file.go:line", in the order of the source.
func (p *Program) line(at string) ([]ssa.Instruction, error) {
	file, line, _, err := splitPosition(at)
	if err != nil {
		return nil, fmt.Errorf("--at %s: %v", at, err)
	}
	name, err := p.file(file)
	if err != nil {
		return nil, fmt.Errorf("--at %s: %v", at, err)
	}
	list := p.at(name, line)
	if len(list) == 0 {
		return nil, fmt.Errorf("--at %s: there is no code on this line%s", at, p.near(name, line))
	}
	return list, nil
}

// splitPosition splits "file:line" or "file:line:col"; col is 0 if it is missing.
func splitPosition(s string) (file string, line, col int, err error) {
	parts := strings.Split(s, ":")
	var nums []int
	for len(parts) > 1 && len(nums) < 2 {
		n, err := strconv.Atoi(parts[len(parts)-1])
		if err != nil {
			break
		}
		nums = append(nums, n)
		parts = parts[:len(parts)-1]
	}
	slices.Reverse(nums)
	if len(nums) == 0 || parts[0] == "" || nums[0] < 1 {
		return "", 0, 0, fmt.Errorf("want file.go:line")
	}
	if len(nums) == 2 {
		col = nums[1]
	}
	return strings.Join(parts, ":"), nums[0], col, nil
}

// file returns the full name of the file that people may mean by name: relative to
// the directory, absolute, or an end of the path.
func (p *Program) file(name string) (string, error) {
	abs := name
	if !filepath.IsAbs(name) {
		abs = filepath.Join(p.Prog.Dir, name)
	}
	var found []string
	for _, pkg := range p.Prog.All {
		if !p.shown(pkg) {
			continue
		}
		for _, tree := range pkg.Files {
			f := p.position(tree.Pos()).Filename
			if f == abs {
				return f, nil
			}
			if strings.HasSuffix(filepath.ToSlash(f), "/"+filepath.ToSlash(name)) && !slices.Contains(found, f) {
				found = append(found, f)
			}
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("no such file in %s", strings.Join(p.paths(), ", "))
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("ambiguous: %s", strings.Join(found, ", "))
}

// near names the nearest lines with code.
func (p *Program) near(file string, line int) string {
	before, after := 0, 0
	for _, fn := range p.Functions() {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				pos := p.position(instr.Pos())
				if !pos.IsValid() || pos.Filename != file {
					continue
				}
				if pos.Line < line && pos.Line > before {
					before = pos.Line
				}
				if pos.Line > line && (pos.Line < after || after == 0) {
					after = pos.Line
				}
			}
		}
	}
	switch {
	case before > 0 && after > 0:
		return fmt.Sprintf("; the nearest is on lines %d and %d", before, after)
	case before+after > 0:
		return fmt.Sprintf("; the nearest is on line %d", before+after)
	}
	return ""
}
