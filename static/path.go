package static

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A Path is an access path: an expression that names an object relative to the activation of a
// function. It has a root and steps: s.a.mu is the parameter s followed by the fields a and mu.
// Paths are numbers of interned nodes: equal paths are equal.
//
// A path in a fact stands for the value of the expression at the program point of the fact. So the
// analyses, which go backward, forget paths that begin with a value when they pass the value's
// definition. A step through memory (stepLoad) is certain only if that memory is stable: see
// Stable.
//
//	p                 root p
//	&p.mu             root p, field mu
//	&p.next.mu        root p, field next, load, field mu
//	&p.list[3]        root p, field list, load, const 3
//	&p.list[i]        root p, field list, load, elem i
//	p.cond.L          root p, field cond, field L, iface: the mutex that L holds
type Path int32

// Unknown is the path of an object that has no name.
const Unknown Path = 0

type stepKind uint8

const (
	stepRoot  stepKind = iota // the value root itself
	stepFresh                 // the future object of root, an allocation
	stepAddr                  // a certain address of a live state
	stepField                 // field n of the struct parent points to
	stepLoad                  // the value stored at parent
	stepIface                 // the pointer in the interface stored at parent
	stepCell                  // the value of a variable that no longer changes
	stepConst                 // element n of the array or slice parent
	stepElem                  // element root of the array or slice parent
)

type pathNode struct {
	kind   stepKind
	parent Path
	root   ssa.Value
	n      uint64
	typ    types.Type // type of the struct or element stepped into; nil otherwise
}

// maxSteps bounds the length of paths. It makes the paths of a program finite in number, even with recursive
// types; longer paths are Unknown.
const maxSteps = 6

// Paths interns the paths of one program.
type Paths struct {
	lockers *lockers
	offs    map[Path]int64 // offsets of fields in their structs
	bind    Binding
	nodes   []pathNode
	index   map[pathNode]Path
	of      map[ssa.Value]Path
	classes map[Path]string
	values  map[Path][]ssa.Value       // computed values with a path, apart from roots
	cells   map[*ssa.Alloc]ssa.Value   // the value of the only store into a cell, nil if there are more
	cellsOf map[ssa.Value][]*ssa.Alloc // the cells a value is stored into
}

// NewPaths returns a table with only Unknown.
func NewPaths(bind Binding) *Paths {
	return &Paths{
		bind:    bind,
		nodes:   make([]pathNode, 1),
		index:   map[pathNode]Path{},
		offs:    map[Path]int64{},
		of:      map[ssa.Value]Path{},
		classes: map[Path]string{},
		values:  map[Path][]ssa.Value{},
		cells:   map[*ssa.Alloc]ssa.Value{},
		cellsOf: map[ssa.Value][]*ssa.Alloc{},
	}
}

func (t *Paths) intern(n pathNode) Path {
	p, ok := t.index[n]
	if !ok {
		p = Path(len(t.nodes))
		t.nodes = append(t.nodes, n)
		t.index[n] = p
	}
	return p
}

// step returns the path p followed by n, or Unknown if that is too long.
func (t *Paths) step(p Path, n pathNode) Path {
	if n.kind == stepIface {
		// The Locker of a Cond is named like the mutex.
		if f := &t.nodes[p]; f.kind == stepField && isCond(f.typ) {
			if q, ok := t.lockerAt(f.parent); ok {
				return q
			}
			if q, ok := t.newCond(f.parent); ok {
				return q
			}
		}
	}
	if p == Unknown || t.depth(p) >= maxSteps {
		return Unknown
	}
	n.parent = p
	return t.intern(n)
}

func (t *Paths) depth(p Path) int {
	d := 0
	for ; t.nodes[p].parent != Unknown; p = t.nodes[p].parent {
		d++
	}
	return d
}

// At returns the path of address a in a live state.
func (t *Paths) At(a uint64) Path { return t.intern(pathNode{kind: stepAddr, n: a}) }

// Addr returns p as an address; false if p is not an address in a live state.
func (t *Paths) Addr(p Path) (uint64, bool) {
	n := &t.nodes[p]
	return n.n, n.kind == stepAddr
}

// Fresh reports whether p lies in an object that will have been allocated
// after the program point, so that it differs from all existing ones.
func (t *Paths) Fresh(p Path) bool {
	for t.nodes[p].parent != Unknown {
		p = t.nodes[p].parent
	}
	return t.nodes[p].kind == stepFresh
}

// Stable reports whether p has the same value wherever in the function it can be computed: it leads through
// no memory that can change.
func (t *Paths) Stable(p Path) bool {
	for ; p != Unknown; p = t.nodes[p].parent {
		if k := t.nodes[p].kind; k == stepLoad || k == stepIface {
			return false
		}
	}
	return true
}

// allocated returns the allocation of this activation in which p lies; nil if there is none.
func (t *Paths) allocated(p Path) *ssa.Alloc {
	if p == Unknown {
		return nil
	}
	for t.nodes[p].parent != Unknown {
		p = t.nodes[p].parent
	}
	a, ok := t.nodes[p].root.(*ssa.Alloc)
	if !ok || t.nodes[p].kind != stepRoot {
		return nil
	}
	return a
}

// roots calls f for the values that occur in p.
func (t *Paths) roots(p Path, f func(ssa.Value)) {
	for ; p != Unknown; p = t.nodes[p].parent {
		if n := &t.nodes[p]; n.root != nil && n.kind != stepFresh {
			f(n.root)
		}
	}
}

// Of returns the path of pointer, channel or interface v: that of an interface
// is the path of the pointer in it.
func (t *Paths) Of(v ssa.Value) Path {
	p, ok := t.of[v]
	if !ok {
		t.of[v] = Unknown // breaks cycles, which only phis close
		p = t.make(v)
		t.of[v] = p
		if _, computed := v.(ssa.Instruction); computed && p != Unknown && t.nodes[p].root != v {
			t.values[p] = append(t.values[p], v)
		}
	}
	return p
}

func (t *Paths) make(v ssa.Value) Path {
	switch x := v.(type) {
	case *ssa.Const, *ssa.Function, *ssa.Builtin:
		return Unknown
	case *ssa.ChangeType:
		return t.Of(x.X)
	case *ssa.ChangeInterface:
		return t.Of(x.X)
	case *ssa.MakeInterface:
		if _, ok := x.X.Type().Underlying().(*types.Pointer); ok {
			return t.Of(x.X)
		}
		return Unknown
	case *ssa.Convert:
		if isPointer(x.X.Type()) && isPointer(x.Type()) {
			return t.Of(x.X)
		}
		return Unknown
	case *ssa.TypeAssert:
		if _, ok := x.AssertedType.Underlying().(*types.Pointer); ok && !x.CommaOk {
			return t.Of(x.X)
		}
	case *ssa.FieldAddr:
		return t.step(t.Of(x.X), pathNode{kind: stepField, n: uint64(x.Field), typ: elemOf(x.X.Type())})
	case *ssa.IndexAddr:
		p := t.Of(x.X)
		if c, ok := x.Index.(*ssa.Const); ok {
			return t.step(p, pathNode{kind: stepConst, n: uint64(c.Int64()), typ: elemOf(x.Type())})
		}
		return t.step(p, pathNode{kind: stepElem, root: x.Index, typ: elemOf(x.Type())})
	case *ssa.UnOp:
		if x.Op == token.MUL {
			return t.load(x)
		}
	}
	return t.intern(pathNode{kind: stepRoot, root: v})
}

func isPointer(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	}
	return false
}

// load returns the path of the value that x loads. A captured variable that never changes again represents
// its value (capture canonicalisation), because in SSA every use of the variable in a closure is a load of
// its own.
func (t *Paths) load(x *ssa.UnOp) Path {
	switch c := x.X.(type) {
	case *ssa.Alloc:
		if v := t.stored(c); v != nil {
			return t.Of(v)
		}
	case *ssa.FreeVar:
		if t.final(c) {
			return t.step(t.Of(c), pathNode{kind: stepCell})
		}
	}
	k := stepLoad
	if _, ok := x.Type().Underlying().(*types.Interface); ok {
		k = stepIface
	}
	return t.step(t.Of(x.X), pathNode{kind: k})
}

// rename rebuilds p with its root r replaced by root(r), and the values used as
// indices by value(v), both in terms of another activation.
func (t *Paths) rename(p Path, root func(n pathNode) Path, value func(v ssa.Value) ssa.Value) Path {
	n := t.nodes[p]
	if n.parent == Unknown {
		if p == Unknown {
			return Unknown
		}
		return root(n)
	}
	q := t.rename(n.parent, root, value)
	if q == Unknown {
		return Unknown
	}
	n.parent = Unknown
	switch n.kind {
	case stepElem:
		switch v := value(n.root).(type) {
		case nil:
			return Unknown
		case *ssa.Const:
			n = pathNode{kind: stepConst, n: uint64(v.Int64()), typ: n.typ}
		default:
			n.root = v
		}
	case stepCell:
		// Bound to a variable of the function around it, whose value is known there.
		if r := t.nodes[q]; r.kind == stepRoot {
			switch c := r.root.(type) {
			case *ssa.Alloc:
				if v := t.stored(c); v != nil {
					return t.Of(v)
				}
				return Unknown
			case *ssa.FreeVar:
			default:
				return Unknown
			}
		} else if t.Fresh(q) {
			return Unknown
		}
	case stepLoad, stepIface:
		if t.Fresh(q) {
			return Unknown // the value may refer to an older object
		}
	}
	return t.step(q, n)
}

// replace returns p with q at its beginning instead of old, which it has to begin with; Unknown
// otherwise.
func (t *Paths) replace(p, old, q Path) Path {
	switch {
	case p == Unknown || old == Unknown || q == Unknown:
		return Unknown
	case p == old:
		return q
	}
	n := t.nodes[p]
	base := t.replace(n.parent, old, q)
	if base == Unknown {
		return Unknown
	}
	return t.step(base, n)
}

// String writes p as in the source.
func (t *Paths) String(p Path) string {
	n := &t.nodes[p]
	switch n.kind {
	case stepFresh:
		return "new " + valueName(n.root)
	case stepAddr:
		return fmt.Sprintf("%#x", n.n)
	case stepField:
		base := t.String(n.parent)
		return strings.TrimPrefix(base, "&") + "." + n.typ.Underlying().(*types.Struct).Field(int(n.n)).Name()
	case stepLoad, stepIface, stepCell:
		return t.String(n.parent)
	case stepConst:
		return fmt.Sprintf("%s[%d]", t.String(n.parent), n.n)
	case stepElem:
		name := valueName(n.root)
		//mutant: elements have the names of registers [test ./static/findings TestWant]: false
		if _, register := n.root.(ssa.Instruction); register && name == n.root.Name() {
			name = "..." // the source has no name for the index
		}
		return fmt.Sprintf("%s[%s]", t.String(n.parent), name)
	}
	if p == Unknown {
		return "something unknown"
	}
	return valueName(n.root)
}

// valueName returns the name of v in the source, as far as SSA has it.
func valueName(v ssa.Value) string {
	switch x := v.(type) {
	case *ssa.Alloc:
		if x.Comment != "" {
			return x.Comment
		}
	case *ssa.Phi:
		if x.Comment != "" {
			return x.Comment
		}
	case *ssa.Call:
		if f := x.Call.StaticCallee(); f != nil {
			return f.Name() + "(...)"
		}
	case *ssa.Extract:
		return valueName(x.Tuple)
	case *ssa.Global:
		return x.Name()
	}
	return v.Name()
}
