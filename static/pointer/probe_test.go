package pointer

import (
	"flag"
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/txtar"

	"hbcheck.dev/hbcheck/load"
)

var update = flag.Bool("update", false, "rewrite the probes in testdata; only keep the changes if you understand what caused them")

// TestProbes analyses the programs in testdata. Comments at the ends of lines list the expected results,
// separated by bars, in any order:
//
//	print(x)  // @pointsto new:7.f | x:5[12]   the addresses in x, in all contexts
//	print(i)  // @types *T | int               the dynamic types in interface i
//	f()       // @calls f | (*T).m             the functions called on this line
//	          // @reachable f | g              functions that are reached
//	          // @unreachable f | g            functions that are not
//
// An address is written as the name ssa gives to the variable, or the kind of the object, the line of its
// allocation (in the library: the function), the path, and the lines of the context in brackets. With ...
// at the end there may be other results.
func TestProbes(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no test data: ", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			prog := loadArchive(t, ar)
			if newProbes(t, prog).check(ar) {
				if err := os.WriteFile(file, txtar.Format(ar), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// loadArchive loads the package at the top of an archive.
func loadArchive(t testing.TB, ar *txtar.Archive) *load.Program {
	t.Helper()
	dir := t.TempDir()
	files := append(ar.Files, txtar.File{Name: "go.mod", Data: []byte("module test\ngo 1.26\n")})
	for _, f := range files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := load.Load(load.Config{Dir: dir, Implicit: []string{"runtime"}, Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

// probes checks the comments of one program.
type probes struct {
	t    *testing.T
	prog *load.Program
	r    *Result
	fns  []*ssa.Function // of the user's packages
	main *types.Package
}

func newProbes(t *testing.T, prog *load.Program) *probes {
	p := &probes{t: t, prog: prog, r: Analyze(prog, prog.Entries[0]), main: prog.Entries[0].Package.Types}
	for _, fn := range p.r.Reachable() {
		if pkg := prog.PackageOf(fn); pkg != nil && !pkg.Std && !p.r.IsOpaque(fn) {
			p.fns = append(p.fns, fn)
		}
	}
	return p
}

var probeRE = regexp.MustCompile(`// @(pointsto|types|calls|reachable|unreachable) (.*)$`)

// check reports whether the archive was updated with the actual results.
func (p *probes) check(ar *txtar.Archive) (changed bool) {
	n := 0
	for k, f := range ar.Files {
		lines := strings.Split(string(f.Data), "\n")
		for i, line := range lines {
			m := probeRE.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			n++
			want := strings.Split(m[2], "|")
			for i := range want {
				want[i] = strings.TrimSpace(want[i])
			}
			slices.Sort(want)
			open := false
			if k := slices.Index(want, "..."); k >= 0 {
				want, open = slices.Delete(want, k, k+1), true
			}
			want = slices.DeleteFunc(want, func(s string) bool { return s == "" })
			where := fmt.Sprintf("%s:%d: @%s", f.Name, i+1, m[1])
			switch m[1] {
			case "reachable", "unreachable":
				for _, w := range want {
					if got := slices.ContainsFunc(p.fns, func(fn *ssa.Function) bool { return fn.RelString(p.main) == w }); got != (m[1] == "reachable") {
						p.t.Errorf("%s %s: not so", where, w)
					}
				}
				continue
			}
			got, found := p.at(m[1], f.Name, i+1)
			if *update && found && !open && !slices.Equal(got, want) {
				lines[i] = strings.TrimSuffix(line, m[2]) + strings.Join(got, " | ")
				changed = true
				continue
			}
			switch {
			case !found:
				p.t.Errorf("%s: there is nothing to ask on this line", where)
			case open:
				for _, w := range want {
					if !slices.Contains(got, w) {
						p.t.Errorf("%s: got %s, which lacks %s", where, strings.Join(got, " | "), w)
					}
				}
			case !slices.Equal(got, want):
				p.t.Errorf("%s: got %s, want %s", where, strings.Join(got, " | "), strings.Join(want, " | "))
			}
		}
		ar.Files[k].Data = []byte(strings.Join(lines, "\n"))
	}
	if n == 0 {
		p.t.Error("no probes")
	}
	return changed
}

// at returns the result of the query named what for a line.
func (p *probes) at(what, file string, line int) (answer []string, found bool) {
	var got []string
	for _, fn := range p.fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				call, ok := i.(ssa.CallInstruction)
				if !ok {
					continue
				}
				pos := p.prog.Fset.Position(posOf(call))
				if pos.Line != line || filepath.Base(pos.Filename) != filepath.Base(file) {
					continue
				}
				bi, ok := call.Common().Value.(*ssa.Builtin)
				if probe := ok && bi.Name() == "print"; probe != (what != "calls") {
					continue
				}
				found = true
				switch what {
				case "calls":
					for _, ctx := range p.r.Contexts(fn) {
						for _, c := range p.r.Callees(call, ctx) {
							got = append(got, c.Fn.RelString(p.main))
						}
					}
				case "types":
					for _, t := range p.r.PointsToAnywhere(call.Common().Args[0]).DynamicTypes() {
						got = append(got, types.TypeString(t, types.RelativeTo(p.main)))
					}
				case "pointsto":
					for l := range p.r.PointsToAnywhere(call.Common().Args[0]).Labels() {
						got = append(got, p.label(l))
					}
				}
			}
		}
	}
	slices.Sort(got)
	return slices.Compact(got), found
}

// label writes l as the comments do.
func (p *probes) label(l Label) string {
	o := l.Object
	name := o.Kind.String()
	switch s := o.Site.(type) {
	case *ssa.Global:
		return s.Name() + l.Path()
	case *ssa.Function:
		return s.RelString(p.main) + l.Path()
	case *ssa.Alloc:
		name = s.Comment
	case *ssa.MakeClosure:
		name = s.Fn.(*ssa.Function).RelString(p.main)
	}
	switch s := o.Site.(type) {
	case ssa.Instruction:
		name += ":" + p.line(s)
	case types.Type:
		name += ":" + types.TypeString(s, nil)
	case madeType:
		name += ":" + types.TypeString(s.t, nil)
	}
	name += l.Path()
	if o.Context != 0 {
		name += "["
		for c := o.Context; c != 0; c = p.r.a.policy.table[c].parent {
			if c != o.Context {
				name += " "
			}
			switch s := p.r.a.policy.table[c].site.(type) {
			case *ssa.Function:
				name += s.Name()
			case ssa.Instruction:
				name += p.line(s)
			case *ssa.Global:
				name += s.Name()
			default:
				name += fmt.Sprint(s)
			}
		}
		name += "]"
	}
	return name
}

// line returns the line of i, or for the library the function.
func (p *probes) line(i ssa.Instruction) string {
	if pkg := p.prog.PackageOf(i.Parent()); pkg == nil || pkg.Std {
		return i.Parent().String()
	}
	return fmt.Sprint(p.prog.Fset.Position(posOf(i)).Line)
}
