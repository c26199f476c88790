package static

import (
	"fmt"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"
)

// Invariants that determine the mutex of a Cond's Locker. Cond.Wait unlocks c.L, and the calling code does
// not show that c.L is the mutex locked there: s.mu.Lock(); s.c.Wait(). But in nearly all programs each Cond
// field of a struct belongs to a mutex field of the same struct, because the program only sets it like this:
//
//	s.c.L = &s.mu            a Cond in the struct
//	s.c = sync.NewCond(&s.mu)   a pointer to one
//
// If every store in the program to the field is of this form, with the same two fields, then the path s.c.L
// is s.mu: an invariant of the type. The invariant does not hold after a store of any other form: to L
// through a pointer to some Cond, or of a whole struct that contains the Cond (a copy, whose L is the
// original's mutex). Such stores by reflection are not seen.

// lockers has the invariants of a program.
type lockers struct {
	types    typeutil.Map
	mutex    map[condField][]pathNode // steps from the struct to the mutex
	void     map[condField]bool
	embedded bool // Conds in structs may be written by unknown code
	pointed  bool // pointers to Conds may be written by unknown code
}

// condField names a Cond: fields from a struct of type number typ, and whether the
// last of them is a pointer.
type condField struct {
	typ    int
	fields string
	ptr    bool
}

// lister is a Program that can list its functions.
type lister interface{ Functions() []*ssa.Function }

// findLockers examines all stores of the program.
func (t *Paths) findLockers(p Program) *lockers {
	l := &lockers{mutex: map[condField][]pathNode{}, void: map[condField]bool{}}
	list, ok := p.(lister)
	if !ok {
		l.embedded, l.pointed = true, true
		return l
	}
	for _, fn := range list.Functions() {
		body := p.Body(fn)
		if body == nil {
			continue
		}
		for _, b := range body.Blocks {
			for _, instr := range b.Instrs {
				switch x := instr.(type) {
				case *ssa.Store:
					t.lockerStore(l, x)
				case ssa.CallInstruction:
					c := x.Common()
					bi, ok := c.Value.(*ssa.Builtin)
					if copies := ok && (bi.Name() == "append" || bi.Name() == "copy"); copies && len(c.Args) > 1 {
						if s, ok := c.Args[1].Type().Underlying().(*types.Slice); ok {
							l.copied(s.Elem())
						}
					}
				}
			}
		}
	}
	return l
}

// copied records that values of type t are stored as a whole.
func (l *lockers) copied(t types.Type) {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if isCond(t) {
			l.embedded = true
		}
		for i := range u.NumFields() {
			f := u.Field(i).Type()
			if p, ok := f.Underlying().(*types.Pointer); ok && isCond(p.Elem()) {
				l.pointed = true
			}
			l.copied(f)
		}
	case *types.Array:
		l.copied(u.Elem())
	}
}

func isCond(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == "Cond" && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "sync"
}

func (t *Paths) lockerStore(l *lockers, st *ssa.Store) {
	if c, ok := st.Val.(*ssa.Const); ok && c.Value == nil {
		return // no Locker
	}
	l.copied(st.Val.Type())
	fa, ok := st.Addr.(*ssa.FieldAddr)
	if !ok {
		return
	}
	owner := elemOf(fa.X.Type())
	field := owner.Underlying().(*types.Struct).Field(fa.Field)
	if isCond(owner) && field.Name() == "L" {
		cond := t.Of(fa.X)
		if a := t.allocated(cond); a != nil && isCond(elemOf(a.Type())) {
			return // a Cond that is in no struct
		}
		if t.condIn(l, cond, false, t.Of(st.Val)) == 0 {
			l.embedded, l.pointed = true, true // some Cond
		}
		return
	}
	if p, ok := field.Type().Underlying().(*types.Pointer); ok && isCond(p.Elem()) {
		mu := Unknown
		if call, ok := st.Val.(*ssa.Call); ok && isNewCond(call) {
			mu = t.Of(call.Call.Args[0])
		}
		t.condIn(l, t.Of(st.Addr), true, mu)
	}
}

// condIn notes that mutex mu is the Locker of the Cond at path cond, or, if ptr is set, of the Cond
// to which the pointer at cond points. It returns the number of structs that contain the Cond.
func (t *Paths) condIn(l *lockers, cond Path, ptr bool, mu Path) int {
	n := 0
	t.structs(l, cond, ptr, func(base Path, k condField) {
		n++
		steps, ok := t.below(mu, base)
		if old, known := l.mutex[k]; !ok || known && fmt.Sprint(old) != fmt.Sprint(steps) {
			l.void[k] = true
		} else {
			l.mutex[k] = steps
		}
	})
	return n
}

// structs calls f for each struct in which p lies, from the innermost outwards,
// with the fields that lead from there to p.
func (t *Paths) structs(l *lockers, p Path, ptr bool, f func(base Path, k condField)) {
	fields := ""
	for p != Unknown && t.nodes[p].kind == stepField {
		n := &t.nodes[p]
		fields = fmt.Sprintf(".%d", n.n) + fields
		id, ok := l.types.At(n.typ).(int)
		if !ok {
			id = l.types.Len() + 1
			l.types.Set(n.typ, id)
		}
		f(n.parent, condField{id, fields, ptr})
		p = n.parent
	}
}

// below returns the fields that lead from base to p.
func (t *Paths) below(p, base Path) ([]pathNode, bool) {
	var steps []pathNode
	for p != base {
		if p == Unknown || t.nodes[p].kind != stepField {
			return nil, false
		}
		n := t.nodes[p]
		n.parent = Unknown
		steps = append([]pathNode{n}, steps...)
		p = t.nodes[p].parent
	}
	return steps, base != Unknown
}

// lockerAt returns the mutex that is the Locker of the Cond at path cond, if an
// invariant determines it.
func (t *Paths) lockerAt(cond Path) (Path, bool) {
	l := t.lockers
	if l == nil || cond == Unknown {
		return Unknown, false
	}
	at, ptr := cond, false
	if t.nodes[cond].kind == stepLoad {
		at, ptr = t.nodes[cond].parent, true
	}
	if l.embedded && !ptr || l.pointed && ptr {
		return Unknown, false
	}
	found := Unknown
	t.structs(l, at, ptr, func(base Path, k condField) {
		steps, ok := l.mutex[k]
		if !ok || l.void[k] || found != Unknown {
			return
		}
		found = base
		for _, s := range steps {
			found = t.step(found, s)
		}
	})
	return found, found != Unknown
}

// isNewCond reports whether c is a call of NewCond.
func isNewCond(c *ssa.Call) bool {
	fn := c.Call.StaticCallee()
	return fn != nil && fn.String() == newCond
}

// newCond returns the Locker given to the call of NewCond that cond is.
func (t *Paths) newCond(cond Path) (Path, bool) {
	if cond == Unknown || t.nodes[cond].kind != stepRoot {
		return Unknown, false
	}
	c, ok := t.nodes[cond].root.(*ssa.Call)
	if !ok || !isNewCond(c) || t.lockers == nil || t.lockers.pointed {
		return Unknown, false
	}
	return t.Of(c.Call.Args[0]), true
}

// LockerField returns the mutex that the Cond at v unlocks, if an invariant determines it. The mutex is off
// bytes from where base points to, and v is a field of the same struct, or stored in one.
func (t *Paths) LockerField(v ssa.Value) (base ssa.Value, off int64, ok bool) {
	mu := t.locker(v)
	if x, isLoad := v.(*ssa.UnOp); isLoad && x.Op == token.MUL {
		v = x.X
	}
	for {
		f, isField := v.(*ssa.FieldAddr)
		if !isField {
			break
		}
		v = f.X
	}
	off, _, ok = t.distance(t.Of(v), mu)
	return v, off, ok
}

// LockerField calls LockerField of the program's paths for a Cond. site is a call of the Cond's Wait.
func (g *CallGraph) LockerField(site ssa.CallInstruction) (base ssa.Value, off int64, ok bool) {
	if g.paths == nil {
		l := NewPaths(g.Binding).findLockers(g)
		g.paths = NewPaths(g.Binding)
		g.paths.lockers = l
	}
	return g.paths.LockerField(site.Common().Args[0])
}
