package static

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// global reports whether p is a package variable or lies in one.
func (t *Paths) global(p Path) bool {
	for ; ; p = t.nodes[p].parent {
		if _, inside := t.offset(p); !inside {
			_, ok := t.nodes[p].root.(*ssa.Global)
			return ok && t.nodes[p].kind == stepRoot
		}
	}
}

// distance returns the number of bytes from address p to address q if both lie in one object or array, and
// the name of q relative to that object.
func (t *Paths) distance(p, q Path) (bytes int64, name string, ok bool) {
	common := map[Path]int64{}
	if p == Unknown || q == Unknown {
		return 0, "", false
	}
	off := int64(0)
	for x := p; ; x = t.nodes[x].parent {
		common[x] = off
		n, inside := t.offset(x)
		if !inside {
			break
		}
		off += n
	}
	off = 0
	for x := q; ; x = t.nodes[x].parent {
		if o, found := common[x]; found {
			return off - o, strings.TrimPrefix(strings.TrimPrefix(t.String(q), t.String(x)), "."), true
		}
		n, inside := t.offset(x)
		if !inside {
			return 0, "", false
		}
		off += n
	}
}

// offset returns the distance in bytes from p's parent to p, if both are in the same object.
func (t *Paths) offset(p Path) (int64, bool) {
	switch n := &t.nodes[p]; n.kind {
	case stepField:
		off, ok := t.offs[p]
		if !ok {
			st := n.typ.Underlying().(*types.Struct)
			fields := make([]*types.Var, n.n+1)
			for i := range fields {
				fields[i] = st.Field(i)
			}
			off = gcSizes.Offsetsof(fields)[n.n]
			t.offs[p] = off
		}
		return off, true
	case stepConst:
		return int64(n.n) * gcSizes.Sizeof(n.typ), true
	}
	return 0, false
}

// gcSizes has the sizes of types on the machine's platform.
var gcSizes = types.SizesFor("gc", "amd64")
