package debug

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/vm"
	"hbcheck.dev/hbcheck/vm/bytecode"
)

// The values of a function's variables at each instruction, by a forward data flow analysis over its
// blocks.
//
// A binding has the SSA value of a variable, or its address. It comes into being
//
//  1. at the beginning: parameters, and what a closure has captured;
//  2. where an address is made for it (Alloc), or two are joined (Phi);
//  3. where package ssa has noted a value of it (load.Naming), or joins two values of it (Phi).
//
// It is lost where another value is written to its register, and where paths with different bindings meet.
// Claim: a binding has the variable's value.
//
//  1. Package ssa records a value after each assignment, and a use has the variable's present value.
//     Where paths with two values of a variable join there is a Phi, unless the variable is not used
//     afterwards. Without a Phi the bindings of the paths differ, and the binding is lost.
//  2. A register has a value from its definition until another value with that register is defined:
//     nothing else writes to registers of values.
//  3. A variable that is in memory has its address as its binding, and nothing else: a value that
//     was loaded from it could be out of date.

// A varKey names a variable of a function.
type varKey struct {
	name string
	pos  token.Pos
}

// names are the bindings of a function.
type names struct {
	fn     *ssa.Function
	code   *bytecode.Func
	vars   []varKey // by position
	memory []bool   // by variable: whether it is in memory
	found  map[int][]load.Naming
	at     [][]binding // at the beginning of each block
	sizes  types.Sizes
	phis   map[*ssa.Phi]int
}

// A binding describes the value of a variable.
type binding struct {
	kind bindingKind
	x    ssa.Value
}

type bindingKind uint8

const (
	unvisited bindingKind = iota // no path has come here
	unassigned
	lost    // paths with different values meet, or the register has another value
	isValue // x
	isAddr  // the variable is at address x
)

// namesOf returns the bindings of the function of a point; nil if it has no code of its own.
func (s *Session) namesOf(p vm.Point) *names {
	code := s.vm.Debugger().Code(p)
	fn := code.SSA
	if fn == nil || len(fn.Blocks) == 0 || code.Refused != "" || !s.linesOf(p).user {
		return nil
	}
	n := s.names[fn]
	if n == nil {
		n = makeNames(s.cfg.Prog, s.vm, fn, code)
		s.names[fn] = n
	}
	return n
}

func makeNames(prog *load.Program, m *vm.Machine, fn *ssa.Function, code *bytecode.Func) *names {
	n := &names{fn: fn, code: code, found: make(map[int][]load.Naming), phis: make(map[*ssa.Phi]int), sizes: words{m}}
	add := func(k varKey, memory bool) int {
		i := slices.Index(n.vars, k)
		if i < 0 {
			i = len(n.vars)
			n.vars, n.memory = append(n.vars, k), append(n.memory, false)
		}
		n.memory[i] = n.memory[i] || memory
		return i
	}
	for _, p := range fn.Params {
		if k, ok := paramKey(p); ok {
			add(k, false)
		}
	}
	for i, v := range fn.FreeVars {
		add(varKey{v.Name(), v.Pos()}, !m.StaticView().ByValue(fn, i))
	}
	for _, x := range prog.Namings(fn) {
		add(varKey{x.Var.Name(), x.Var.Pos()}, x.Addr)
		n.found[x.Block] = append(n.found[x.Block], x)
	}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			// A value that is not a variable has a comment, too, which matches nothing in the source.
			if a, ok := i.(*ssa.Alloc); ok && a.Comment != "" && a.Pos().IsValid() {
				add(varKey{a.Comment, a.Pos()}, true)
			}
		}
	}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if p, ok := i.(*ssa.Phi); ok && p.Comment != "" {
				if k := slices.Index(n.vars, varKey{p.Comment, p.Pos()}); k >= 0 {
					n.phis[p] = k
				}
			}
		}
	}
	n.solve()
	return n
}

// paramKey returns the variable of a parameter; parameters of package ssa's own functions are not
// variables.
func paramKey(p *ssa.Parameter) (varKey, bool) {
	if v, ok := p.Object().(*types.Var); ok && v != nil {
		return varKey{v.Name(), v.Pos()}, true
	}
	return varKey{}, false
}

// words are the sizes that the machine uses.
type words struct{ m *vm.Machine }

func (w words) Alignof(types.Type) int64         { panic("BUG: debug: not asked") }
func (w words) Offsetsof(f []*types.Var) []int64 { panic("BUG: debug: not asked") }
func (w words) Sizeof(t types.Type) int64        { return w.m.Report().SizeOf(t) }

// solve computes the bindings at the beginnings of blocks.
func (n *names) solve() {
	n.at = make([][]binding, len(n.fn.Blocks))
	entry := make([]binding, len(n.vars))
	for i := range entry {
		entry[i].kind = unassigned
	}
	for _, p := range n.fn.Params {
		if k, ok := paramKey(p); ok {
			entry[slices.Index(n.vars, k)] = binding{isValue, p}
		}
	}
	for _, v := range n.fn.FreeVars {
		i, kind := slices.Index(n.vars, varKey{v.Name(), v.Pos()}), isValue
		if n.memory[i] {
			kind = isAddr
		}
		entry[i] = binding{kind, v}
	}
	work := []int{0}
	n.at[0] = entry
	if r := n.fn.Recover; r != nil { // control comes from anywhere
		at := slices.Clone(entry)
		for i := range at {
			if at[i].kind != isAddr {
				at[i] = binding{kind: lost}
			}
		}
		n.at[r.Index] = at
		work = append(work, r.Index)
	}
	for len(work) > 0 {
		b := n.fn.Blocks[work[len(work)-1]]
		work = work[:len(work)-1]
		out := n.before(b, len(b.Instrs))
		for _, next := range b.Succs {
			if n.meet(next, out) && !slices.Contains(work, next.Index) {
				work = append(work, next.Index)
			}
		}
	}
}

// meet joins the bindings of a predecessor of b with those of b, and reports a change.
func (n *names) meet(b *ssa.BasicBlock, from []binding) bool {
	at := n.at[b.Index]
	if at == nil {
		n.at[b.Index] = slices.Clone(from)
		return true
	}
	changed := false
	for i := range at {
		if at[i] != from[i] && at[i].kind != lost {
			at[i], changed = binding{kind: lost}, true
		}
	}
	return changed
}

// before returns the bindings before instruction i of b, which has been visited.
func (n *names) before(b *ssa.BasicBlock, i int) []binding {
	if n.at[b.Index] == nil {
		return nil
	}
	at := slices.Clone(n.at[b.Index])
	// The phis of a block are written together.
	phis := 0
	for phis < len(b.Instrs) {
		p, ok := b.Instrs[phis].(*ssa.Phi)
		if !ok {
			break
		}
		n.overwrite(at, p)
		phis++
	}
	for _, instr := range b.Instrs[:phis] {
		p := instr.(*ssa.Phi)
		if k, ok := n.phis[p]; ok {
			n.bind(at, k, p)
		}
	}
	found := n.found[b.Index]
	note := func(k int) {
		for len(found) > 0 && found[0].Index <= k {
			x := found[0]
			found = found[1:]
			// The address of a variable in memory is that of its allocation.
			if v := slices.Index(n.vars, varKey{x.Var.Name(), x.Var.Pos()}); !n.memory[v] {
				at[v] = binding{isValue, n.unaliased(x.X)}
			}
		}
	}
	for k := phis; k < i; k++ {
		note(k)
		v, ok := b.Instrs[k].(ssa.Value)
		if !ok {
			continue
		}
		n.overwrite(at, v)
		if _, tuple := v.Type().(*types.Tuple); tuple { // the tuple's parts are written with it
			for _, r := range *v.Referrers() {
				if part, ok := r.(*ssa.Extract); ok {
					n.overwrite(at, part)
				}
			}
		}
		if a, ok := v.(*ssa.Alloc); ok {
			if k := slices.Index(n.vars, varKey{a.Comment, a.Pos()}); k >= 0 {
				at[k] = binding{isAddr, a}
			}
		}
	}
	note(i)
	return at
}

// unaliased returns the variable that v loads, if v has no register of its own because the variable is
// captured by value.
func (n *names) unaliased(v ssa.Value) ssa.Value {
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		if _, has := n.code.Regs[v]; !has {
			if fv, ok := load.X.(*ssa.FreeVar); ok {
				return fv
			}
		}
	}
	return v
}

// bind gives variable k the value or the address v.
func (n *names) bind(at []binding, k int, v ssa.Value) {
	if n.memory[k] {
		at[k] = binding{isAddr, v}
		return
	}
	at[k] = binding{isValue, v}
}

// overwrite notes that v is written to its registers.
func (n *names) overwrite(at []binding, v ssa.Value) {
	from, to, ok := n.registers(v)
	if !ok {
		return
	}
	for i := range at {
		if at[i].kind < isValue || at[i].x == v {
			continue
		}
		if a, b, ok := n.registers(at[i].x); ok && a < to && from < b {
			at[i] = binding{kind: lost}
		}
	}
}

// registers returns the registers of v, from and to, if it has any.
func (n *names) registers(v ssa.Value) (from, to int, ok bool) {
	if from, ok = n.code.Regs[v]; !ok {
		return 0, 0, false
	}
	if _, iterator := v.(*ssa.Range); iterator {
		return from, from + 3, true
	}
	return from, from + n.size(v), true
}

// size returns the number of registers of v.
func (n *names) size(v ssa.Value) int {
	t := v.Type()
	if f, ok := v.(*ssa.FreeVar); ok && !n.memory[slices.Index(n.vars, varKey{f.Name(), f.Pos()})] {
		t = pointee(t)
	}
	return int((n.sizes.Sizeof(t) + 7) / 8)
}

// pointee is the type that a pointer points to.
func pointee(t types.Type) types.Type { return t.Underlying().(*types.Pointer).Elem() }
