package load

import (
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// strip takes the calls of counters out of the functions of the user's module, which it builds.
//
// The result is the functions as they would be without counters. Package ssa removes blocks that have only a
// jump before it replaces variables by values, but a counter keeps such a block. A second program, in which
// variables are not replaced, shows these blocks (hollow). They are removed here, and their counters move to
// the edges that led to them. There are two exceptions: a statement with only empty arms, whose branch
// package ssa would have removed; and a block in which values are merged. Such a block jumps forwards, for
// example to a loop after an if statement, and makes no difference for states. The block may make a
// difference if it is a continue or goto that stands alone after an if statement.
func (prog *Program) strip() {
	c := prog.cover
	if c == nil {
		return
	}
	c.findHollow(prog)
	for _, p := range prog.All {
		if !p.Std { // instances of functions are made by their users
			p.SSA.Build()
		}
	}
	for _, p := range c.packages {
		for _, fn := range p.functions(prog.SSA, p.SSA) {
			c.stripFunction(fn)
		}
	}
}

// functions returns the functions of p, which is pkg in x: init, and those that are declared.
func (p *Package) functions(x *ssa.Program, pkg *ssa.Package) []*ssa.Function {
	list := []*ssa.Function{pkg.Func("init")}
	for _, f := range p.Files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				if obj, ok := p.Info.Defs[d.Name].(*types.Func); ok {
					list = append(list, x.FuncValue(obj))
				}
			}
		}
	}
	return list
}

// findHollow finds the blocks of source code that begin in blocks of SSA in which there is nothing else.
func (c *coverage) findHollow(prog *Program) {
	x := ssa.NewProgram(prog.Fset, ssa.BareInits|ssa.InstantiateGenerics|ssa.NaiveForm)
	pkgs := make(map[*Package]*ssa.Package)
	for _, p := range prog.All {
		if slices.Contains(c.packages, p) {
			pkgs[p] = x.CreatePackage(p.Types, p.Files, p.Info, false)
		} else {
			x.CreatePackage(p.Types, nil, nil, true)
		}
	}
	for _, p := range c.packages {
		pkgs[p].Build()
	}
	done := make(map[*ssa.Function]bool)
	for _, p := range c.packages {
		for _, fn := range p.functions(x, pkgs[p]) {
			eachFunction(fn, done, func(fn *ssa.Function) {
				for _, b := range fn.Blocks {
					last := len(b.Instrs) - 1
					if _, jumps := b.Instrs[last].(*ssa.Jump); !jumps || b.Index == 0 || last == 0 || b == fn.Recover {
						continue
					}
					if _, phi := b.Succs[0].Instrs[0].(*ssa.Phi); phi || b.Succs[0] == b {
						continue
					}
					var list []int
					for _, instr := range b.Instrs[:last] {
						if n, ok := counted(instr); ok {
							list = append(list, n)
						}
					}
					if len(list) == last {
						c.hollow[list[0]] = true
					}
				}
			})
		}
	}
}

// eachFunction calls f with fn, the functions inside of it, and the instances of others to which they refer,
// except for those that done has.
func eachFunction(fn *ssa.Function, done map[*ssa.Function]bool, f func(*ssa.Function)) {
	work := []*ssa.Function{fn}
	for len(work) > 0 {
		fn := work[len(work)-1]
		work = work[:len(work)-1]
		if fn == nil || done[fn] {
			continue
		}
		done[fn] = true
		work = append(work, fn.AnonFuncs...)
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				for _, v := range instr.Operands(nil) {
					if f, ok := (*v).(*ssa.Function); ok && f.Pkg == nil && f.Parent() == nil {
						work = append(work, f)
					}
				}
			}
		}
		f(fn)
	}
}

// stripFunction strips fn, the functions inside of it, and the instances that they refer to.
func (c *coverage) stripFunction(fn *ssa.Function) {
	c.mu.Lock()
	defer c.mu.Unlock()
	eachFunction(fn, c.done, c.stripOne)
}

func (c *coverage) stripOne(fn *ssa.Function) {
	for _, b := range fn.Blocks {
		kept := b.Instrs[:0]
		for _, instr := range b.Instrs {
			if n, ok := counted(instr); ok {
				at := instrPlace{b, len(kept)}
				c.begins[at] = append(c.begins[at], n)
			} else {
				kept = append(kept, instr)
			}
		}
		clear(b.Instrs[len(kept):])
		b.Instrs = kept
	}
	kept := fn.Blocks[:0]
	for _, b := range fn.Blocks {
		if !c.bypass(b) {
			b.Index = len(kept)
			kept = append(kept, b)
		}
	}
	clear(fn.Blocks[len(kept):])
	fn.Blocks = kept
}

// bypass takes b out of its function if it is hollow, as jumpThreading of package ssa would have done.
func (c *coverage) bypass(b *ssa.BasicBlock) bool {
	counters := c.begins[instrPlace{b, 0}]
	if len(b.Instrs) != 1 || len(counters) == 0 || !c.hollow[counters[0]] {
		return false
	}
	to := b.Succs[0]
	for _, a := range b.Preds {
		if slices.Contains(a.Succs, to) {
			return false // the exception
		}
	}
	at := slices.Index(to.Preds, b)
	for i, a := range b.Preds {
		a.Succs[slices.Index(a.Succs, b)] = to
		c.edges[edge{a, to}] = slices.Concat(c.edges[edge{a, b}], counters, c.edges[edge{b, to}])
		if i == 0 {
			to.Preds[at] = a
			continue
		}
		to.Preds = append(to.Preds, a)
		for _, instr := range to.Instrs {
			phi, ok := instr.(*ssa.Phi)
			if !ok {
				break
			}
			phi.Edges = append(phi.Edges, phi.Edges[at])
			if refs := phi.Edges[at].Referrers(); refs != nil {
				*refs = append(*refs, phi)
			}
		}
	}
	return true
}

// counted returns the number of the block that instr counts, if it is a call of a counter.
func counted(instr ssa.Instruction) (n int, ok bool) {
	call, ok := instr.(*ssa.Call)
	if !ok {
		return 0, false
	}
	fn, ok := call.Call.Value.(*ssa.Function)
	if !ok || !strings.HasPrefix(fn.Name(), counter) {
		return 0, false
	}
	n, err := strconv.Atoi(fn.Name()[len(counter):])
	return n, err == nil
}
