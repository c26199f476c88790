package pointer

import (
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/load"
)

// A Context distinguishes activations of one function, and the objects allocated in them. It is 0 for
// functions whose activations are all treated alike; otherwise it is a number that a Policy assigns to a
// string of calls and allocations that lead to the activation.
type Context int32

const (
	// Unknown is the context of an activation about which too little is known.
	Unknown Context = -1
	// External is the context of functions that opaque code calls, which makes them opaque, too.
	External Context = -2
)

// A Policy determines which functions have contexts, and which ones. The analysis and the machine use the
// same Policy, so that an object of the machine can be found among those of the analysis: a context is a
// function of the call stack and, for closures and methods of generic types, of the place where the closure
// or the receiver was allocated.
//
// The contexts of an activation of
//
//	a function literal             are those of the activation that made the closure
//	a small method without calls   ┐
//	a function that takes a func   ├ are the call, then the caller's context
//	a function that returns what   │
//	    it has allocated           ┘
//	a method of a generic type     are the allocation of the receiver
//	a function started by go       are the go statement, then its goroutine's context
//	a wrapper of a method          are those of the method
//
// and all others have none. Strings are cut at maxDepth. If the caller's context already contains the call,
// the context is the part of it up to that call; so recursion ends. A function that passes on the funcs it
// was given (slices.SortFunc to its workers) passes on its context too.
type Policy struct {
	prog    *load.Program
	lays    *layouts
	kinds   map[*ssa.Function]kind
	factory map[*ssa.Function]bool
	table   []contextInfo
	index   map[contextInfo]Context
	// started has the functions that go statements name. They have a context of their own when they are
	// started, even if they have no context when they are called.
	started map[*ssa.Function]bool
	// shared is set for a receiver that makes no context: see receiverAt.
	shared  map[receiverOf]bool
	clients map[*ssa.Function]string

	// refuses, if not nil, reports whether fn gets no context c, because it has maxContexts others.
	refuses func(fn *ssa.Function, c Context) bool
}

// maxContexts bounds the number of contexts of a function in an analysis with few contexts.
const maxContexts = 2

// maxDepth bounds the length of a context.
const maxDepth = 3

// contextInfo has the parts of a context.
type contextInfo struct {
	site   any     // ssa.Instruction, or for a deferred call the *ssa.Function that runs the call; for receivers, see off
	parent Context // the rest of the string; for receivers, the context of the allocation
	off    int32   // -1: a call; otherwise the receiver is this leaf of the object allocated at site
}

// A Frame is one activation on a call stack.
type Frame struct {
	Fn *ssa.Function
	// Site is the instruction that the next outer frame executes, or, in the outermost frame of a
	// goroutine, the instruction that started it. If it is not a call, the machine itself has
	// called Fn.
	Site ssa.Instruction
	// Deferred: Fn was called because the next outer frame is running its
	// deferred calls, because it returns or because of a panic.
	Deferred bool
	// Receiver is where the object that Fn's receiver points to was allocated;
	// it matters if NeedsReceiver(Fn). The zero value means unknown.
	Receiver Origin
	// Made is the context of the activation that made the closure called, plus
	// one; 0 means that it is not known. It matters if NeedsMaker(Fn).
	Made Context
	// Foundling is set in the outermost frame if its starter is unknown.
	Foundling bool
}

// An Origin describes an address by the allocation of its object.
type Origin struct {
	Site    any // where the object was allocated: see Object.Site
	Context Context
	Leaf    int32
}

// newPolicy returns the policy for prog.
func newPolicy(prog *load.Program, lays *layouts) *Policy {
	return &Policy{
		prog:    prog,
		lays:    lays,
		kinds:   make(map[*ssa.Function]kind),
		factory: make(map[*ssa.Function]bool),
		table:   make([]contextInfo, 1),
		index:   make(map[contextInfo]Context),
		started: make(map[*ssa.Function]bool),
		shared:  make(map[receiverOf]bool),
		clients: make(map[*ssa.Function]string),
	}
}

// kind is the kind of contexts that a function has.
type kind uint8

const (
	plain    kind = iota
	bySite        // the call
	byHanded      // the call, or the caller's context if the funcs are handed on
	byObject      // the receiver
	byCaller      // the caller's context
	byMaker       // the maker's context
	byMakerAndSite
	byClient // the calling file
)

// Plain reports whether all activations of fn have context 0, whatever frames are
// below it on the stack. (An activation that a go statement starts may have another context.)
func (p *Policy) Plain(fn *ssa.Function) bool { return p.kind(fn) == plain }

// Single reports whether all activations of fn have context 0, whatever called or
// started them.
func (p *Policy) Single(fn *ssa.Function) bool {
	return p.kind(fn) == plain && !p.started[fn] && !isHelper(fn)
}

// start records that a go statement calls fn, and also the method that fn wraps, because wrappers do not
// change the context.
func (p *Policy) start(fn *ssa.Function) {
	p.started[fn] = true
	//mutant: what is adapted is started [test ./oracle/check TestMethodForms$]: false
	if isWrapper(fn) {
		if t := p.adapted(fn); t != nil && !p.started[t] {
			p.start(t)
		}
	}
}

// NeedsReceiver reports whether fn's context depends on its receiver.
func (p *Policy) NeedsReceiver(fn *ssa.Function) bool { return p.kind(fn) == byObject }

// NeedsMaker reports whether fn's context depends on where its closure was made.
func (p *Policy) NeedsMaker(fn *ssa.Function) bool {
	k := p.kind(fn)
	return k == byMaker || k == byMakerAndSite
}

// Contexts calls f with the context of each frame of a goroutine's stack, which is listed innermost first.
// base is the context that the activation with the go statement had when it started the goroutine. A context
// is Unknown if the stack does not determine it.
func (p *Policy) Contexts(stack []Frame, base Context, f func(i int, ctx Context)) {
	c := base
	for i := len(stack) - 1; i >= 0; i-- {
		x := &stack[i]
		made := x.Made - 1
		if made == Unknown && p.NeedsMaker(x.Fn) {
			made = p.maker(x, c)
		}
		c = p.enter(c, x.Site, x.Deferred, x.Fn, made, x.Receiver)
		if x.Foundling && !p.Single(x.Fn) {
			c = Unknown
		}
		f(i, c)
	}
}

func isGo(site ssa.Instruction) bool {
	_, ok := site.(*ssa.Go)
	return ok
}

// maker returns the context of the activation that made the closure that f executes. caller is the context
// of the caller of f.
func (p *Policy) maker(f *Frame, caller Context) Context {
	if f.Fn.Parent() == nil {
		return Unknown // the wrapper of a method value
	}
	fn := f.Fn.Parent()
	for p.kind(fn) == byMaker && fn.Parent() != nil {
		fn = fn.Parent()
	}
	if p.kind(fn) == plain && !p.started[fn] {
		return 0
	}
	// If the closure is called only where it is made, its maker is the caller.
	if f.Site == nil || f.Site.Parent() != fn && f.Site.Parent() != f.Fn.Parent() {
		return Unknown
	}
	var made *ssa.MakeClosure
	for _, r := range *f.Fn.Referrers() {
		mc, ok := r.(*ssa.MakeClosure)
		if !ok || made != nil {
			return Unknown
		}
		made = mc
	}
	if made == nil || made.Referrers() == nil {
		return Unknown
	}
	for _, r := range *made.Referrers() {
		if c, ok := r.(ssa.CallInstruction); !ok || c.Common().Value != made {
			return Unknown
		}
	}
	return caller
}

// enter returns the context of an activation of callee, called at site of an
// activation whose context is ctx; made is the maker's context.
func (p *Policy) enter(ctx Context, site ssa.Instruction, deferred bool, callee *ssa.Function, made Context, recv Origin) Context {
	return p.limited(callee, p.full(ctx, site, deferred, callee, made, recv))
}

// limited returns c, or 0 if callee does not get it. Without a bound, objects that are allocated in methods
// of one another, such as the nodes of trees, have as many contexts as strings of their allocations.
func (p *Policy) limited(callee *ssa.Function, c Context) Context {
	//mutant: contexts without a bound [test ./static/pointer TestFewContexts]: "c > 0" -> "false"
	if c > 0 && p.refuses != nil && p.refuses(callee, c) {
		return 0
	}
	return c
}

// full is enter without a bound on the number of contexts.
//
// The cases come in this order: opaque code; wrappers, which do not change the context; functions whose
// kind alone decides; calls by the machine, and deferred calls. In all other cases the call is the context.
func (p *Policy) full(ctx Context, site ssa.Instruction, deferred bool, callee *ssa.Function, made Context, recv Origin) Context {
	if site != nil && isHelper(callee) && (ctx == External || isOpaque(site.Parent())) {
		return External
	}
	k := p.kind(callee)
	if site != nil && !deferred && isWrapper(site.Parent()) && len(site.Parent().FreeVars) == 0 {
		// Wrappers make no difference: where the machine calls one, the analysis, which has the dynamic
		// type, calls the method itself.
		switch {
		case k == bySite, k == byHanded, k == plain && p.adapted(site.Parent()) == callee:
			return ctx
		}
	}
	switch k {
	case byClient:
		if site == nil {
			return 0
		}
		return p.intern(contextInfo{p.clientOf(site.Parent()), 0, -1})
	case byMaker:
		return made
	case byObject:
		if !isGo(site) {
			if p.shared[receiverOf{callee, recv}] {
				return 0
			}
			return p.object(recv)
		}
	case plain:
		if !isGo(site) {
			return 0
		}
	}
	call, ok := site.(ssa.CallInstruction)
	if site == nil || !ok && !deferred || ctx == External || isOpaque(site.Parent()) {
		return 0 // called by the machine, or by opaque code
	}
	if _, ok := site.(*ssa.Defer); ok || deferred {
		if k == byMakerAndSite {
			ctx = made
		}
		return p.push(deferring(site.Parent()), ctx)
	}
	switch {
	case k == byMakerAndSite:
		return p.push(site, made)
	case k == byCaller, k == byHanded && ctx != 0 && passesOn(call):
		return ctx
	}
	return p.push(site, ctx)
}

// clientOf returns fn's file, which stands for a part of its package: code that encodes with reflect is
// seldom in the same file as code that decodes.
func (p *Policy) clientOf(fn *ssa.Function) string {
	pkg := p.prog.PackageOf(fn)
	if pkg == nil {
		return ""
	}
	c, ok := p.clients[fn]
	if !ok {
		c = pkg.Path
		if f := p.prog.Fset.File(fn.Pos()); f != nil {
			c += "/" + filepath.Base(f.Name())
		}
		p.clients[fn] = c
	}
	return c
}

// deferring returns the function that runs a deferred call, which represents the call in contexts. Deferred
// calls of one function are not distinguished, because the machine runs them without knowing from which
// statement they come. The function that contains a range-over-func body runs the deferred calls of the body.
func deferring(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil && fn.Synthetic != "" {
		fn = fn.Parent()
	}
	return fn
}

// madeBy returns the context in which closures made by mc in an activation with
// context ctx call their function.
func (p *Policy) madeBy(mc *ssa.MakeClosure, ctx Context) Context {
	if mc.Fn.(*ssa.Function).Parent() == nil {
		return p.push(mc, ctx) // a method value: its wrapper is shared by all
	}
	return ctx
}

// push returns the context of a call at site with context ctx. A cut or a recursion can only merge
// different activations, and their objects.
func (p *Policy) push(site any, ctx Context) Context {
	if ctx == Unknown {
		return Unknown
	}
	depth := 1
	for c := ctx; c != 0; c = p.table[c].parent {
		if p.table[c].off < 0 && p.table[c].site == site {
			return c
		}
		if p.table[c].off >= 0 {
			break // the depth of an allocation's context is not bounded here
		}
		depth++
	}
	if depth > maxDepth {
		ctx = p.cut(ctx, maxDepth-1)
	}
	return p.intern(contextInfo{site, ctx, -1})
}

// cut returns the first n elements of ctx.
func (p *Policy) cut(ctx Context, n int) Context {
	if ctx == 0 || n == 0 {
		return 0
	}
	e := p.table[ctx]
	if e.off >= 0 {
		return ctx
	}
	e.parent = p.cut(e.parent, n-1)
	return p.intern(e)
}

// object returns the context of a method of the object at o. Objects allocated
// in methods of objects are distinguished to a depth of two.
func (p *Policy) object(o Origin) Context {
	if o.Site == nil || o.Context == Unknown {
		return Unknown
	}
	c := o.Context
	if p.depth(c) >= maxDepth {
		c = 0
	}
	return p.intern(contextInfo{o.Site, c, o.Leaf})
}

// depth returns the number of elements of c, those of receivers' allocations included.
func (p *Policy) depth(c Context) int {
	n := 0
	for ; c != 0; c = p.table[c].parent {
		n++
	}
	return n
}

func (p *Policy) intern(e contextInfo) Context {
	c, ok := p.index[e]
	if !ok {
		c = Context(len(p.table))
		p.table = append(p.table, e)
		p.index[e] = c
	}
	return c
}

// String describes c: the calls, innermost first.
func (p *Policy) String(c Context) string {
	switch c {
	case Unknown:
		return "?"
	case External:
		return "inside"
	}
	var b strings.Builder
	for ; c != 0; c = p.table[c].parent {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		e := p.table[c]
		if e.off >= 0 {
			b.WriteString("of ")
		}
		b.WriteString(p.describe(e.site))
		if e.off > 0 {
			fmt.Fprintf(&b, "+%d", e.off)
		}
	}
	return b.String()
}

// describe returns the position of a site.
func (p *Policy) describe(site any) string {
	var pos token.Pos
	switch s := site.(type) {
	case string:
		return s
	case *ssa.Function:
		return s.String()
	case *ssa.Global:
		return s.String()
	case types.Type:
		return types.TypeString(s, nil)
	case madeType:
		return "a " + types.TypeString(s.t, nil) + " from outside"
	case externalKey:
		return s.opaque + s.client
	case ssa.Instruction:
		pos = posOf(s)
		if !pos.IsValid() {
			return s.Parent().String()
		}
	case ssa.Value:
		pos = s.Pos()
	default:
		return fmt.Sprint(s)
	}
	return p.position(pos)
}

// position prints pos with the base name of its file.
func (p *Policy) position(pos token.Pos) string {
	q := p.prog.Fset.Position(pos)
	return fmt.Sprintf("%s:%d:%d", q.Filename[strings.LastIndexByte(q.Filename, '/')+1:], q.Line, q.Column)
}

// Position returns the place of i: the base name of its file, line and column.
func (p *Policy) Position(i ssa.Instruction) string { return p.describe(i) }

// posOf returns the position of i, or of the nearest instruction before it in
// its block that has one.
func posOf(i ssa.Instruction) token.Pos {
	if i.Pos().IsValid() {
		return i.Pos()
	}
	if i.Block() == nil {
		return token.NoPos
	}
	pos := token.NoPos
	for _, x := range i.Block().Instrs {
		if x.Pos().IsValid() {
			pos = x.Pos()
		}
		if x == i {
			break
		}
	}
	return pos
}
