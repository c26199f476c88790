package observable

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Claim 1 of OrderMatters, for calls of fmt.Sprintf and its like: they make a text of their arguments.
//
//	for l, c := range colors { names[l] = fmt.Sprintf("\x1b[%dm%s", c, l.String()) }
//
// Claim: with arguments of basic kinds, whose types have none of the methods that fmt calls, such a
// call reads nothing but its arguments, has no effect, and does not panic. It gets a buffer from a
// sync.Pool, which synchronises; but Get may also return a new buffer, and then orders nothing. So
// if only that pool prevents a data race in one execution, another execution has the race.

// printers make texts of their arguments, and are variadic.
var printers = map[string]bool{"fmt.Sprint": true, "fmt.Sprintf": true, "fmt.Sprintln": true}

// methodsOfFmt are the methods that fmt calls.
var methodsOfFmt = []string{"Error", "Format", "GoString", "String"}

// prints reports whether x calls one of printers with arguments as in the claim.
func (l *mapLoop) prints(x *ssa.Call, f *frame) bool {
	fn := x.Call.StaticCallee()
	if !printers[fn.String()] {
		return false
	}
	switch list := x.Call.Args[len(x.Call.Args)-1].(type) {
	case *ssa.Const: // no arguments
		return true
	case *ssa.Slice:
		return l.whole(list, f) && len(*list.Referrers()) == 1 && plainElements(made(list.X), list)
	}
	return false
}

// plainElements reports whether all elements of array are plain, and it is used for nothing but list.
func plainElements(array *ssa.Alloc, list *ssa.Slice) bool {
	for _, r := range *array.Referrers() {
		if r == list {
			continue
		}
		at, ok := r.(*ssa.IndexAddr)
		if !ok {
			return false
		}
		for _, r := range *at.Referrers() {
			s, ok := r.(*ssa.Store)
			if !ok || s.Addr != at {
				return false
			}
			//mutant: printing calls no methods [order]: "!plain(v.X.Type())" -> "!plain(v.X.Type()) && false"
			if v, ok := s.Val.(*ssa.MakeInterface); !ok || !plain(v.X.Type()) {
				return false
			}
		}
	}
	return true
}

// plain reports whether values of t are of a basic kind, without methods that fmt calls.
func plain(t types.Type) bool {
	if b, ok := t.Underlying().(*types.Basic); !ok || b.Kind() == types.UnsafePointer {
		return false
	}
	methods := types.NewMethodSet(t)
	for _, name := range methodsOfFmt {
		if methods.Lookup(nil, name) != nil {
			return false
		}
	}
	return true
}
