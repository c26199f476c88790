package pointer

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

const (
	// accessorInstrs bounds the size of functions for which a copy for each call is cheap.
	accessorInstrs = 10
	// factoryInstrs and libraryFactoryInstrs bound the size of functions that are copied because they
	// return memory that they allocate.
	factoryInstrs        = 200
	libraryFactoryInstrs = 60
	// handedInstrs bounds the size of functions that are copied because they
	// take a func.
	handedInstrs = 400
)

// byCallerFuncs have their caller's context: they pass a func from the call that provides it to the goroutine
// that runs it. Their bodies do not show this.
var byCallerFuncs = map[string]bool{
	"(*time.hbTimer).arm": true,
	"time.hbRun":          true,
}

// kind returns the kind of fn's contexts, which depends on its body.
func (p *Policy) kind(fn *ssa.Function) kind {
	k, ok := p.kinds[fn]
	if !ok {
		p.kinds[fn] = plain // recursive calls see this until the kind is known
		k = p.classify(fn)
		p.kinds[fn] = k
	}
	return k
}

// classify finds the kind of a function in the list of Policy. The order matters: the context of an
// accessor that is a method of a generic type is its receiver, which distinguishes more.
//
// Without contexts, a helper that is called from many places with different structures would merge these. A
// context for each call distinguishes them. This is useful for functions that are small, or that allocate;
// for others contexts multiply the work without a gain.
func (p *Policy) classify(fn *ssa.Function) kind {
	if isOpaque(fn) {
		return byClient
	}
	p.prog.EnsureBuilt(fn)
	if fn.Blocks == nil {
		return plain
	}
	sig := fn.Signature
	if fn.Parent() != nil {
		if takesFunc(sig) {
			return byMakerAndSite
		}
		return byMaker
	}
	if len(fn.FreeVars) > 0 {
		return byMaker // the wrapper of a method value
	}
	if byCallerFuncs[fn.String()] {
		return byCaller
	}
	if fn.Name() == "init" && sig.Recv() == nil {
		return plain
	}
	if isWrapper(fn) {
		t := p.adapted(fn)
		if t == nil {
			return bySite
		}
		k := p.kind(t)
		//mutant: structs as receivers are no one address [test ./oracle/check TestMethodForms$]: false
		if k == byObject && !isPointer(receiverType(fn)) {
			return bySite // the receiver, a struct that embeds a pointer, has no single address
		}
		return k
	}
	if sig.Recv() != nil && len(fn.TypeArgs()) > 0 && isPointer(sig.Recv().Type()) {
		return byObject
	}
	if p.isAccessor(fn) {
		return bySite
	}
	if takesFunc(sig) && instructions(fn) <= handedInstrs {
		return byHanded
	}
	if p.isFactory(fn) {
		return bySite
	}
	return plain
}

// isWrapper reports whether ssa has made fn to adapt a method to another receiver.
func isWrapper(fn *ssa.Function) bool {
	return fn.Synthetic != "" && fn.Syntax() == nil && fn.Synthetic != "package initializer"
}

// receiverType returns the type of the receiver of a method, or of the wrapper of a method
// expression, which takes it as its first parameter and has none by its signature.
func receiverType(fn *ssa.Function) types.Type {
	if recv := fn.Signature.Recv(); recv != nil {
		return recv.Type()
	}
	//mutant: receivers of method expressions [test ./oracle/check TestMethodForms$]: "fn.Signature.Params().At(0).Type()" -> "nil"
	return fn.Signature.Params().At(0).Type()
}

// adapted returns the method that wrapper fn calls; nil if that depends on the
// interface embedded in the receiver.
func (p *Policy) adapted(fn *ssa.Function) *ssa.Function {
	p.prog.EnsureBuilt(fn)
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if c, ok := i.(*ssa.Call); ok {
				if t := c.Call.StaticCallee(); t != nil && t.Signature.Recv() != nil {
					return t
				}
			}
		}
	}
	return nil
}

// isAccessor reports whether fn is code without branches that only moves pointers between memory and its
// parameters or results.
func (p *Policy) isAccessor(fn *ssa.Function) bool {
	if len(fn.Blocks) != 1 || len(fn.Blocks[0].Instrs) > accessorInstrs {
		return false
	}
	moves := false
	for _, i := range fn.Blocks[0].Instrs {
		switch i := i.(type) {
		case *ssa.Call:
			switch v := i.Call.Value.(type) {
			case *ssa.Builtin:
			case *ssa.Function:
				if !p.prog.IsBodyless(v) {
					return false
				}
				moves = true // sync/atomic
			default:
				return false
			}
		case *ssa.Go, *ssa.Defer:
			return false
		case *ssa.Alloc:
			if !p.isFresh(i, p.isLibrary(fn), 0) { // errors.New
				return false
			}
		case *ssa.Store:
			moves = moves || p.lays.holdsPointers(i.Val.Type())
		case *ssa.MapUpdate, *ssa.Send:
			moves = true
		case *ssa.Return:
			for _, r := range i.Results {
				moves = moves || p.lays.holdsPointers(r.Type())
			}
		}
	}
	return moves
}

func instructions(fn *ssa.Function) int {
	n := 0
	for _, b := range fn.Blocks {
		n += len(b.Instrs)
	}
	return n
}

// takesFunc reports whether a function with this signature has a func as a parameter.
func takesFunc(sig *types.Signature) bool {
	for i := range sig.Params().Len() {
		if isFunc(sig.Params().At(i).Type()) {
			return true
		}
	}
	return false
}

func isFunc(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// passesOn reports whether all funcs among the arguments of call are parameters or captured variables of
// the function around it.
func passesOn(call ssa.CallInstruction) bool {
	if _, ok := call.(*ssa.Call); !ok {
		return false
	}
	for _, arg := range call.Common().Args {
		if isFunc(arg.Type()) && !isParamOrCapture(arg) {
			return false
		}
	}
	return true
}

// isParamOrCapture reports whether v is a parameter or captured variable of its function.
func isParamOrCapture(v ssa.Value) bool {
	for {
		switch x := v.(type) {
		case *ssa.Parameter, *ssa.FreeVar:
			return true
		case *ssa.Const:
			return true
		case *ssa.ChangeType:
			v = x.X
		case *ssa.UnOp:
			switch c := x.X.(type) {
			case *ssa.FreeVar:
				v = c
			case *ssa.Alloc: // a captured parameter
				s := onlyStore(c)
				if s == nil {
					return false
				}
				v = s.Val
			default:
				return false
			}
		default:
			return false
		}
	}
}

// onlyStore returns the one store to variable a, or nil.
func onlyStore(a *ssa.Alloc) *ssa.Store {
	var found *ssa.Store
	for _, r := range *a.Referrers() {
		if s, ok := r.(*ssa.Store); ok && s.Addr == a {
			if found != nil {
				return nil
			}
			found = s
		}
	}
	return found
}

// isLibrary reports whether fn belongs to the standard library.
func (p *Policy) isLibrary(fn *ssa.Function) bool {
	pkg := p.prog.PackageOf(fn)
	return pkg == nil || pkg.Std
}

// isFactory reports whether fn returns memory that it, or a factory that it
// calls, has allocated.
func (p *Policy) isFactory(fn *ssa.Function) bool {
	r, ok := p.factory[fn]
	if !ok {
		p.factory[fn] = false // recursive calls see this until the result is known
		r = p.returnsFresh(fn)
		p.factory[fn] = r
	}
	return r
}

func (p *Policy) returnsFresh(fn *ssa.Function) bool {
	limit := factoryInstrs
	library := p.isLibrary(fn)
	if library {
		limit = libraryFactoryInstrs
	}
	p.prog.EnsureBuilt(fn)
	if instructions(fn) > limit || isOpaque(fn) {
		return false
	}
	for _, b := range fn.Blocks {
		if len(b.Instrs) == 0 {
			continue
		}
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		for _, r := range ret.Results {
			if p.isFresh(r, library, 0) {
				return true
			}
		}
	}
	return false
}

// isFresh reports whether v may be memory allocated for the present activation. Memory that the library
// allocates counts only if it refers to other memory: there are too many errors and byte slices.
func (p *Policy) isFresh(v ssa.Value, library bool, depth int) bool {
	if depth > 6 {
		return false
	}
	depth++
	switch v := v.(type) {
	case *ssa.Alloc:
		return v.Heap && (!library || p.isStructure(v.Type().Underlying().(*types.Pointer).Elem()))
	case *ssa.MakeSlice:
		return !library
	case *ssa.MakeMap, *ssa.MakeChan, *ssa.MakeClosure:
		return true
	case *ssa.MakeInterface:
		return !isPointerShaped(v.X.Type()) && p.isStructure(v.X.Type()) || p.isFresh(v.X, library, depth)
	case *ssa.ChangeType:
		return p.isFresh(v.X, library, depth)
	case *ssa.TypeAssert:
		return p.isFresh(v.X, library, depth)
	case *ssa.ChangeInterface:
		return p.isFresh(v.X, library, depth)
	case *ssa.Slice:
		return isPointer(v.X.Type()) && p.isFresh(v.X, library, depth)
	case *ssa.Convert:
		return isPointer(v.Type()) && p.isFresh(v.X, library, depth)
	case *ssa.FieldAddr:
		return p.isFresh(v.X, library, depth)
	case *ssa.Phi:
		for _, e := range v.Edges {
			if p.isFresh(e, library, depth) {
				return true
			}
		}
	case *ssa.UnOp: // a named result, or a struct built in a variable
		a, ok := v.X.(*ssa.Alloc)
		if !ok {
			return false
		}
		for _, r := range *a.Referrers() {
			switch r := r.(type) {
			case *ssa.Store:
				if r.Addr == a && p.isFresh(r.Val, library, depth) {
					return true
				}
			case *ssa.FieldAddr:
				for _, s := range *r.Referrers() {
					if s, ok := s.(*ssa.Store); ok && s.Addr == r && p.isFresh(s.Val, library, depth) {
						return true
					}
				}
			}
		}
	case *ssa.Call:
		return p.callsFactory(v)
	case *ssa.Extract:
		c, ok := v.Tuple.(*ssa.Call)
		return ok && p.callsFactory(c)
	}
	return false
}

func (p *Policy) callsFactory(c *ssa.Call) bool {
	fn := c.Call.StaticCallee()
	return fn != nil && (p.isFactory(fn) || allocating[fn.String()])
}

// isStructure reports whether t is a struct that refers to other memory.
func (p *Policy) isStructure(t types.Type) bool {
	_, ok := t.Underlying().(*types.Struct)
	return ok && p.lays.holdsPointers(t)
}

// isPointerShaped reports whether values of type t are stored in interfaces as
// they are (cmd/compile/internal/types.IsDirectIface).
func isPointerShaped(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Struct:
		return u.NumFields() == 1 && isPointerShaped(u.Field(0).Type())
	case *types.Array:
		return u.Len() == 1 && isPointerShaped(u.Elem())
	}
	return false
}
