package static

import (
	"go/token"
	"go/types"
	"maps"
	"slices"
	"sort"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/static/pointer"
	"hbcheck.dev/hbcheck/trace"
)

// CallGraph is a Program whose calls and pointers are resolved by the points-to analysis. It does not
// distinguish contexts: a fact about a function holds in all its contexts.
//
// Two kinds of functions have no body, so they may do anything: those that are opaque to the analysis
// (package reflect), and those that cannot be called according to it.
//
// All analyses use it, so it keeps its answers: the functions that a call may call, the body of a function,
// the objects of a pointer.
type CallGraph struct {
	Pointers *pointer.Result

	prog    *load.Program
	natives Natives
	acc     *Accesses
	callees map[ssa.CallInstruction][]*ssa.Function
	bodies  map[*ssa.Function]*ssa.Function
	where   map[ssa.Value]Set
	makers  map[*ssa.Function]*ssa.MakeClosure
	paths   *Paths       // for LockerField, once it has been asked
	locks   map[Set]bool // see HasLocks
}

// Natives has the necessary facts about the machine's natives.
type Natives interface {
	// Native reports whether fn is implemented by the machine, with or without a body.
	Native(fn *ssa.Function) bool
	// Trusted reports whether fn belongs to the models.
	Trusted(fn *ssa.Function) bool
}

// NewCallGraph analyses the pointers of prog from entry e on.
func NewCallGraph(prog *load.Program, e *load.Entry, natives Natives) *CallGraph {
	return NewCallGraphOf(prog, pointer.Analyze(prog, e), natives)
}

// NewCallGraphOf is NewCallGraph for an analysis that has been made.
func NewCallGraphOf(prog *load.Program, result *pointer.Result, natives Natives) *CallGraph {
	g := &CallGraph{
		Pointers: result,
		prog:     prog,
		natives:  natives,
		acc:      NewAccesses(),
		callees:  make(map[ssa.CallInstruction][]*ssa.Function),
		bodies:   make(map[*ssa.Function]*ssa.Function),
		where:    make(map[ssa.Value]Set),
		makers:   make(map[*ssa.Function]*ssa.MakeClosure),
		locks:    make(map[Set]bool),
	}
	g.acc.Fits = g.fits
	g.acc.Name = func(n int) string {
		switch v := g.Object(n).Site.(type) {
		case *ssa.Global:
			return v.Name()
		case *ssa.Alloc:
			if v.Heap && token.IsIdentifier(v.Comment) && v.Comment != "new" && v.Comment != "complit" {
				return v.Comment
			}
		}
		return ""
	}
	return g
}

// Result returns the points-to analysis.
func (g *CallGraph) Result() *pointer.Result { return g.Pointers }

// Accesses implements Program.
func (g *CallGraph) Accesses() *Accesses { return g.acc }

// Body implements Program.
func (g *CallGraph) Body(fn *ssa.Function) *ssa.Function {
	b, ok := g.bodies[fn]
	if !ok {
		b = g.body(fn)
		g.bodies[fn] = b
	}
	return b
}

func (g *CallGraph) body(fn *ssa.Function) *ssa.Function {
	if g.natives.Native(fn) || g.Pointers.IsOpaque(fn) {
		return nil
	}
	g.prog.EnsureBuilt(fn)
	if fn.Blocks == nil {
		l := g.prog.Linked(fn)
		if l == nil || g.natives.Native(l) {
			return nil
		}
		if g.prog.EnsureBuilt(l); l.Blocks == nil {
			return nil
		}
		fn = l
	}
	if !g.Pointers.IsReachable(fn) {
		return nil
	}
	return fn
}

// Callees implements Program. A native may call the functions among its arguments.
func (g *CallGraph) Callees(site ssa.CallInstruction) []*ssa.Function {
	list, ok := g.callees[site]
	if !ok {
		seen := make(map[*ssa.Function]bool)
		for _, ctx := range g.Pointers.Contexts(site.Parent()) {
			for _, c := range g.Pointers.Callees(site, ctx) {
				if !seen[c.Fn] {
					seen[c.Fn] = true
					list = append(list, c.Fn)
				}
			}
		}
		list = append(list, g.unseen(site)...)
		// A function that is called by name and has a model may be missing in the graph.
		if fn := site.Common().StaticCallee(); fn != nil && !seen[fn] {
			list = append(list, fn)
		}
		sortFuncs(list)
		g.callees[site] = list
	}
	return list
}

// CopiedLocks returns the objects in which locks may be copied or overwritten: values of package sync, or
// values that contain some, are read or written as a whole (go vet calls this copylocks), or written through
// an address that was an unsafe.Pointer. Functions of models do not count. any is set if these may be all
// objects.
//
// An operation on a mutex in one of them may conflict with a plain access, which no analysis of locks
// looks for.
func (g *CallGraph) CopiedLocks() (objs Set, any bool) {
	add := func(v ssa.Value) {
		x := g.Where(v)
		any = any || x == Empty
		objs = g.acc.Objs.Union(objs, x)
	}
	for _, fn := range g.Pointers.Reachable() {
		if g.natives.Trusted(fn) || g.Body(fn) != fn {
			continue
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if !g.Pointers.IsOpaque(fn) {
					g.acc.Direct(i, g.Where, func(x Access) {
						if x.Key == 0 && x.Write && g.HasLocks(x.Objs) {
							objs = g.acc.Objs.Union(objs, x.Objs)
						}
					})
				}
				switch i := i.(type) {
				case *ssa.UnOp:
					if a, ok := i.X.(*ssa.Alloc); i.Op == token.MUL && hasPrimitive(i.Type()) && !(ok && !a.Heap) {
						add(i.X)
					}
				case *ssa.Store:
					if hasPrimitive(i.Val.Type()) && !initialises(i) {
						add(i.Addr)
					}
				case *ssa.Call:
					if _, ok := i.Call.Value.(*ssa.Builtin); ok { // append, copy, clear
						//mutant: elements are not copied [micro elementsCopied]: "Call.Args" -> "Call.Args[:0]"
						for _, v := range i.Call.Args {
							if t, ok := v.Type().Underlying().(*types.Slice); ok && hasPrimitive(t.Elem()) {
								add(v)
							}
						}
					}
				}
			}
		}
	}
	return objs, any
}

// initialises reports whether st is the first use of the variable that it writes. The first use of a
// package variable is before the entry begins.
func initialises(st *ssa.Store) bool {
	if _, ok := st.Addr.(*ssa.Global); ok && st.Parent().Name() == "init" && st.Parent().Synthetic != "" {
		return true
	}
	a, ok := st.Addr.(*ssa.Alloc)
	if !ok || a.Block() != st.Block() {
		return false
	}
	for _, i := range a.Block().Instrs[slices.Index(a.Block().Instrs, ssa.Instruction(a))+1:] {
		if i == st {
			return true
		}
		uses := func(v *ssa.Value) bool { return *v == a }
		if _, debug := i.(*ssa.DebugRef); !debug && slices.ContainsFunc(i.Operands(nil), uses) {
			return false
		}
	}
	return false
}

// hasPrimitive reports whether values of type t contain some of package sync.
func hasPrimitive(t types.Type) bool { return has(t, isPrimitive) }

// has reports whether the function called is accepts t, or the type of a part of t.
func has(t types.Type, is func(types.Type) bool) bool {
	if is(t) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if has(f.Type(), is) {
				return true
			}
		}
	case *types.Array:
		return has(u.Elem(), is)
	}
	return false
}

// unseen returns functions that represent those callees of site that belong to opaque code, for example the
// results of reflect.MakeFunc and Swapper.
func (g *CallGraph) unseen(site ssa.CallInstruction) (list []*ssa.Function) {
	c := site.Common()
	if c.IsInvoke() || c.StaticCallee() != nil {
		return nil
	}
	if _, ok := c.Value.(*ssa.Builtin); ok {
		return nil
	}
	to := g.Pointers.PointsToAnywhere(c.Value)
	found := to.Universal()
	for l := range to.Labels() {
		// The code that uses a library is not part of the program.
		found = found || l.Object.Kind == pointer.Func && l.Object.Func() == nil && !l.Object.IsOutside()
	}
	if !found {
		return nil
	}
	// Any of their functions that may do anything is suitable. (The existing ones depend on the program.)
	for _, path := range []string{"reflect", "internal/reflectlite"} {
		p := g.prog.Package(path)
		if p == nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(p.SSA.Members)) {
			fn, ok := p.SSA.Members[name].(*ssa.Function)
			if ok && fn.Name() != "init" && g.Pointers.IsOpaque(fn) && g.nativeEffects(fn) == trace.AnyMemory {
				return []*ssa.Function{fn}
			}
		}
	}
	panic("BUG: a func of opaque code, and there is no such code")
}

// CallsOutside reports whether site, a dynamic call, may call functions of the code that uses a library.
func (g *CallGraph) CallsOutside(site ssa.CallInstruction) bool {
	to := g.Pointers.PointsToAnywhere(site.Common().Value)
	for l := range to.Labels() {
		if l.Object.IsOutside() {
			return true
		}
	}
	return false
}

func sortFuncs(list []*ssa.Function) {
	sort.Slice(list, func(i, j int) bool {
		if a, b := list[i].String(), list[j].String(); a != b {
			return a < b
		}
		return list[i].Pos() < list[j].Pos()
	})
}

// Functions lists the functions that may be called.
func (g *CallGraph) Functions() []*ssa.Function { return g.Pointers.Reachable() }

// Plain implements Program.
func (g *CallGraph) Plain(fn *ssa.Function) bool { return !g.natives.Trusted(fn) }

// Binding implements Program.
func (g *CallGraph) Binding(fv *ssa.FreeVar) ssa.Value {
	lit := fv.Parent()
	mc, ok := g.makers[lit]
	if !ok {
		mc = onlyMaker(lit)
		g.makers[lit] = mc
	}
	if mc == nil {
		return nil
	}
	for i, v := range lit.FreeVars {
		if v == fv {
			return mc.Bindings[i]
		}
	}
	return nil
}

// onlyMaker returns the instruction that makes closures of lit, or nil if there
// is not exactly one.
func onlyMaker(lit *ssa.Function) (maker *ssa.MakeClosure) {
	if lit.Parent() == nil {
		return nil
	}
	for _, b := range lit.Parent().Blocks {
		for _, instr := range b.Instrs {
			if mc, ok := instr.(*ssa.MakeClosure); ok && mc.Fn == lit {
				if maker != nil {
					return nil
				}
				maker = mc
			}
		}
	}
	return maker
}

// Where implements Program.
func (g *CallGraph) Where(v ssa.Value) Set {
	s, ok := g.where[v]
	if !ok {
		s = g.objects(g.Pointers.PointsToAnywhere(v))
		g.where[v] = s
	}
	return s
}

// fits reports whether everything that v, a pointer or slice, may refer to has v's type: a pointer may have
// been converted, through unsafe.Pointer, earlier.
func (g *CallGraph) fits(v ssa.Value) bool {
	for l := range g.Pointers.PointsToAnywhere(v).Labels() {
		if !l.Fits(v.Type()) {
			return false
		}
	}
	return true
}

// objects returns the objects with addresses in p, or Empty for all objects.
func (g *CallGraph) objects(p pointer.Set) Set {
	if p.Universal() {
		return Empty
	}
	var nums []int
	for l := range p.Labels() {
		nums = append(nums, l.Object.Number())
	}
	return g.acc.Objs.Of(nums...)
}

// Receivers returns the objects that may contain the receiver of a dynamic call, if it is a pointer, or
// Empty for all objects.
func (g *CallGraph) Receivers(site ssa.CallInstruction) Set {
	v := site.Common().Value
	s, ok := g.where[v]
	if ok {
		return s
	}
	boxes := g.Pointers.PointsToAnywhere(v)
	if !boxes.Universal() {
		var nums []int
		for l := range boxes.Labels() {
			in := g.Pointers.Content(l)
			if in.Universal() {
				nums = nil
				break
			}
			for x := range in.Labels() {
				nums = append(nums, x.Object.Number())
			}
		}
		s = g.acc.Objs.Of(nums...)
	}
	g.where[v] = s
	return s
}

// Lockers returns the objects that may contain the mutex of a Cond, or Empty for all objects. site is a
// call of the Cond's Wait.
func (g *CallGraph) Lockers(site ssa.CallInstruction) Set {
	var nums []int
	for c := range g.Pointers.PointsToAnywhere(site.Common().Args[0]).Labels() {
		boxes := g.Pointers.Content(c) // contents of L, the first field of a Cond that is not empty
		if boxes.Universal() || boxes.Len() == 0 {
			return Empty
		}
		for l := range boxes.Labels() {
			in := g.Pointers.Content(l)
			if in.Universal() {
				return Empty
			}
			for x := range in.Labels() {
				nums = append(nums, x.Object.Number())
			}
		}
	}
	return g.acc.Objs.Of(nums...)
}

// Objects returns the set of list.
func (g *CallGraph) Objects(list []*pointer.Object) Set {
	nums := make([]int, len(list))
	for i, o := range list {
		nums[i] = o.Number()
	}
	return g.acc.Objs.Of(nums...)
}

// Object returns the object with number n.
func (g *CallGraph) Object(n int) *pointer.Object { return g.Pointers.Objects()[n-1] }
