package modeltest

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/trace"
)

// TestMachine: a native that reads or writes a part of the machine other than the guest's memory and its
// own goroutine executes an operation on that part, or has a reason here why no other goroutine notices.
//
// The code of package vm is searched for fields, from the function of each native through all that
// it calls.
func TestMachine(t *testing.T) {
	for _, wrong := range undeclared(t, nil) {
		t.Error(wrong)
	}
}

// TestUndeclared: natives that keep something in the machine, without an operation, are noticed.
func TestUndeclared(t *testing.T) {
	const native = `{Name: "runtime.Version", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {`
	for i, x := range []struct {
		name  string
		edits []string // file, old, new
		want  string
	}{
		{"a counter in the machine", []string{"machine.go", "\tsignals    bool ", "\tversions int\n\tsignals    bool ", "native_runtime.go", native, native + "m.versions++;"},
			"runtime.Version writes scalars.versions, which is in no part of the machine"},
		{"a counter in a variable", []string{"native_runtime.go", native, native + "versions++;", "machine.go", "// New returns", "var versions int\n\n// New returns"},
			"runtime.Version writes versions, which is in no part of the machine"},
		{"a counter in the program", []string{"native_runtime.go", native, native + "m.countWord++;"},
			"runtime.Version writes image.countWord, which is in no part of the machine"},
		{"a counter in another goroutine", []string{"native_runtime.go", native, native + "m.gs[0].nrand++;"},
			"runtime.Version writes gstate.nrand, which is in no part of the machine"},
		{"the native's own goroutine", []string{"native_runtime.go", native, native + "g.nrand++;"}, ""},
		{"another goroutine", []string{"native_runtime.go", native, native + "for _, q := range m.gs { if q != g { m.saveGoroutine(q); q.label++ } };"},
			"runtime.Version writes goroutines, and no operation of it is about that: gstate.label"},
		{"a helper", []string{"native_runtime.go", "func (m *Machine) getenv(key string) string {", "func (m *Machine) getenv(key string) string {\nif len(m.out) > 0 { return key }"},
			"runtime.GOROOT reads streams, and no operation of it is about that: streams.out"},
		{"a closure", []string{"native_runtime.go", native, native + "func() { m.exit = 1 }();"},
			"runtime.Version writes ending, and no operation of it is about that: scalars.exit"},
	} {
		if !deep.Every(3, i) {
			continue
		}
		files := map[string][]byte{}
		for e := x.edits; len(e) > 0; e = e[3:] {
			path, err := filepath.Abs(filepath.Join("../../vm", e[0]))
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Count(string(text), e[1]) != 1 {
				t.Fatalf("%s: %q is not once in %s", x.name, e[1], e[0])
			}
			files[path] = []byte(strings.Replace(string(text), e[1], e[2], 1))
		}
		list := undeclared(t, files)
		switch found := slices.ContainsFunc(list, func(s string) bool { return strings.HasPrefix(s, x.want) }); {
		case x.want == "" && len(list) > 0:
			t.Errorf("%s: %v", x.name, list)
		case !found && x.want != "":
			t.Errorf("%s is not noticed: %v", x.name, list)
		}
	}
}

// undeclared lists the parts of the machine that natives use without a declaration, and unused
// declarations. Files replace those of package vm.
func undeclared(t *testing.T, files map[string][]byte) (wrong []string) {
	t.Helper()
	pkg := machine(t, files)
	natives := nativesOf(t, pkg)
	if len(natives) < 200 {
		t.Fatalf("only %d natives", len(natives))
	}
	report := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	reached := map[string]bool{} // of apart, partOf and unnoticed
	for name, fns := range natives {
		w := &walk{pkg: pkg, seen: map[string]bool{}, found: map[use]string{}, reached: reached}
		for _, fn := range fns {
			w.function(fn, nil, "")
		}
		for u, via := range w.found {
			of, _, _ := strings.Cut(u.field, ".")
			part := cmp.Or(partOf[u.field], partOf[of])
			reached[u.field], reached[of] = true, true
			switch key := name + " " + u.word() + " " + part; {
			case part == "" && !u.write && constant(u.field):
			case part == "":
				report("%s %s %s, which is in no part of the machine (through%s)", name, u.word(), u.field, via)
			case slices.Contains([]string{memory, grows, noted, kept, mode}, part):
			case slices.ContainsFunc(trace.KindsOf(name), func(k trace.Kind) bool { return slices.Contains(about[k], part) }):
			case unnoticed[key] == "":
				report("%s, and no operation of it is about that: %s (through%s)", key, u.field, via)
			default:
				reached[key] = true
			}
		}
	}
	for _, table := range []map[string]string{apart, partOf, unnoticed} {
		for key := range table {
			if !reached[key] {
				report("%s is listed, and nothing comes to it", key)
			}
		}
	}
	slices.Sort(wrong)
	return wrong
}

// constant reports whether a field or variable that natives only read never changes, because the machine is
// created with it.
func constant(field string) bool {
	of, _, ok := strings.Cut(field, ".")
	return !ok || slices.Contains([]string{"Config", "image", "link:Linker"}, of)
}

// A use is the use of a field of the machine, or of a variable of its package.
type use struct {
	field string
	write bool
}

func (u use) word() string {
	if u.write {
		return "writes"
	}
	return "reads"
}

// loaded is package vm, with its imports, as compiled.
var loaded = sync.OnceValues(func() (*packages.Package, error) {
	list, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, Dir: "../.."}, "./vm")
	if err != nil {
		return nil, err
	}
	return list[0], nil
})

// machine returns package vm, of which files are replaced.
func machine(t *testing.T, replaced map[string][]byte) *ssa.Package {
	t.Helper()
	vm, err := loaded()
	if err != nil || len(vm.Errors) > 0 {
		t.Fatal(err, vm.Errors)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range vm.CompiledGoFiles {
		var text any
		if b, ok := replaced[name]; ok {
			text = b
		}
		f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	imports := importer(func(path string) (*types.Package, error) {
		if path == "unsafe" {
			return types.Unsafe, nil
		}
		return vm.Imports[path].Types, nil
	})
	pkg, _, err := ssautil.BuildPackage(&types.Config{Importer: imports}, fset, types.NewPackage(vm.PkgPath, "vm"), files, ssa.InstantiateGenerics)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }

// nativesOf returns the functions that are the effects of natives, by name. If a name is computed,
// the name of the function that computes it stands for it.
func nativesOf(t *testing.T, pkg *ssa.Package) map[string][]*ssa.Function {
	t.Helper()
	type literal struct {
		of    ssa.Value
		index string
	}
	list := map[string][]*ssa.Function{}
	for fn := range ssautil.AllFunctions(pkg.Prog) {
		if fn.Pkg != pkg {
			continue
		}
		names, effects := map[literal]string{}, map[literal]*ssa.Function{}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				s, ok := i.(*ssa.Store)
				if !ok {
					continue
				}
				f, ok := s.Addr.(*ssa.FieldAddr)
				if !ok || structName(pkg, f) != "Native" {
					continue
				}
				at := literal{of: f.X}
				if x, ok := f.X.(*ssa.IndexAddr); ok {
					at = literal{x.X, x.Index.String()}
				}
				switch fieldName(f) {
				case "Name":
					if c, ok := s.Val.(*ssa.Const); ok {
						names[at] = strings.Trim(c.Value.ExactString(), `"`)
					}
				case "Fn":
					switch v := s.Val.(type) {
					case *ssa.Function:
						effects[at] = v
					case *ssa.MakeClosure:
						effects[at] = v.Fn.(*ssa.Function)
					case *ssa.Call:
						if effects[at] = v.Call.StaticCallee(); effects[at] == nil {
							effects[at] = fn
						}
					default:
						t.Errorf("%s: which function is it?", pkg.Prog.Fset.Position(s.Pos()))
					}
				}
			}
		}
		for at, f := range effects {
			name := names[at]
			if name == "" {
				name = "one of " + fn.Name()
			}
			list[name] = append(list[name], f)
		}
	}
	return list
}

func structName(pkg *ssa.Package, f *ssa.FieldAddr) string {
	named, ok := types.Unalias(f.X.Type().Underlying().(*types.Pointer).Elem()).(*types.Named)
	switch {
	case !ok || named.Obj().Pkg() == nil:
		return ""
	case named.Obj().Pkg() == pkg.Pkg:
		return named.Obj().Name()
	case slices.Contains([]string{pkg.Pkg.Path() + "/shadow", pkg.Pkg.Path() + "/link"}, named.Obj().Pkg().Path()): // parts of the machine that are there
		return named.Obj().Pkg().Name() + ":" + named.Obj().Name()
	}
	return ""
}

func fieldName(f *ssa.FieldAddr) string {
	return f.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct).Field(f.Field).Name()
}

// A walk finds the parts of the machine that a native uses.
type walk struct {
	pkg     *ssa.Package
	seen    map[string]bool // functions, and which of their parameters are the native's goroutine
	found   map[use]string  // and through which functions
	reached map[string]bool
}

// function walks fn. own are those of its parameters that are the goroutine of the native.
func (w *walk) function(fn *ssa.Function, own map[ssa.Value]bool, via string) {
	if own == nil {
		own = map[ssa.Value]bool{}
	}
	if p := fn.Params; len(p) == 3 && strings.HasSuffix(p[1].Type().String(), "vm.goroutine") && strings.HasSuffix(p[2].Type().String(), "vm.Regs") {
		own[p[1]] = true
	}
	if name := fn.RelString(w.pkg.Pkg); apart[name] != "" {
		w.reached[name] = true
		return
	}
	key := fmt.Sprintf("%p", fn)
	for _, p := range fn.Params {
		key += fmt.Sprint(own[p])
	}
	for _, v := range fn.FreeVars {
		key += fmt.Sprint(own[v])
	}
	if w.seen[key] {
		return
	}
	w.seen[key] = true
	via += " " + fn.RelString(w.pkg.Pkg)
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			w.instruction(i, own, via)
		}
	}
}

func (w *walk) instruction(i ssa.Instruction, own map[ssa.Value]bool, via string) {
	called := ssa.Value(nil)
	if c, ok := i.(ssa.CallInstruction); ok {
		called = c.Common().Value
		if fn := c.Common().StaticCallee(); fn != nil && (fn.Pkg == w.pkg || fn.Origin() != nil && fn.Origin().Pkg == w.pkg) {
			args := map[ssa.Value]bool{}
			for k, a := range c.Common().Args {
				if isGoroutine(a) && isOwn(a, own) {
					args[fn.Params[k]] = true
				}
			}
			if mc, ok := called.(*ssa.MakeClosure); ok {
				captured(mc, own, args)
			}
			w.function(fn, args, via)
		}
	}
	switch i := i.(type) {
	case *ssa.FieldAddr:
		w.field(i, own, via)
	case *ssa.MakeClosure:
		vars := map[ssa.Value]bool{}
		captured(i, own, vars)
		w.function(i.Fn.(*ssa.Function), vars, via)
	}
	for _, x := range i.Operands(nil) {
		switch x := (*x).(type) {
		case *ssa.Global:
			if x.Pkg == w.pkg {
				w.note(use{x.Name(), writes(x, i)}, via)
			}
		case *ssa.Function:
			if _, ok := i.(*ssa.MakeClosure); !ok && x.Pkg == w.pkg && x != called {
				w.function(x, nil, via)
			}
		}
	}
}

// captured adds to vars the variables of a closure that are the goroutine of the native.
func captured(mc *ssa.MakeClosure, own, vars map[ssa.Value]bool) {
	for k, b := range mc.Bindings {
		if isGoroutine(b) && isOwn(b, own) {
			vars[mc.Fn.(*ssa.Function).FreeVars[k]] = true
		}
	}
}

// isGoroutine reports whether v is a goroutine's record, or the variable of one.
func isGoroutine(v ssa.Value) bool {
	return strings.HasSuffix(v.Type().String(), "*hbcheck.dev/hbcheck/vm.goroutine")
}

func (w *walk) field(f *ssa.FieldAddr, own map[ssa.Value]bool, via string) {
	name := structName(w.pkg, f)
	switch name {
	default:
		return
	case "goroutine", "gstate", "waitState", "lookBack", "view", "shadow:Goroutine", "shadow:Frame":
		if isOwn(f.X, own) {
			return
		}
	case "Machine", "goroutineTable", "living", "scalars", "streams", "scheduler", "autoMode", "image", "link:Linker", "Config", "lateness", "absolutes":
		_, group := f.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
		if name == "Machine" && group {
			return // its fields count
		}
	}
	w.note(use{name + "." + fieldName(f), writesTo(f, map[ssa.Value]bool{})}, via)
}

func (w *walk) note(u use, via string) {
	if old, ok := w.found[u]; !ok || len(via) < len(old) {
		w.found[u] = via
	}
}

// isOwn reports whether v is the goroutine of the native, a part of it, or the target of a part.
func isOwn(v ssa.Value, own map[ssa.Value]bool) bool {
	for !own[v] {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.UnOp:
			v = x.X
		case *ssa.Alloc: // of a parameter that a closure captures
			for _, r := range *x.Referrers() {
				if s, ok := r.(*ssa.Store); ok && s.Addr == x {
					return own[s.Val]
				}
			}
			return false
		default:
			return false
		}
	}
	return true
}

func writes(v ssa.Value, i ssa.Instruction) bool {
	s, ok := i.(*ssa.Store)
	if ok && s.Addr == v {
		return true
	}
	x, ok := i.(ssa.Value)
	return ok && writesTo(x, map[ssa.Value]bool{})
}

// writesTo reports whether something is stored where v leads to.
func writesTo(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] || v.Referrers() == nil {
		return false
	}
	seen[v] = true
	for _, i := range *v.Referrers() {
		switch i := i.(type) {
		case *ssa.Store:
			if i.Addr == v {
				return true
			}
		case *ssa.MapUpdate:
			if i.Map == v {
				return true
			}
		case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Slice:
			if writesTo(i.(ssa.Value), seen) {
				return true
			}
		case *ssa.UnOp:
			switch i.Type().Underlying().(type) {
			case *types.Slice, *types.Map:
				if writesTo(i, seen) {
					return true
				}
			}
		case *ssa.Call:
			switch f := i.Call.Value.(type) {
			case *ssa.Builtin:
				if (f.Name() == "copy" || f.Name() == "clear" || f.Name() == "delete") && i.Call.Args[0] == v {
					return true
				}
			case *ssa.Function:
				if _, ok := v.(*ssa.FieldAddr); ok && i.Call.Args[0] == v && (f.Name() == "Store" || f.Name() == "Add" || f.Name() == "Swap" || f.Name() == "CompareAndSwap") {
					return true
				}
			}
		}
	}
	return false
}
