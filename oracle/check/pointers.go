package check

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/oracle/abstraction"
	"hbcheck.dev/hbcheck/static/pointer"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// Pointers compares states of the machine with the analysis: every pointer must
// be in the set of its variable, every call on a stack in the call graph. A
// difference is an error in the analysis, or in the abstraction.
type Pointers struct {
	*abstraction.Abstraction
	// Errors are the differences found, each once, at most maxErrors.
	Errors []string
	Counts PointerCounts

	r *pointer.Result
	p *pointer.Policy
	// The machine itself calls these functions, and so do external callees.
	external map[*ssa.Function]bool
}

// PointerCounts has the numbers of comparisons.
type PointerCounts struct {
	Pointers, Interfaces, Calls int
	Unknown                     int // pointers to objects whose context is not known
}

const maxErrors = 50

// NewPointers returns a comparison with r. Like any Abstraction it has to observe the
// machine.
func NewPointers(r *pointer.Result) *Pointers {
	c := &Pointers{Abstraction: abstraction.New(r), r: r, p: r.Policy(), external: make(map[*ssa.Function]bool)}
	for call := range r.Calls() {
		if call.Site == nil {
			c.external[call.Callee.Fn] = true
		}
	}
	return c
}

func (c *Pointers) errorf(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); len(c.Errors) < maxErrors && !slices.Contains(c.Errors, text) {
		c.Errors = append(c.Errors, text)
	}
}

// Goroutines checks all goroutines: see Goroutine.
func (c *Pointers) Goroutines() { c.Machine().Live(c.Goroutine) }

// Goroutine checks the calls on the stack of goroutine g, and the operands of the
// instruction it executes next.
func (c *Pointers) Goroutine(g trace.GID) {
	stack := c.Stack(g)
	for i := range stack {
		if i+1 < len(stack) {
			c.call(&stack[i+1], &stack[i], false)
		} else if s, ok := c.Start(g); ok {
			c.call(&s, &stack[i], true)
		}
	}
	if len(stack) > 0 && stack[0].Unexecuted && stack[0].Instr != nil {
		c.operands(g, &stack[0])
	}
}

// call checks that caller may call callee where it is; started says that it
// executed a go statement there.
func (c *Pointers) call(caller, callee *abstraction.Frame, started bool) {
	if c.isExtra(caller) {
		return
	}
	external := func(f *abstraction.Frame) bool { return c.r.IsOpaque(f.Fn) || f.Context == pointer.External }
	if !c.Executes(callee.Fn, callee.Context) && !external(callee) && !c.isExtra(callee) {
		c.errorf("%s runs in context %s, which the analysis does not have", callee.Fn, c.p.String(callee.Context))
	}
	if external(caller) || c.r.IsOpaque(callee.Fn) || callee.Fn.Name() == "hbFatalPanic" {
		return
	}
	c.Counts.Calls++
	if callee.Deferred {
		if !c.defers(caller.Fn, caller.Context, callee.Fn) {
			c.errorf("%s runs deferred %s, which the call graph does not have", caller.Fn, callee.Fn)
		}
		return
	}
	site, ok := caller.Instr.(ssa.CallInstruction)
	switch {
	case !ok, caller.Unexecuted && !started, callee.Indirect && !started: // the machine has called
		if !c.external[callee.Fn] {
			c.errorf("the machine has called %s, which the call graph does not have", callee.Fn)
		}
	case !c.allows(site, caller.Context, callee.Fn):
		c.errorf("%s (context %s) calls %s at %s, which the call graph does not have",
			caller.Fn, c.p.String(caller.Context), callee.Fn, c.p.Position(site))
	}
}

// isExtra reports whether f is the wrapper of a method with a value receiver. The
// machine calls methods of interfaces through these where the analysis calls the
// method.
func (c *Pointers) isExtra(f *abstraction.Frame) bool {
	wrapper := f.Fn.Synthetic != "" && f.Fn.Syntax() == nil && f.Fn.Signature.Recv() != nil
	return wrapper && !c.Executes(f.Fn, f.Context)
}

// allows reports whether site may call fn in context ctx.
func (c *Pointers) allows(site ssa.CallInstruction, ctx pointer.Context, fn *ssa.Function) bool {
	ctxs := []pointer.Context{ctx}
	if ctx == pointer.Unknown {
		ctxs = c.r.Contexts(site.Parent())
	}
	for _, ctx := range ctxs {
		for _, a := range c.r.Callees(site, ctx) {
			if a.Fn == fn || a.Fn.Origin() != nil && a.Fn.Origin() == fn.Origin() || isWrapperOf(fn, a.Fn) {
				return true
			}
		}
	}
	return false
}

// isWrapperOf reports whether w adapts method fn to pointers.
func isWrapperOf(w, fn *ssa.Function) bool {
	if w.Synthetic == "" || w.Signature.Recv() == nil || fn.Signature.Recv() == nil || w.Name() != fn.Name() {
		return false
	}
	p, ok := w.Signature.Recv().Type().(*types.Pointer)
	return ok && types.Identical(p.Elem(), fn.Signature.Recv().Type())
}

// defers reports whether callee may be a deferred call that fn runs: the bodies of
// range-over-func loops defer on behalf of the function around them.
func (c *Pointers) defers(fn *ssa.Function, ctx pointer.Context, callee *ssa.Function) bool {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if d, ok := i.(*ssa.Defer); ok && c.allows(d, ctx, callee) {
				return true
			}
		}
	}
	for _, f := range fn.AnonFuncs {
		if f.Synthetic != "" && c.defers(f, pointer.Unknown, callee) {
			return true
		}
	}
	return false
}

// operands checks the operands of the instruction that g executes next in frame f.
func (c *Pointers) operands(g trace.GID, f *abstraction.Frame) {
	for _, op := range f.Instr.Operands(nil) {
		v := *op
		if v == nil || v.Parent() != f.Fn {
			continue
		}
		if _, ok := v.(*ssa.FreeVar); ok {
			continue // may be captured by value
		}
		words := c.Machine().StaticView().Words(g, &f.Activation, v)
		if words == nil {
			continue
		}
		s, ok := c.PointsTo(v, f.Context)
		if !ok {
			return
		}
		c.value(v.Type(), words, s, func() string {
			return fmt.Sprintf("operand %s = %s of %s in %s (context %s) at %s",
				v.Name(), v, f.Instr, f.Fn, c.p.String(f.Context), c.p.Position(f.Instr))
		})
	}
}

// value checks the words of a value of type t that is a pointer of some kind.
func (c *Pointers) value(t types.Type, words []uint64, s pointer.Set, what func() string) {
	if s.Universal() {
		return
	}
	switch t.Underlying().(type) {
	case *types.Interface:
		c.iface(words[0], words[1], s, what)
	case *types.Signature:
		c.function(words[0], s, what)
	case *types.Slice:
		if words[2] > 0 { // otherwise it may point just after an object
			c.pointer(words[0], s, what)
		}
	case *types.Pointer, *types.Map, *types.Chan:
		c.pointer(words[0], s, what)
	case *types.Basic:
		if t.Underlying().(*types.Basic).Kind() == types.UnsafePointer {
			c.pointer(words[0], s, what)
		}
	}
}

// pointer checks that p is in s.
func (c *Pointers) pointer(p uint64, s pointer.Set, what func() string) {
	if p == 0 || s.Universal() {
		return
	}
	id, off := uint32(p>>32), int64(uint32(p))
	if !c.Known(id) || off > 0 && off >= int64(c.Machine().StaticView().Object(id).Size) {
		return
	}
	c.Counts.Pointers++
	at := c.Origin(id)
	if at.Context == pointer.Unknown {
		c.Counts.Unknown++
	}
	var names []string
	for _, o := range c.Object(id) {
		l := o.Label(off)
		if s.Has(l) {
			return
		}
		names = append(names, c.r.Describe(o)+l.Path())
	}
	where := "the machine"
	if at.Instr != nil {
		where = fmt.Sprintf("%s in %s, context %s", at.Instr, at.Instr.Parent(), c.p.String(at.Context))
	}
	c.errorf("%s points to %s (object %d+%d of type %v, allocated by %s), not to one of %v",
		what(), strings.Join(names, " or "), id, off, c.Machine().StaticView().Object(id).Type, where, s.Strings())
}

// function checks that func value fv is in s.
func (c *Pointers) function(fv uint64, s pointer.Set, what func() string) {
	if fv == 0 || s.Universal() {
		return
	}
	if fv>>63 == 0 {
		c.pointer(fv, s, what)
		return
	}
	fn := c.Machine().StaticView().Function(fv)
	if fn == nil {
		return
	}
	c.Counts.Pointers++
	for l := range s.Labels() {
		if l.Object.Func() == fn {
			return
		}
	}
	c.errorf("%s is %s, not one of %v", what(), fn, s.Strings())
}

// iface checks that the interface with words tw and data is in s.
func (c *Pointers) iface(tw, data uint64, s pointer.Set, what func() string) {
	t := c.Machine().StaticView().DynamicType(tw)
	if t == nil || s.Universal() {
		return
	}
	c.Counts.Interfaces++
	content, direct, found := c.r.Boxed(s, t)
	if !found {
		c.errorf("%s has dynamic type %s, not one of %v", what(), t, s.Strings())
		return
	}
	inside := func() string { return fmt.Sprintf("the content, a %s, of %s", t, what()) }
	if direct {
		c.direct(t, data, content, inside)
		return
	}
	for l := range content.Labels() {
		if l.Object.Kind == pointer.Opaque {
			return // boxes of external code are all one
		}
	}
	c.pointer(data, content, inside)
}

// direct checks word w, a value of type t, which is pointer-shaped.
func (c *Pointers) direct(t types.Type, w uint64, s pointer.Set, what func() string) {
	switch u := t.Underlying().(type) {
	case *types.Signature:
		c.function(w, s, what)
	case *types.Struct:
		c.direct(u.Field(0).Type(), w, s, what)
	case *types.Array:
		c.direct(u.Elem(), w, s, what)
	default:
		c.pointer(w, s, what)
	}
}

// Heap checks the pointers in all objects.
func (c *Pointers) Heap() {
	n, first := c.Machine().StaticView().Objects()
	for id := uint32(1); id < n; id++ {
		if id >= first && c.Machine().StaticView().Freed(id) {
			continue
		}
		c.memory(id)
	}
}

// memory checks the pointers in object id. It omits memory that the machine arranges differently.
func (c *Pointers) memory(id uint32) {
	info := c.Machine().StaticView().Object(id)
	if info.Type == nil || info.Map {
		return
	}
	if !c.Known(id) {
		return
	}
	objs := c.Object(id)
	if len(objs) == 0 {
		return
	}
	switch o := objs[0]; {
	case o.Kind == pointer.Map, o.Kind == pointer.Chan, o.Kind == pointer.Closure, o.Kind == pointer.Opaque, o.Kind == pointer.Native,
		o.Kind == pointer.Boxed && !types.Identical(o.Type, info.Type), // entries of a map that was cloned
		info.Global != nil && c.r.IsOpaquePackage(info.Global.Pkg.Pkg.Path()):
		return
	}
	size := sizes.Sizeof(info.Type)
	if size == 0 {
		return
	}
	left := maxPointers
	for start := int64(0); start < int64(info.Size); start += size {
		pointers(info.Type, start, &left, func(off int64, t types.Type) {
			var words [3]uint64
			p := uint64(id)<<32 | uint64(off)
			for i := range sizes.Sizeof(t) / 8 {
				words[i], _ = c.Machine().StaticView().Word(p + uint64(i)*8)
			}
			if words[0] == 0 {
				return
			}
			var s pointer.Set
			for _, o := range objs {
				s = s.Union(c.r.Content(o.Label(off)))
			}
			c.value(t, words[:], s, func() string {
				return fmt.Sprintf("%s%s at offset %d of object %d (%v)",
					c.r.Describe(objs[0]), objs[0].Label(off).Path(), off, id, info.Type)
			})
		})
	}
}

// maxPointers bounds the pointers that are compared in one object.
const maxPointers = 1024

// sizes are those of the machine.
var sizes = types.SizesFor("gc", "amd64")

// pointers calls f for each pointer of any kind in memory of type t at offset
// off, as long as there are any left.
func pointers(t types.Type, off int64, left *int, f func(off int64, t types.Type)) {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		fields := slices.Collect(u.Fields())
		for i, o := range sizes.Offsetsof(fields) {
			pointers(fields[i].Type(), off+o, left, f)
		}
	case *types.Array:
		n := sizes.Sizeof(u.Elem())
		for i := range u.Len() {
			if *left == 0 {
				return
			}
			before := *left
			pointers(u.Elem(), off+i*n, left, f)
			if *left == before {
				return // no element holds a pointer
			}
		}
	case *types.Basic:
		if u.Kind() == types.UnsafePointer && *left > 0 {
			*left--
			f(off, t)
		}
	case *types.Pointer, *types.Map, *types.Chan, *types.Slice, *types.Signature, *types.Interface:
		if *left > 0 {
			*left--
			f(off, t)
		}
	}
}

var _ vm.Observer = (*Pointers)(nil)
