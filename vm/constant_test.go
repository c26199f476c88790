package vm_test

import (
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"hbcheck.dev/hbcheck/internal/vmtest"
)

// TestConstantPackages: the variables of reflect and reflectlite are written by
// their initialisers only. So the machine may take reading them for no visible
// operation (constantPkgs in linker.go).
func TestConstantPackages(t *testing.T) {
	prog := vmtest.Load(t, `package main
import ("encoding/json"; "errors"; "fmt"; "reflect"; "sort"; "text/template")
var _ = []any{json.Marshal, errors.As, fmt.Sprint, reflect.DeepEqual, sort.Slice, template.New}
func main() {}
`)
	prog.SSA.Build()
	seen := 0
	for fn := range ssautil.AllFunctions(prog.SSA) {
		if fn.Pkg == nil || fn.Synthetic == "package initializer" {
			continue
		}
		switch fn.Pkg.Pkg.Path() {
		case "reflect", "internal/reflectlite":
			seen++
		default:
			continue
		}
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

// variable returns the package variable that v is the address of, or of a part of.
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
