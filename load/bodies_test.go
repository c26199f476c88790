package load

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
)

// library is a module whose test imports some of the standard library.
const library = "-- go.mod --\nmodule m\ngo 1.26\n-- m_test.go --\npackage m\nimport (\n\"context\"\n\"strconv\"\n\"sync\"\n\"testing\"\n)\n" +
	"func TestM(t *testing.T) {\nvar mu sync.Mutex\nmu.Lock()\ncontext.Background()\nstrconv.Itoa(1)\n}\n"

// overlaid loads a program as hbcheck does.
func overlaid(t *testing.T, cfg Config) *Program {
	t.Helper()
	prog, err := Load(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

// textsOf returns texts of all parts of a program: its functions with their positions, their bodies on
// request, the order of initialisation, and the data collected about its packages.
func textsOf(prog *Program, bodies bool) map[string]string {
	texts := make(map[string]string)
	for _, p := range prog.All {
		texts[p.Path] = fmt.Sprint(p.Name, p.Dir, p.Overlaid, p.facts, p.testing, p.initWork, p.links, len(p.bare))
		qualifier := types.RelativeTo(p.Types)
		for k, op := range p.nonblocking {
			texts[fmt.Sprintf("%s, operation %d", p.Path, k)] = fmt.Sprint(op.send, types.TypeString(op.elem, qualifier))
		}
		if bodies {
			prog.BuildPackage(p.SSA)
		}
		for k, fn := range functionsOf(prog, p) {
			var b strings.Builder
			fmt.Fprintln(&b, fn.Pos(), prog.HasLostBody(fn), prog.Linked(fn) != nil)
			eachFunction(fn, map[*ssa.Function]bool{}, func(fn *ssa.Function) {
				fn.WriteTo(&b)
				for _, block := range fn.Blocks {
					for _, i := range block.Instrs {
						fmt.Fprintln(&b, i.Pos())
					}
				}
			})
			texts[fmt.Sprintf("%s, function %d: %s", p.Path, k, fn.Name())] = b.String()
		}
	}
	for k, p := range prog.InitOrder(prog.Entries[0]) {
		texts[fmt.Sprintf("initialiser %d", k)] = p.Pkg.Path()
	}
	return texts
}

// functionsOf returns the functions of p in the order of the source.
func functionsOf(prog *Program, p *Package) []*ssa.Function {
	if list := prog.built.created[p.SSA]; list != nil {
		return list
	}
	var list []*ssa.Function
	for _, f := range p.Files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				list = append(list, prog.SSA.FuncValue(p.Info.Defs[d.Name].(*types.Func)))
			}
		}
	}
	return list
}

// compare reports the first differences between two programs.
func compare(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d texts, want %d", what, len(got), len(want))
	}
	differ := 0
	for name, text := range got {
		if text != want[name] && differ < 3 {
			differ++
			t.Errorf("%s: %s differs:\n%s\nwant:\n%s", what, name, text, want[name])
		}
	}
}

// TestBodies: a program whose bodies are checked when they are needed is the same as one whose bodies are
// checked at once.
func TestBodies(t *testing.T) {
	dir := extract(t, library)
	load := func(early bool) *Program {
		return overlaid(t, Config{Dir: dir, Tests: true, Implicit: []string{"runtime"}, early: early})
	}
	prog := load(false)
	late := 0
	for _, p := range prog.All {
		late += len(p.late)
	}
	if late < 500 {
		t.Errorf("only %d bodies are checked late", late)
	}
	compare(t, "late bodies", textsOf(prog, true), textsOf(load(true), true))
}

// TestBodiesOrder: functions through which a variable leads to one that is declared later keep their bodies.
func TestBodiesOrder(t *testing.T) {
	src := `package p
var early = 1
var a = f()
var b = g(early)
var c = T{}.M()
var late = 2
func f() int { return inner() }
func inner() int { return late }
func g(n int) int { return early }
type T struct{}
func (T) M() int { return a }
func (T) N() int { return late }
func inner2() int { return late }
`
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for d := range (&Package{Files: []*ast.File{f}}).mentionedByVariables() {
		got = append(got, d.Name.Name)
	}
	slices.Sort(got)
	// M leads to a, and by that to late.
	if want := "[M f inner]"; fmt.Sprint(got) != want {
		t.Errorf("%v keep their bodies, want %s", got, want)
	}
}

// TestIsBodyless: whether a function has a body does not depend on whether it has been built.
func TestIsBodyless(t *testing.T) {
	prog := overlaid(t, Config{Dir: extract(t, library), Tests: true, Implicit: []string{"runtime"}})
	without := 0
	for _, p := range prog.All {
		for _, fn := range prog.built.created[p.SSA] {
			before := prog.IsBodyless(fn)
			prog.EnsureBuilt(fn)
			if after := fn.Blocks == nil; before != after || prog.IsBodyless(fn) != after {
				t.Errorf("%s: without a body: %t, and %t when it has been built: %t", fn, before, prog.IsBodyless(fn), after)
			}
			if before {
				without++
			}
		}
	}
	if without == 0 {
		t.Error("all functions have bodies")
	}
}
