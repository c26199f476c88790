package observable_test

import (
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/static/observable"
)

// TestConstantPackages: only their initialisers write the unexported variables of the packages that
// the machine treats as constant (constantPkgs).
func TestConstantPackages(t *testing.T) {
	prog := vmtest.Load(t, `package main
import ("bytes"; "encoding/json"; "errors"; "fmt"; "math"; "math/bits"; "reflect"; "sort"; "strconv"; "strings"; "text/template"; "unicode"; "unicode/utf16"; "unicode/utf8")
var _ = []any{json.Marshal, errors.As, fmt.Sprint, reflect.DeepEqual, sort.Slice, template.New, bytes.Fields, math.Sin, bits.Len, strconv.Atoi, strings.Fields, unicode.IsLetter, utf16.Encode, utf8.DecodeRune}
func main() {}
`)
	prog.Build()
	seen := 0
	for fn := range ssautil.AllFunctions(prog.SSA) {
		if fn.Pkg == nil || fn.Synthetic == "package initializer" || strings.HasPrefix(fn.Name(), "init#") {
			continue
		}
		if !observable.ConstantPackage(fn.Pkg.Pkg.Path()) {
			continue
		}
		seen++
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if s, ok := i.(*ssa.Store); ok {
					if g := variable(s.Addr); g != nil {
						t.Errorf("%s: %s writes %s", prog.Fset.Position(s.Pos()), fn, g)
					}
				}
			}
		}
	}
	if seen < 200 {
		t.Errorf("only %d functions seen", seen)
	}
}

// variable returns the package variable whose address, or the address of a part of it, is v.
func variable(v ssa.Value) *ssa.Global {
	for {
		switch x := v.(type) {
		case *ssa.Global:
			return x
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.IndexAddr:
			v = x.X
		default:
			return nil
		}
	}
}
