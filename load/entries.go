package load

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"golang.org/x/tools/go/ssa"
)

// A Kind is a kind of entry.
type Kind int

const (
	Main    Kind = iota // func main of a main package
	Test                // func TestXxx(t *testing.T)
	Func                // any other function without parameters, asked for by name
	Library             // the exports of a package, called by unknown code; for static analyses only
)

// String returns the word for k.
func (k Kind) String() string {
	switch k {
	case Main:
		return "main"
	case Test:
		return "test"
	case Func:
		return "func"
	case Library:
		return "library"
	}
	return fmt.Sprintf("Kind(%d)", int(k))
}

// An Entry is a function at which exploration can start. An Entry of kind Library has Exports
// instead of a function.
type Entry struct {
	Kind     Kind
	Path     string // import path of the package; for tests, of the package under test
	Name     string // name of the function
	Pos      token.Pos
	Func     *ssa.Function
	Package  *Package         // package that declares Func
	TestMain *ssa.Function    // for a Test: TestMain(m *testing.M) of its test binary, or nil
	Fuzz     bool             // Func is a func FuzzXxx(f *testing.F); of kind Test
	Corpus   []Seed           // for a fuzz target: the files in testdata/fuzz, by name
	Symbolic bool             // a Func that is called with symbolic arguments
	Example  *Example         // Func is a func ExampleXxx(); of kind Test
	Bench    bool             // Func is a func BenchmarkXxx(b *testing.B); of kind Test
	Beside   *Entry           // another Test that runs at the same time (see Together), or nil
	Exports  []ssa.Member     // for a Library: functions, methods and variables, in the order of the source
	Left     []Uninstantiated // for a Library: exported generic functions that are not among Exports

	// roots are the packages linked together for this entry, with all they import.
	roots []*Package
	// initialisers is set by WithInitialisers.
	initialisers bool
	// entering is the number of machines that execute the beginning of Func: see Enter.
	entering int32
}

// Enter records that a machine has initialised the packages and executes the beginning of e's function, until
// leave is called.
func (e *Entry) Enter() (leave func()) {
	atomic.AddInt32(&e.entering, 1)
	return func() { atomic.AddInt32(&e.entering, -1) }
}

// Entering reports whether a machine executes the beginning of e's function: see Enter.
func (e *Entry) Entering() bool { return atomic.LoadInt32(&e.entering) > 0 }

// WithInitialisers returns e for facts about a program that begins at e, which then also cover initialisers
// of variables.
func (e *Entry) WithInitialisers() *Entry {
	with := *e
	with.initialisers = true
	return &with
}

// LinkedAs reports whether the same packages are linked for e and o, so that they are initialised alike.
func (e *Entry) LinkedAs(o *Entry) bool {
	return e.Kind == o.Kind && e.Package == o.Package && e.TestMain == o.TestMain && slices.Equal(e.roots, o.roots)
}

// String returns the entry as it is named on the command line: path.Name.
func (e *Entry) String() string { return e.Path + "." + e.Name }

// word returns the word for e's kind.
func (e *Entry) word() string {
	switch {
	case e.Fuzz:
		return "fuzz target"
	case e.Example != nil:
		return "example"
	case e.Bench:
		return "benchmark"
	}
	return e.Kind.String()
}

// Runner returns the name of the function of the overlay's package testing that runs e, a Test.
func (e *Entry) Runner() string {
	switch {
	case e.Fuzz:
		return "hbRunFuzz"
	case e.Example != nil:
		return "hbRunExample"
	case e.Bench:
		return "hbRunBench"
	case e.TestMain != nil:
		return "hbRunMain"
	}
	return "hbRunTest"
}

// An Example is the output that the comment at the end of an example promises.
type Example struct {
	Output    string
	Unordered bool // the lines of its output may have any order
}

// WorkDir returns the directory in which e is executed, as by go test and go run: tests in the directory of
// their package, programs in the current one.
func (prog *Program) WorkDir(e *Entry) string {
	if e.Kind == Test {
		if e.Package.Std {
			return e.Package.list.Dir
		}
		return e.Package.Dir
	}
	return prog.Dir
}

// A NoEntry is a function that go test would run, but that is not an entry.
type NoEntry struct {
	Path, Name string
	Pos        token.Pos
}

// NoEntryError is the error for packages without an entry.
type NoEntryError struct {
	Paths []string  // the packages loaded
	Like  []NoEntry // the function that looks like an entry
	Tests bool      // whether tests were asked for

	Benchmarks []*Entry // the program has these benchmarks
}

// Error returns a text about what an entry needs and what was found instead.
func (e *NoEntryError) Error() string {
	var b strings.Builder
	b.WriteString(strings.Join(e.Paths, ", "))
	b.WriteString(": no entry to explore: an entry is func main of a main package")
	if e.Tests {
		b.WriteString(", a func TestXxx(t *testing.T) or FuzzXxx(f *testing.F) in a _test.go file")
	}
	b.WriteString(", or any func without parameters, named by --entry pkg.Func")
	if len(e.Benchmarks) > 0 {
		fmt.Fprintf(&b, " (--bench explores benchmarks: %s)", e.Benchmarks[0].Name)
	}
	if len(e.Like) > 0 {
		var names []string
		for _, n := range e.Like {
			names = append(names, n.Name)
		}
		fmt.Fprintf(&b, " (examples without an Output comment are not entries: %s)", strings.Join(names, ", "))
	}
	return b.String()
}

// HasEntries returns a NoEntryError if the program has no entries of its own.
func (prog *Program) HasEntries() error {
	if len(prog.Entries) > 0 {
		return nil
	}
	return prog.NoEntries()
}

// NoEntries returns the error for a program without entries.
func (prog *Program) NoEntries() *NoEntryError {
	e := &NoEntryError{Like: prog.NoEntry, Tests: prog.tests, Benchmarks: prog.Benchmarks}
	for _, p := range prog.Packages {
		if s := p.subject(); !slices.Contains(e.Paths, s) {
			e.Paths = append(e.Paths, s)
		}
	}
	return e
}

// findEntries sets Entries and NoEntry.
func (prog *Program) findEntries() error {
	binaries := prog.testBinaries()
	testMain := make(map[string]*ssa.Function) // by package under test
	var errs Errors
	for _, p := range prog.Packages {
		prog.Dropped = append(prog.Dropped, p.Dropped...)
		prog.eachFunc(p, func(file string, d *ast.FuncDecl, fn *ssa.Function) {
			if strings.HasSuffix(file, "_test.go") && d.Name.Name == "TestMain" && isTestParam(fn, "M") {
				testMain[p.ForTest] = fn
			}
		})
	}
	for _, p := range prog.Packages {
		examples := p.examples()
		prog.eachFunc(p, func(file string, d *ast.FuncDecl, fn *ssa.Function) {
			e := &Entry{Path: p.subject(), Name: d.Name.Name, Pos: d.Name.Pos(), Func: fn, Package: p}
			switch {
			case !strings.HasSuffix(file, "_test.go"):
				if e.Name == "main" && p.Name == "main" && p.ForTest == "" {
					e.Kind, e.roots = Main, []*Package{p}
					prog.Entries = append(prog.Entries, e)
				}
			case p.ForTest == "" || e.Name == "TestMain" && isTestParam(fn, "M"):
			case isTestName(e.Name, "Test"):
				if !isTestParam(fn, "T") {
					p.errs = append(p.errs, Error{prog.position(d.Pos()), wrongSignature(d, "T")})
					errs = append(errs, p.errs[len(p.errs)-1])
					return
				}
				e.Kind, e.roots, e.TestMain = Test, binaries[p.ForTest], testMain[p.ForTest]
				prog.Entries = append(prog.Entries, e)
			case isTestName(e.Name, "Fuzz") && isTestParam(fn, "F"):
				var err error
				if e.Corpus, err = readCorpus(Rooted(prog.root, filepath.Join(p.Dir, "testdata", "fuzz", e.Name))); err != nil {
					p.errs = append(p.errs, Error{prog.position(d.Pos()), err.Error()})
					errs = append(errs, p.errs[len(p.errs)-1])
					return
				}
				e.Kind, e.Fuzz, e.roots, e.TestMain = Test, true, binaries[p.ForTest], testMain[p.ForTest]
				prog.Entries = append(prog.Entries, e)
			case examples[e.Name] != nil:
				e.Kind, e.Example, e.roots, e.TestMain = Test, examples[e.Name], binaries[p.ForTest], testMain[p.ForTest]
				prog.Entries = append(prog.Entries, e)
			case isTestName(e.Name, "Benchmark") && isTestParam(fn, "B"):
				e.Kind, e.Bench, e.roots, e.TestMain = Test, true, binaries[p.ForTest], testMain[p.ForTest]
				prog.Benchmarks = append(prog.Benchmarks, e)
			case isTestName(e.Name, "Benchmark"), isTestName(e.Name, "Fuzz"), isTestName(e.Name, "Example"):
				prog.NoEntry = append(prog.NoEntry, NoEntry{e.Path, e.Name, e.Pos})
			}
		})
	}
	if len(errs) > 0 {
		return errs
	}
	return nil
}

// examples returns the examples of p that go test runs, by name: those with a comment about their output.
func (p *Package) examples() map[string]*Example {
	if p.ForTest == "" {
		return nil
	}
	found := make(map[string]*Example)
	for i, tree := range p.Files {
		if !strings.HasSuffix(p.files[i].base(), "_test.go") {
			continue
		}
		for _, x := range doc.Examples(tree) {
			if x.Output != "" || x.EmptyOutput {
				found["Example"+x.Name] = &Example{x.Output, x.Unordered}
			}
		}
	}
	return found
}

// testBinaries returns, for each package under test, the packages that go test
// links into one binary: the package and its external test package.
func (prog *Program) testBinaries() map[string][]*Package {
	binaries := make(map[string][]*Package)
	for _, p := range prog.Packages {
		if p.ForTest != "" {
			binaries[p.ForTest] = append(binaries[p.ForTest], p)
		}
	}
	return binaries
}

// eachFunc calls f for each function of p that is not a method, in source order, with the base name
// of its file.
func (prog *Program) eachFunc(p *Package, f func(file string, d *ast.FuncDecl, fn *ssa.Function)) {
	for i, tree := range p.Files {
		for _, d := range tree.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil {
				if fn := p.SSA.Func(d.Name.Name); fn != nil {
					f(p.files[i].base(), d, fn)
				}
			}
		}
	}
}

// isTestName reports whether name is prefix followed by nothing or by
// something that does not begin in lower case (cmd/go/internal/load.isTest).
func isTestName(name, prefix string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return false
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || !unicode.IsLower(r)
}

// isTestParam reports whether fn is a func(*testing.<name>).
func isTestParam(fn *ssa.Function, name string) bool {
	sig := fn.Signature
	if sig.Params().Len() != 1 || sig.Results().Len() != 0 || sig.TypeParams().Len() > 0 {
		return false
	}
	ptr, ok := types.Unalias(sig.Params().At(0).Type()).(*types.Pointer)
	if !ok {
		return false
	}
	named, ok := types.Unalias(ptr.Elem()).(*types.Named)
	return ok && named.Obj().Name() == name && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "testing"
}

// wrongSignature returns the error of go test for a function that is named like a test.
func wrongSignature(d *ast.FuncDecl, arg string) string {
	if d.Type.TypeParams.NumFields() > 0 {
		return fmt.Sprintf("wrong signature for %s, test functions cannot have type parameters", d.Name.Name)
	}
	return fmt.Sprintf("wrong signature for %s, must be: func %[1]s(%s *testing.%s)", d.Name.Name, strings.ToLower(arg), arg)
}

// Lookup finds the entry with the given name: "path.Func", or, where that is
// unambiguous among Packages, "name.Func" with the package's name or the last
// elements of its path, or just "Func". The function must have no parameters,
// unless it is one of Entries.
func (prog *Program) Lookup(name string) (*Entry, error) { return prog.lookup(name, false) }

// LookupSymbolic is Lookup for a function that is called with symbolic arguments.
func (prog *Program) LookupSymbolic(name string) (*Entry, error) { return prog.lookup(name, true) }

func (prog *Program) lookup(name string, symbolic bool) (*Entry, error) {
	pkg, fname := "", name
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		pkg, fname = name[:i], name[i+1:]
	}
	if strings.Contains(name, together) {
		for _, e := range prog.Together() {
			if e.String() == name || e.Name == name {
				return e, nil
			}
		}
	}
	var found []*Entry
	for _, p := range prog.Packages {
		named := pkg == p.Path || pkg == p.Name || pkg == p.subject() || strings.HasSuffix(p.subject(), "/"+pkg)
		if pkg == "" || named {
			if fn := p.SSA.Func(fname); fn != nil && fn.Object() != nil {
				found = append(found, prog.entryOf(p, fn))
			}
		}
	}
	exact := slices.DeleteFunc(slices.Clone(found), func(e *Entry) bool { return e.Path != pkg && e.Package.Path != pkg })
	if len(exact) > 0 {
		found = exact[:1] // a command may be there a second time for its test
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("no function %s in the packages loaded", name)
	case 1:
	default:
		var names []string
		for _, e := range found {
			names = append(names, e.String())
		}
		return nil, fmt.Errorf("%s is ambiguous: %s", name, strings.Join(names, ", "))
	}
	e := found[0]
	sig := e.Func.Signature
	switch {
	case symbolic && e.Kind != Func:
		return nil, Error{prog.position(e.Pos), fmt.Sprintf("%s is a %s: its arguments cannot be inputs", e, e.word())}
	case symbolic && sig.TypeParams().Len() > 0:
		return nil, Error{prog.position(e.Pos), fmt.Sprintf("%s has type parameters: write a function that calls it with type arguments", e)}
	case e.Kind == Func && sig.TypeParams().Len() > 0:
		return nil, Error{prog.position(e.Pos), fmt.Sprintf("%s has parameters: entries are called without arguments", e)}
	case e.Kind == Func && sig.Params().Len() > 0 && !symbolic:
		return nil, Error{prog.position(e.Pos), fmt.Sprintf("%s has parameters: entries are called without arguments, or with symbolic arguments (--symbolic)", e)}
	}
	e.Symbolic = symbolic
	return e, nil
}

// entryOf returns the entry at fn, which may be one of Entries.
func (prog *Program) entryOf(p *Package, fn *ssa.Function) *Entry {
	for _, e := range slices.Concat(prog.Entries, prog.Benchmarks) {
		if e.Func == fn {
			return e
		}
	}
	e := &Entry{Kind: Func, Path: p.subject(), Name: fn.Name(), Pos: fn.Pos(), Func: fn, Package: p, roots: []*Package{p}}
	if p.ForTest != "" {
		e.roots = prog.testBinaries()[p.ForTest]
	}
	return e
}

// position resolves pos with a file name relative to Dir.
func (prog *Program) position(pos token.Pos) token.Position {
	p := prog.Fset.Position(pos)
	p.Filename = shortPath(prog.Dir, p.Filename)
	return p
}
