package pointer

import (
	"fmt"
	"go/types"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/txtar"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// machineCheck compares what the machine does with a Result: the oracle for the
// soundness of the analysis.
type machineCheck struct {
	r       *Result
	m       *vm.Machine
	origin  map[uint32]origin           // of each object
	base    map[trace.GID]Context       // of each goroutine: context at the go statement
	start   map[trace.GID]vm.Activation // and the frame that executed it
	stack   []vm.Activation
	frames  []Frame
	errors  []string
	checked struct{ pointers, interfaces, calls, exact, unknown int }
}

// origin is where an object was allocated.
type origin struct {
	instr ssa.Instruction // nil: by the machine itself
	fn    *ssa.Function   // of the innermost frame
	ctx   Context
}

func newMachineCheck(r *Result) *machineCheck {
	return &machineCheck{r: r, origin: make(map[uint32]origin), base: make(map[trace.GID]Context), start: make(map[trace.GID]vm.Activation)}
}

func (c *machineCheck) errorf(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); len(c.errors) < 50 && !slices.Contains(c.errors, text) {
		c.errors = append(c.errors, text)
	}
}

// context returns the context of the innermost frame of goroutine g, and that frame.
func (c *machineCheck) context(g trace.GID, stack []vm.Activation) Context {
	c.frames = c.frames[:0]
	for i, a := range stack {
		f := Frame{Fn: a.Fn, Deferred: a.Deferred}
		if i+1 < len(stack) {
			if out := &stack[i+1]; !out.Again || a.Deferred {
				f.Site = out.Instr
			}
		} else if s, ok := c.start[g]; ok {
			f.Site = s.Instr
		}
		c.frames = append(c.frames, f)
	}
	return c.r.Policy().Context(c.frames, c.base[g])
}

// activations returns the frames of g that have SSA code.
func (c *machineCheck) activations(m *vm.Machine, g trace.GID) []vm.Activation {
	c.stack = m.Activations(g, c.stack[:0])
	list := c.stack[:0]
	for _, a := range c.stack {
		if a.Fn != nil && !m.IsNative(a.Fn) { // a stub calls its native
			list = append(list, a)
		}
	}
	return list
}

// Allocated implements vm.Observer.
func (c *machineCheck) Allocated(m *vm.Machine, g trace.GID, obj uint32) {
	c.m = m
	stack := c.activations(m, g)
	o := origin{}
	if len(stack) > 0 && stack[0].Instr != nil {
		o = origin{stack[0].Instr, stack[0].Fn, c.context(g, stack)}
	}
	c.origin[obj] = o
}

// Started implements vm.Observer.
func (c *machineCheck) Started(m *vm.Machine, parent, child trace.GID) {
	stack := c.activations(m, parent)
	delete(c.start, child)
	delete(c.base, child)
	if len(stack) > 0 {
		c.base[child] = c.context(parent, stack)
		c.start[child] = stack[0]
	}
}

// objects returns the abstract objects for object id of the machine; known is
// false if there is nothing to compare.
func (c *machineCheck) objects(id uint32) (list []*Object, known bool) {
	info := c.m.Object(id)
	_, first := c.m.Objects()
	if id < first {
		if info.Global == nil {
			return nil, false // a literal, a descriptor, nothing
		}
		return []*Object{c.r.Global(info.Global)}, true
	}
	o, ok := c.origin[id]
	if !ok || o.instr == nil || info.Size == 0 {
		return nil, false
	}
	if o.ctx == Unknown {
		c.checked.unknown++
	} else {
		c.checked.exact++
	}
	t := info.Type
	if info.Map {
		t = nil
	}
	return c.r.Allocated(o.instr, o.ctx, t), true
}

// pointer checks that p, found where what tells, is in s.
func (c *machineCheck) pointer(p uint64, s Set, what func() string) {
	if p == 0 || s.Universal() {
		return
	}
	id, off := uint32(p>>32), int64(uint32(p))
	objs, known := c.objects(id)
	if !known || off > 0 && off >= int64(c.m.Object(id).Size) {
		return
	}
	c.checked.pointers++
	var names []string
	for _, o := range objs {
		l := o.Label(off)
		if s.Has(l) {
			return
		}
		names = append(names, c.r.Describe(o)+l.Path())
	}
	c.errorf("%s points to %s (object %d+%d of %v, allocated by %v in %v, context %s), not to one of %v",
		what(), strings.Join(names, " or "), id, off, c.m.Object(id).Type, c.origin[id].instr, c.origin[id].fn, c.r.Policy().String(c.origin[id].ctx), s.Strings())
}

// function checks that func value fv is in s.
func (c *machineCheck) function(fv uint64, s Set, what func() string) {
	if fv == 0 || s.Universal() {
		return
	}
	if fv>>63 == 0 {
		c.pointer(fv, s, what)
		return
	}
	fn := c.m.Function(fv)
	if fn == nil {
		return
	}
	c.checked.pointers++
	for l := range s.Labels() {
		if l.Object.fn == fn {
			return
		}
	}
	c.errorf("%s is %s, not one of %v", what(), fn, s.Strings())
}

// iface checks that the interface with words tw and data is in s.
func (c *machineCheck) iface(tw, data uint64, s Set, what func() string) {
	t := c.m.DynamicType(tw)
	if t == nil || s.Universal() {
		return
	}
	c.checked.interfaces++
	t = c.r.a.lays.canonical(t)
	var content []nodeID
	found, universal := false, false
	for l := range s.Labels() {
		if o := l.Object; o.isBox() && o.Type == t {
			found = true
			if o.direct && len(o.lay.ptrs) == 1 {
				p := c.r.Content(Label{o, o.lay.ptrs[0]})
				universal = universal || p.Universal()
				content = append(content, p.nodes...)
			} else {
				content = append(content, o.base)
			}
		}
	}
	if !found {
		c.errorf("%s has dynamic type %s, not one of %v", what(), t, s.Strings())
		return
	}
	if universal {
		return
	}
	set := c.r.a.setOf(content)
	inside := func() string { return fmt.Sprintf("the content, a %s, of %s", t, what()) }
	switch {
	case !isPointerShaped(t):
		// Boxes of opaque code are all one.
		for l := range set.Labels() {
			if l.Object.Kind == Opaque {
				return
			}
		}
		c.pointer(data, set, inside)
	default:
		c.direct(t, data, set, inside)
	}
}

// direct checks word w, a value of pointer-shaped type t.
func (c *machineCheck) direct(t types.Type, w uint64, s Set, what func() string) {
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

// stacks checks the calls on all stacks and the operands of the instructions at
// which goroutines stand.
func (c *machineCheck) stacks() {
	c.m.Live(func(g trace.GID) {
		stack := c.activations(c.m, g)
		for i := range stack {
			if i+1 < len(stack) {
				c.call(&stack[i+1], &stack[i], c.context(g, stack[i+1:]), false)
			} else if s, ok := c.start[g]; ok {
				c.call(&s, &stack[i], c.base[g], true)
			}
		}
		if len(stack) > 0 && stack[0].Again && stack[0].Instr != nil {
			c.operands(g, &stack[0], c.context(g, stack))
		}
	})
}

// call checks that caller may call callee where it stands.
func (c *machineCheck) call(caller, callee *vm.Activation, ctx Context, started bool) {
	r := c.r
	if isOpaque(caller.Fn) || isOpaque(callee.Fn) || ctx == Inside || callee.Fn.Name() == "hbFatalPanic" {
		return
	}
	ctxs := []Context{ctx}
	if ctx == Unknown {
		ctxs = r.Contexts(caller.Fn)
	}
	allows := func(site ssa.CallInstruction) bool {
		for _, ctx := range ctxs {
			for _, a := range r.Callees(site, ctx) {
				if a.Fn == callee.Fn || a.Fn.Origin() != nil && a.Fn.Origin() == callee.Fn.Origin() {
					return true
				}
			}
		}
		return false
	}
	c.checked.calls++
	if callee.Deferred {
		var ok func(fn *ssa.Function) bool
		ok = func(fn *ssa.Function) bool {
			for _, b := range fn.Blocks {
				for _, i := range b.Instrs {
					if d, isDefer := i.(*ssa.Defer); isDefer {
						if fn != caller.Fn {
							ctxs = r.Contexts(fn)
						}
						if allows(d) {
							return true
						}
					}
				}
			}
			for _, f := range fn.AnonFuncs {
				if f.Synthetic != "" && ok(f) {
					return true
				}
			}
			return false
		}
		if !ok(caller.Fn) {
			c.errorf("%s runs deferred %s, which the call graph does not have", caller.Fn, callee.Fn)
		}
		return
	}
	site, ok := caller.Instr.(ssa.CallInstruction)
	if !ok || caller.Again && !started {
		for _, a := range r.a.outside.callees { // the machine called
			if a.fn == callee.Fn {
				return
			}
		}
		c.errorf("the machine called %s, which the call graph does not have", callee.Fn)
		return
	}
	if !allows(site) {
		c.errorf("%s (context %s) calls %s at %v, which the call graph does not have", caller.Fn, r.Policy().String(ctx), callee.Fn, r.Policy().describe(site))
	}
}

// operands checks the operands of the instruction at which g stands.
func (c *machineCheck) operands(g trace.GID, a *vm.Activation, ctx Context) {
	if c.r.IsOpaque(a.Fn) || ctx == Inside {
		return
	}
	for _, op := range a.Instr.Operands(nil) {
		v := *op
		if v == nil || v.Parent() != a.Fn {
			continue
		}
		if _, ok := v.(*ssa.FreeVar); ok {
			continue // may be captured by value
		}
		w := c.m.Words(g, a, v)
		if w == nil {
			continue
		}
		s := c.r.PointsTo(v, ctx)
		if ctx == Unknown {
			s = c.r.PointsToAnywhere(v)
		}
		what := func() string {
			return fmt.Sprintf("operand %s = %s of %s in %s (context %s) at %s", v.Name(), v, a.Instr, a.Fn, c.r.Policy().String(ctx), c.r.Policy().describe(a.Instr))
		}
		switch v.Type().Underlying().(type) {
		case *types.Interface:
			c.iface(w[0], w[1], s, what)
		case *types.Signature:
			c.function(w[0], s, what)
		case *types.Slice:
			if w[2] > 0 {
				c.pointer(w[0], s, what)
			}
		case *types.Pointer, *types.Map, *types.Chan:
			c.pointer(w[0], s, what)
		}
	}
}

// heap checks the pointers in all objects.
func (c *machineCheck) heap() {
	n, first := c.m.Objects()
	for id := uint32(1); id < n; id++ {
		if id >= first && c.m.Freed(id) {
			continue
		}
		info := c.m.Object(id)
		if info.Type == nil || info.Map {
			continue
		}
		objs, known := c.objects(id)
		if !known || len(objs) == 0 {
			continue
		}
		c.memory(id, info, objs)
	}
}

// memory checks the pointers in object id, for which objs stand.
func (c *machineCheck) memory(id uint32, info vm.ObjectInfo, objs []*Object) {
	size := c.r.a.prog.Sizes.Sizeof(info.Type)
	if size == 0 {
		return
	}
	switch o := objs[0]; {
	case o.Kind == Map, o.Kind == Chan, o.Kind == Closure, o.Kind == Opaque, o.Kind == Native,
		o.Kind == Boxed && !types.Identical(o.Type, info.Type), // entries of a map that was cloned
		o.Kind == Global && opaquePackages[o.Site.(*ssa.Global).Pkg.Pkg.Path()]:
		return
	}
	lay := c.r.a.lays.of(info.Type)
	if len(lay.ptrs) == 0 {
		return
	}
	for start := int64(0); start < min(int64(info.Size), 64*size); start += size {
		lay.words(256, func(off int64, _ int32, k leafKind) {
			off += start
			p := uint64(id)<<32 | uint64(off)
			w, ok := c.m.Word(p)
			if !ok || w == 0 {
				return
			}
			var content []nodeID
			for _, o := range objs {
				content = append(content, c.r.Content(o.Label(off)).nodes...)
			}
			s := c.r.a.setOf(content)
			what := func() string {
				return fmt.Sprintf("%s%s at offset %d of object %d (%v)", c.r.Describe(objs[0]), objs[0].Label(off).Path(), off, id, info.Type)
			}
			switch {
			case k == ifaceLeaf:
				data, _ := c.m.Word(p + 8)
				c.iface(w, data, s, what)
			case c.isFunc(info.Type, off%size):
				c.function(w, s, what)
			default:
				if c.isSlice(info.Type, off%size) {
					if n, _ := c.m.Word(p + 16); n == 0 {
						return
					}
				}
				c.pointer(w, s, what)
			}
		})
	}
}

func (c *machineCheck) isFunc(t types.Type, off int64) bool {
	_, ok := c.typeAt(t, off).(*types.Signature)
	return ok
}

func (c *machineCheck) isSlice(t types.Type, off int64) bool {
	_, ok := c.typeAt(t, off).(*types.Slice)
	return ok
}

// typeAt returns the underlying type of the word at offset off of a t.
func (c *machineCheck) typeAt(t types.Type, off int64) types.Type {
	sizes := c.r.a.prog.Sizes
	switch u := t.Underlying().(type) {
	case *types.Struct:
		var fields []*types.Var
		for f := range u.Fields() {
			fields = append(fields, f)
		}
		for i, o := range sizes.Offsetsof(fields) {
			if o <= off && off < o+sizes.Sizeof(fields[i].Type()) {
				return c.typeAt(fields[i].Type(), off-o)
			}
		}
	case *types.Array:
		return c.typeAt(u.Elem(), off%sizes.Sizeof(u.Elem()))
	default:
		return u
	}
	return t
}

// walks executes n schedules of e at random and checks every state.
func (c *machineCheck) walks(t testing.TB, e *load.Entry, cfg vm.Config, n uint64) {
	t.Helper()
	cfg.Observer = c
	m, err := vm.New(c.r.a.prog, e, cfg)
	if err != nil {
		t.Fatal(err)
	}
	c.m = m
	c.heap()
	start := m.Mark()
	for seed := range n {
		if seed > 0 {
			m.Rewind(start)
		}
		rnd := rand.New(rand.NewPCG(seed, 0))
		for k := 0; k < 3000 && m.Status() == por.Running; k++ {
			c.stacks()
			if k%64 == 63 {
				c.heap()
			}
			enabled := m.Enabled(nil)
			g := enabled[rnd.IntN(len(enabled))]
			m.Step(g, rnd.IntN(m.Choices(g)))
		}
		c.stacks()
		c.heap()
		if len(c.errors) > 0 {
			break
		}
	}
	for _, err := range c.errors {
		t.Error(err)
	}
	t.Logf("%+v", c.checked)
}

// TestMachine runs programs and compares every pointer with the analysis.
func TestMachine(t *testing.T) {
	for _, pattern := range []string{"../../vm/testdata/models/*.txtar", "testdata/*.txtar", "../../vm/testdata/proof/*.go", "../../vm/testdata/reflect/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, f := range files {
			t.Run(filepath.Base(f), func(t *testing.T) {
				prog := loadFile(t, f)
				before := processorTime()
				r := Analyze(prog, prog.Entries[0])
				t.Log("analysed in ", processorTime()-before)
				newMachineCheck(r).walks(t, prog.Entries[0], vm.Config{}, 3)
			})
		}
	}
}

// loadFile loads a program of one file or an archive.
func loadFile(t testing.TB, name string) *load.Program {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	ar := &txtar.Archive{Files: []txtar.File{{Name: "main.go", Data: data}}}
	if strings.HasSuffix(name, ".txtar") {
		ar = txtar.Parse(data)
		ar.Files = slices.DeleteFunc(ar.Files, func(f txtar.File) bool { return !strings.HasSuffix(f.Name, ".go") })
	}
	tests := false
	for i, f := range ar.Files {
		if strings.Contains(string(f.Data), "*testing.T)") {
			tests = true
			ar.Files[i].Name = "x_test.go"
		}
	}
	return loadArchiveTests(t, ar, tests)
}
