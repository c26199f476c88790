package static_test

import (
	"fmt"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/vm"
)

// TestWant analyses the programs under testdata/src. A comment at the end of a line has regular expressions
// that match whole facts, which analyses report, or do not report, for the point before the line's first
// instruction:
//
//	x++ // want mustlock:"lock s.mu before .*" !maynotify:"close c"
//
// An expression "none" means no fact at all. Facts that say why they do not
// hold are written "text BUT why".
func TestWant(t *testing.T) {
	dirs, err := filepath.Glob("testdata/src/*")
	if err != nil || len(dirs) == 0 {
		t.Fatal("no test data: ", err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			file := filepath.Join(dir, "main.go")
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			prog, graph := program(t, string(src))
			w := &wants{t: t, prog: prog, at: firstInstructions(prog), by: map[string]static.Analysis{}}
			for _, a := range static.Analyses(static.NewBase(graph)) {
				w.by[a.Name()] = a
			}
			w.check(string(src))
		})
	}
}

// cache keeps the library between tests.
var cache = new(load.Cache)

// program loads a program of one file and builds its call graph.
func program(t testing.TB, src string) (*load.Program, *static.CallGraph) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module test\n\ngo 1.26\n", "main.go": src} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := load.Load(load.Config{Dir: dir, Implicit: []string{"runtime"}, Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	m, err := vm.New(prog, prog.Entries[0], vm.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return prog, static.NewCallGraph(prog, prog.Entries[0], natives{m})
}

// natives are the machine's, for the call graph.
type natives struct{ m *vm.Machine }

func (n natives) Native(fn *ssa.Function) bool  { return n.m.StaticView().IsNative(fn) }
func (n natives) Trusted(fn *ssa.Function) bool { return n.m.StaticView().IsTrusted(fn) }

// firstInstructions returns, for each line of the main package, the first
// instruction there.
func firstInstructions(prog *load.Program) map[int]ssa.Instruction {
	at := map[int]ssa.Instruction{}
	var visit func(fn *ssa.Function)
	visit = func(fn *ssa.Function) {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if !instr.Pos().IsValid() {
					continue
				}
				if line := prog.Fset.Position(instr.Pos()).Line; at[line] == nil {
					at[line] = instr
				}
			}
		}
		for _, lit := range fn.AnonFuncs {
			visit(lit)
		}
	}
	pkg := prog.Entries[0].Func.Pkg
	for _, name := range slices.Sorted(maps.Keys(pkg.Members)) {
		switch m := pkg.Members[name].(type) {
		case *ssa.Function:
			visit(m)
		case *ssa.Type:
			methods := types.NewMethodSet(types.NewPointer(m.Type()))
			for i := range methods.Len() {
				if fn := prog.SSA.MethodValue(methods.At(i)); fn != nil {
					visit(prog.SSA.FuncValue(methods.At(i).Obj().(*types.Func)))
				}
			}
		}
	}
	return at
}

// wants checks the comments of one program.
type wants struct {
	t    *testing.T
	prog *load.Program
	at   map[int]ssa.Instruction
	by   map[string]static.Analysis
}

var wantRE = regexp.MustCompile(`(!?)([a-z]+):"((?:[^"\\]|\\.)*)"`)

func (w *wants) check(src string) {
	n := 0
	for i, line := range strings.Split(src, "\n") {
		_, comment, ok := strings.Cut(line, "// want ")
		if !ok {
			continue
		}
		for _, m := range wantRE.FindAllStringSubmatch(comment, -1) {
			n++
			where := fmt.Sprintf("line %d: %s", i+1, m[0])
			a, instr := w.by[m[2]], w.at[i+1]
			if a == nil || instr == nil {
				w.t.Errorf("%s: no such analysis, or no instruction there", where)
				continue
			}
			var facts []string
			for _, f := range a.At(instr) {
				text := f.Text
				if f.Why != "" {
					text += " BUT " + f.Why
				}
				facts = append(facts, text)
			}
			re := regexp.MustCompile("^(?:" + m[3] + ")$")
			found := slices.ContainsFunc(facts, re.MatchString)
			if m[3] == "none" {
				found = len(facts) == 0
			}
			if found == (m[1] == "!") {
				w.t.Errorf("%s: facts are\n\t%s", where, strings.Join(facts, "\n\t"))
			}
		}
	}
	if n == 0 {
		w.t.Error("nothing is wanted")
	}
}
