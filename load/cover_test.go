package load

import (
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/txtar"
)

// TestStripped: functions whose counters were removed have the instructions of functions that never
// had counters, except where all arms of a statement are empty. TestCover of internal/progen shows
// that no state changes.
func TestStripped(t *testing.T) {
	archive, err := txtar.ParseFile("../cmd/hbcheck/testdata/cover/blocks.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range archive.Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var shapes [2]map[string]string
	for i := range shapes {
		prog, err := Load(Config{Dir: dir, Patterns: []string{"./..."}, Tests: true, Implicit: []string{"runtime"}, Cover: i == 1})
		if err != nil {
			t.Fatal(err)
		}
		shapes[i] = shapesOf(prog)
		if i == 1 && len(prog.Blocks()) < 100 {
			t.Errorf("only %d blocks", len(prog.Blocks()))
		}
	}
	if len(shapes[0]) < 30 {
		t.Fatalf("only %d functions", len(shapes[0]))
	}
	different := 0
	for name, want := range shapes[0] {
		if got := shapes[1][name]; got != want {
			if different++; !strings.HasSuffix(name, ".chain") && !strings.HasSuffix(name, ".channels") {
				t.Errorf("%s is\n%s\nand with coverage\n%s", name, want, got)
			}
		}
	}
	if different > 4 { // two in the package and its test variant
		t.Errorf("%d functions are different", different)
	}
}

// shapesOf returns the instructions of each function of the user's, by name.
func shapesOf(prog *Program) map[string]string {
	shapes := make(map[string]string)
	for _, p := range prog.All {
		if p.Std {
			continue
		}
		p.SSA.Build()
		list := []*ssa.Function{p.SSA.Func("init")}
		for _, f := range p.Files {
			for _, d := range f.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
					list = append(list, prog.SSA.FuncValue(p.Info.Defs[d.Name].(*types.Func)))
				}
			}
		}
		done := make(map[*ssa.Function]bool)
		for _, fn := range list {
			eachFunction(fn, done, func(fn *ssa.Function) { shapes[p.ID+" "+fn.String()] = shapeOf(fn) })
		}
	}
	return shapes
}

// shapeOf counts the instructions of each kind in fn, except jumps and phis.
func shapeOf(fn *ssa.Function) string {
	kinds := make(map[string]int)
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr.(type) {
			case *ssa.Jump, *ssa.Phi:
			default:
				kinds[fmt.Sprintf("%T", instr)]++
			}
		}
	}
	return fmt.Sprint(kinds)
}
