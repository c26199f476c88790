package compile

import (
	"strings"

	"golang.org/x/tools/go/ssa"
)

// onlyShown reports whether v, an interface value, is an argument of functions that print it, or
// make a text of it, and is used for nothing else.
func onlyShown(v *ssa.MakeInterface) bool {
	for _, u := range *v.Referrers() {
		switch x := u.(type) {
		case *ssa.DebugRef:
		case *ssa.Store:
			if x.Val != ssa.Value(v) {
				return false
			}
			a, ok := x.Addr.(*ssa.IndexAddr)
			if !ok || !variadic(a.X) || !argumentsShown(a.X) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// argumentsShown reports whether the array of variable arguments is that of a function that prints
// them, or makes a text of them.
func argumentsShown(array ssa.Value) bool {
	for _, u := range *array.Referrers() {
		switch x := u.(type) {
		case *ssa.IndexAddr, *ssa.DebugRef:
		case *ssa.Slice:
			for _, u := range *x.Referrers() {
				call, ok := u.(ssa.CallInstruction)
				if _, ref := u.(*ssa.DebugRef); !ref && (!ok || !shows(call.Common())) {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// shows reports whether a call prints its arguments, or makes a text of them.
func shows(call *ssa.CallCommon) bool {
	f := call.StaticCallee()
	if f == nil || f.Pkg == nil {
		return false
	}
	switch f.Pkg.Pkg.Path() {
	case "fmt":
		return !strings.Contains(f.Name(), "scan") && !strings.Contains(f.Name(), "Scan")
	case "log", "log/slog", "testing":
		return true
	}
	return false
}
