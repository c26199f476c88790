package sketch

import (
	"fmt"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

type objKind uint8

const (
	plainObj objKind = iota
	chanObj
	mapObj
)

// obj is an object that a pointer points into, a channel, or a map.
type obj struct {
	kind    objKind
	t       types.Type
	site    ssa.Instruction // that has allocated it; nil for those from outside and for variables of packages
	outside bool            // code outside of the run may use it
	// happened is set if something has been received from a channel from outside.
	happened bool
	filled   bool // elements have been made up for it: see fill
	cells    map[string]value
	order    []string // keys of a map, in the order of their insertion
	sync     map[string]*lock
	ch       *channel
	clocks   map[string]*cellClock
}

func newObj(t types.Type, site ssa.Instruction) *obj {
	return &obj{t: t, site: site, cells: map[string]value{}, sync: map[string]*lock{}, clocks: map[string]*cellClock{}}
}

// outside returns an object that comes from outside.
func (r *Run) outside(t types.Type) *obj {
	o := newObj(t, nil)
	o.outside = true
	r.outsides = append(r.outsides, o)
	return o
}

func fieldPath(path string, i int) string { return fmt.Sprintf("%s.%d", path, i) }
func elemPath(path string, i int) string  { return fmt.Sprintf("%s[%d]", path, i) }

// load returns the value of type t at p.
func (r *Run) load(p *ptr, t types.Type) value {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if _, whole := p.o.cells[p.path]; whole {
			break
		}
		a := &aggregate{make([]value, u.NumFields())}
		for i := range a.f {
			a.f[i] = r.load(&ptr{p.o, fieldPath(p.path, i)}, u.Field(i).Type())
		}
		return a
	case *types.Array:
		if u.Len() <= 64 {
			a := &aggregate{make([]value, u.Len())}
			for i := range a.f {
				a.f[i] = r.load(&ptr{p.o, elemPath(p.path, i)}, u.Elem())
			}
			return a
		}
	}
	v, ok := p.o.cells[p.path]
	if !ok {
		if p.o.outside {
			v = unknown{}
		} else {
			v = zero(t)
		}
	}
	return v
}

// store writes v, of type t, to p.
func (r *Run) store(p *ptr, v value, t types.Type) {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if _, ok := v.(unknown); ok {
			//mutant: sketch: the fields of an unknown struct are zero [test ./static/findings TestWant]: "v = r.makeUp(t)" -> ""
			v = r.makeUp(t)
		}
		if a, ok := v.(*aggregate); ok && len(a.f) == u.NumFields() {
			delete(p.o.cells, p.path)
			for i := range a.f {
				r.store(&ptr{p.o, fieldPath(p.path, i)}, a.f[i], u.Field(i).Type())
			}
			r.resetLocks(p)
			return
		}
	case *types.Array:
		if a, ok := v.(*aggregate); ok && u.Len() == int64(len(a.f)) {
			for i := range a.f {
				r.store(&ptr{p.o, elemPath(p.path, i)}, a.f[i], u.Elem())
			}
			return
		}
	}
	p.o.cells[p.path] = v
}

// resetLocks resets the locks in the value at p, which has been overwritten.
func (r *Run) resetLocks(p *ptr) {
	for path := range p.o.sync {
		if path == p.path || strings.HasPrefix(path, p.path+".") {
			delete(p.o.sync, path)
		}
	}
}

// reach marks all objects that can be reached from v.
func reach(v value, seen map[*obj]bool) {
	mark := func(o *obj) {
		if o == nil || seen[o] {
			return
		}
		seen[o] = true
		for _, c := range o.cells {
			reach(c, seen)
		}
		if o.ch != nil {
			for _, c := range o.ch.buf {
				reach(c.v, seen)
			}
		}
	}
	switch x := v.(type) {
	case *ptr:
		mark(x.o)
	case *slice:
		mark(x.o)
	case *obj:
		mark(x)
	case *contextValue:
		mark(x.done)
		for _, c := range x.children {
			reach(c, seen)
		}
	case *closure:
		for _, b := range x.bind {
			reach(b, seen)
		}
	case *iface:
		reach(x.v, seen)
	case tuple:
		for _, b := range x {
			reach(b, seen)
		}
	case *aggregate:
		for _, b := range x.f {
			reach(b, seen)
		}
	}
}
