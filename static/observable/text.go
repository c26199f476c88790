package observable

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Nothing depends on a text that is only printed: no comparison, no key of a map, no length.

// A TextUse is the use of a text.
type TextUse uint8

// The uses of a text.
const (
	TextShown    TextUse = iota // the text is printed, or not used
	TextReturned                // the text is printed, or the function returns it
	TextUsed                    // perhaps something depends on the text
)

// UseOfText returns how the function of a call uses the text that the call makes of its arguments.
// captured says whether the program may read its own output or log (Variables.ReadsOutput).
func UseOfText(i ssa.Instruction, captured bool) TextUse {
	call, ok := i.(ssa.CallInstruction)
	if !ok {
		return TextUsed
	}
	t := &textFlow{seen: map[ssa.Value]bool{}, captured: captured}
	t.call(call)
	return t.use
}

// onlyShown reports whether v, an interface value, is only an argument of functions that print it, or
// make a text of it.
func onlyShown(v *ssa.MakeInterface, captured bool) bool {
	t := &textFlow{seen: map[ssa.Value]bool{}, ends: true, captured: captured}
	t.value(v)
	return t.use == TextShown
}

// FormattedAndUsed reports whether fmt makes texts of v, which has no other use, and the function uses
// one of these texts.
func FormattedAndUsed(v *ssa.MakeInterface, captured bool) bool {
	t := &textFlow{seen: map[ssa.Value]bool{}, captured: captured}
	t.value(v)
	return t.use == TextUsed && onlyShown(v, captured)
}

// textFlow follows a text through a function.
type textFlow struct {
	seen     map[ssa.Value]bool
	use      TextUse
	ends     bool // do not count the uses of a text into which v is put
	captured bool // see UseOfText
}

// call follows a text that is put into another one: fmt.Errorf("...: %v", err) uses err only if the new error
// is used.
func (t *textFlow) call(i ssa.CallInstruction) {
	call := i.Common()
	switch {
	case prints(call, t.captured):
		return
	case !makesText(call):
		t.use = TextUsed
		return
	}
	if v := i.Value(); v != nil && !t.ends {
		t.value(v)
	}
}

// value treats everything as a use that is not known to print the text or to pass it on.
func (t *textFlow) value(v ssa.Value) {
	if t.seen[v] || t.use == TextUsed || v.Referrers() == nil {
		return
	}
	t.seen[v] = true
	for _, u := range *v.Referrers() {
		switch x := u.(type) {
		case *ssa.DebugRef:
		case *ssa.MakeInterface:
			t.value(x)
		case *ssa.ChangeInterface:
			t.value(x)
		case *ssa.Phi:
			t.value(x)
		case *ssa.BinOp:
			switch {
			case x.Op == token.ADD:
				t.value(x)
			case !IsNil(x.X) && !IsNil(x.Y):
				t.use = TextUsed
			}
		case *ssa.Return:
			t.use = max(t.use, TextReturned)
		case *ssa.Store:
			// An element of variable arguments.
			a, ok := x.Addr.(*ssa.IndexAddr)
			if !ok || x.Val != v || !variadic(a.X) {
				t.use = TextUsed
				return
			}
			t.arguments(a.X)
		case ssa.CallInstruction:
			t.call(x)
		default:
			t.use = TextUsed
		}
	}
}

// arguments follows the array of variable arguments.
func (t *textFlow) arguments(array ssa.Value) {
	for _, u := range *array.Referrers() {
		switch x := u.(type) {
		case *ssa.IndexAddr, *ssa.DebugRef:
		case *ssa.Slice:
			for _, u := range *x.Referrers() {
				if call, ok := u.(ssa.CallInstruction); ok {
					t.call(call)
				} else if _, ok := u.(*ssa.DebugRef); !ok {
					t.use = TextUsed
				}
			}
		default:
			t.use = TextUsed
		}
	}
}

// method returns the package and the name of the called function or method, if known.
func method(call *ssa.CallCommon) (pkg, name string) {
	var f *types.Func
	if call.IsInvoke() {
		f = call.Method
	} else if fn := call.StaticCallee(); fn != nil {
		f, _ = fn.Object().(*types.Func)
	}
	if f == nil || f.Pkg() == nil {
		return "", ""
	}
	return f.Pkg().Path(), f.Name()
}

func hasPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// prints reports whether a call only prints its arguments, to where the program does not read them.
func prints(call *ssa.CallCommon, captured bool) bool {
	switch pkg, name := method(call); pkg {
	case "fmt":
		//mutant: output is not read [env TestPrograms/captured]: drop 1
		return !captured && (hasPrefix(name, "Print") || hasPrefix(name, "Fprint") && toStdout(call.Args[0]))
	case "log", "log/slog":
		return !captured && hasPrefix(name, "Print", "Fatal", "Debug", "Info", "Warn", "Error")
	case "errors":
		return name == "Is" // errors are compared, not their texts
	case "testing":
		return hasPrefix(name, "Log", "Error", "Fatal", "Skip")
	}
	b, ok := call.Value.(*ssa.Builtin)
	return ok && hasPrefix(b.Name(), "print")
}

// toStdout reports whether w is os.Stdout or os.Stderr.
func toStdout(w ssa.Value) bool {
	i, ok := w.(*ssa.MakeInterface)
	if !ok {
		return false
	}
	load, ok := i.X.(*ssa.UnOp)
	if !ok {
		return false
	}
	g, ok := load.X.(*ssa.Global)
	return ok && g.Pkg != nil && g.Pkg.Pkg.Path() == "os" && hasPrefix(g.Name(), "Stdout", "Stderr")
}

// makesText reports whether a call makes a text, or an error, of its arguments and does nothing else
// with them.
func makesText(call *ssa.CallCommon) bool {
	if call.IsInvoke() {
		sig := call.Method.Signature()
		return (call.Method.Name() == "Error" || call.Method.Name() == "String") && sig.Params().Len() == 0
	}
	switch pkg, name := method(call); pkg {
	case "fmt":
		return hasPrefix(name, "Sprint", "Errorf")
	case "errors":
		return name == "Unwrap" || name == "Join"
	case "time":
		return name == "String" || name == "GoString" || name == "Format"
	}
	return false
}

// variadic reports whether v is the array of a call's variable arguments, which exists for that call only.
func variadic(v ssa.Value) bool {
	a, ok := v.(*ssa.Alloc)
	return ok && a.Comment == "varargs"
}

// IsNil reports whether v is the zero of a type whose values are compared with nil by their first
// word.
//
// The zero of a struct or an array is a constant without a value, too, and is never compared with nil.
func IsNil(v ssa.Value) bool {
	k, ok := v.(*ssa.Const)
	if !ok || k.Value != nil {
		return false
	}
	switch k.Type().Underlying().(type) {
	case *types.Struct, *types.Array:
		return false
	}
	return true
}
