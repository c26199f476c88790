package pointer

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/load"
)

// The code that uses a library is not part of the program. It is treated like opaque code (see external.go)
// that
//
//   - uses exported names only, and neither copies structs with other fields
//     nor accesses them with unsafe or reflect,
//   - calls the exported functions and methods of the library with all values that it can have, and sets the
//     variables of the library and the fields of its types,
//   - does not use other packages in this way, and does not call funcs, or methods of unexported types, that
//     it gets. (This is not sound; without it every pointer could point to every object.)

// client adds the effects of the users of library e.
func (a *analysis) client(e *load.Entry) {
	w := a.external("", "users of "+e.Path)
	w.client, w.lib = true, e.Package.Types
	w.enable(keeps | creates)
	for _, m := range e.Exports {
		switch m := m.(type) {
		case *ssa.Global:
			p := w.blob(m.Type())
			a.add(p.reg, a.globalOf(m).base)
		case *ssa.Function:
			if a.policy.NeedsReceiver(m) {
				w.callsMethod(m, w.blob(receiverType(m)).reg)
				continue
			}
			inst := a.instance(m, a.policy.enter(0, nil, false, m, 0, Origin{}))
			skip := 0
			if recv := m.Signature.Recv(); recv != nil {
				w.blob(recv.Type()) // the blob covers the methods of the type
				if len(a.lays.of(recv.Type()).ptrs) > 0 {
					w.produce(inst.arg(0), recv.Type())
				}
				skip = 1
			}
			if a.link(nil, nil, inst) {
				w.called(inst, skip)
			}
		}
	}
}

// owns reports whether t is a type declared by the library that w's code uses.
func (w *external) owns(t types.Type) bool {
	if !w.client {
		return false
	}
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() == w.lib
}

// makes reports whether w's code can make a variable of type t.
func (w *external) makes(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return !w.client || !ok || n.Obj().Exported() || n.Obj().Pkg() == nil
}

// hides reports whether t is a struct with fields that w's code cannot name.
func (w *external) hides(t types.Type) (*types.Struct, bool) {
	if s, ok := t.Underlying().(*types.Struct); ok && w.client {
		for f := range s.Fields() {
			if !w.seesField(f) {
				return s, true
			}
			if _, hidden := w.hides(f.Type()); hidden {
				return s, true
			}
		}
	}
	return nil, false
}

// IsOutside reports whether o represents objects made by the code that uses a library.
func (o *Object) IsOutside() bool {
	if m, ok := o.Site.(madeType); ok {
		return m.w.client
	}
	return o.external != nil && o.external.client
}
