package modeltest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/trace"
)

// TestDeclared checks each function of a model that writes memory which it has not allocated, or
// reads a package variable that models write. Before that the function declares an operation, or it
// is called only by functions that do so, or the reason why it need not is listed here.
func TestDeclared(t *testing.T) {
	prog := models(t)
	prog.Build()
	var fns []*ssa.Function
	for fn := range ssautil.AllFunctions(prog.SSA) {
		if fn.Synthetic == "" && len(fn.Blocks) > 0 && prog.IsModel(fn) && fn.Name() != "init" {
			fns = append(fns, fn)
		}
	}
	if len(fns) < 200 {
		t.Fatalf("only %d functions of models", len(fns))
	}
	written := map[*ssa.Global]bool{}
	for _, fn := range fns {
		eachWrite(fn, func(addr ssa.Value) {
			if g, ok := root(addr).(*ssa.Global); ok {
				written[g] = true
			}
		})
	}
	callers := map[*ssa.Function][]*ssa.Function{}
	declares, touches := map[*ssa.Function]bool{}, map[*ssa.Function]bool{}
	for _, fn := range fns {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if c, ok := i.(ssa.CallInstruction); ok {
					if f := c.Common().StaticCallee(); f != nil {
						callers[f] = append(callers[f], fn)
						declares[fn] = declares[fn] || len(trace.KindsOf(f.String())) > 0
					}
				}
				if l, ok := i.(*ssa.UnOp); ok {
					if g, ok := root(l.X).(*ssa.Global); ok && written[g] {
						touches[fn] = true
					}
				}
			}
		}
		if fn.Parent() != nil { // a part of it
			callers[fn] = append(callers[fn], fn.Parent())
		}
		eachWrite(fn, func(addr ssa.Value) {
			switch root(addr).(type) {
			case *ssa.Alloc, *ssa.MakeSlice, *ssa.MakeMap:
			default:
				touches[fn] = true
			}
		})
	}
	// A function declares its effect, too, if its callers do so, or the helpers that it calls
	// first.
	for changed := true; changed; {
		changed = false
		for _, fn := range fns {
			if declares[fn] {
				continue
			}
			all := len(callers[fn]) > 0 && !exported(fn)
			for _, c := range callers[fn] {
				all = all && (c == fn || declares[c])
			}
			if all || callsDeclaring(fn, declares) {
				declares[fn], changed = true, true
			}
		}
	}
	var undeclared []string
	for _, fn := range fns {
		if touches[fn] && !declares[fn] {
			undeclared = append(undeclared, fn.String())
		}
	}
	slices.Sort(undeclared)
	for _, name := range undeclared {
		if unseen[name] == "" {
			t.Errorf("%s has an effect and declares none", name)
		}
	}
	for name := range unseen {
		if !slices.Contains(undeclared, name) {
			t.Errorf("%s is listed and has no effect that it does not declare", name)
		}
	}
}

// unseen has the reasons why no other goroutine notices the effects of functions.
var unseen = map[string]string{
	"internal/godebug.HbChange": "whose callers have declared that they change the environment",
	"syscall.init#1":            "which is over before there are other goroutines",
	"(*internal/poll.FD).Init":  "no other goroutine knows the FD yet",
	"syscall.hbKnown":           "the descriptor is the caller's own",
	"syscall.hbTake":            "the list is sorted, so the order of changes makes no difference to it",
	"syscall.hbRelease":         "the list is sorted, so the order of changes makes no difference to it",
	"os/signal.init#1":          "packages are initialised before there are other goroutines",
	"syscall.Kill":              "what it reads is set when packages are initialised",
	"runtime.registerPools":     "packages are initialised before there are other goroutines",
	"sync.empty":                "runtime.GC calls it, and declares what Pools read",
	"time.initLocal":            "its caller has entered a Once",
	"unique.Make":               "whichever call comes first, the handles of equal values are equal",

	"internal/testlog.PanicOnExit0":    "the main goroutine sets it before there are others",
	"internal/testlog.SetPanicOnExit0": "the main goroutine sets it before there are others",

	"(*testing.common).Helper": "which line a message names is no outcome",
	"testing.AllocsPerRun":     "the number is the caller's own",

	// The goroutine that runs the test, the benchmark or the fuzz target calls them, and no other.
	"(*testing.common).makeContext": "its goroutine",
	"(*testing.T).Parallel":         "its goroutine", "(*testing.T).checkParallel": "its goroutine",
	"(*testing.F).Add":  "its goroutine",
	"(*testing.B).Loop": "its goroutine",
}

// callsDeclaring reports whether fn calls a function of its package that declares.
func callsDeclaring(fn *ssa.Function, declares map[*ssa.Function]bool) bool {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if c, ok := i.(*ssa.Call); ok {
				if f := c.Call.StaticCallee(); f != nil && f.Pkg == fn.Pkg && declares[f] {
					return true
				}
			}
		}
	}
	return false
}

func exported(fn *ssa.Function) bool { return fn.Object() != nil && fn.Object().Exported() }

// eachWrite calls f for each address to which fn stores.
func eachWrite(fn *ssa.Function, f func(addr ssa.Value)) {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			switch i := i.(type) {
			case *ssa.Store:
				f(i.Addr)
			case *ssa.MapUpdate:
				f(i.Map)
			case *ssa.Call:
				if x, ok := i.Call.Value.(*ssa.Builtin); ok && slices.Contains([]string{"copy", "clear", "delete"}, x.Name()) {
					f(i.Call.Args[0])
				}
			}
		}
	}
}

// root is the variable or value of which v is the address of a part.
func root(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.IndexAddr:
			v = x.X
		case *ssa.Slice:
			v = x.X
		case *ssa.UnOp: // what a variable leads to
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		default:
			return v
		}
	}
}

// models loads all packages of the overlay.
func models(t *testing.T) *load.Program {
	src := "package main\n\nimport (\n"
	for _, path := range strings.Fields(`hash/maphash iter math/rand math/rand/v2 os os/signal reflect runtime runtime/debug
		runtime/pprof runtime/trace sync sync/atomic syscall testing testing/synctest time unique weak context net`) {
		src += "\t_ \"" + path + "\"\n"
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.26\n", "main.go": src + ")\n\nfunc main() {}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := load.Load(load.Config{Dir: dir, Implicit: []string{"runtime"}, Cache: &vmtest.Cache})
	if err != nil {
		t.Fatal(err)
	}
	return prog
}
