package static_test

import (
	"go/build"
	"go/types"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// TestKinds: the analyses have an answer to every kind of operation.
func TestKinds(t *testing.T) {
	events := 0
	for k := range trace.NumKinds {
		if _, ok := static.EventOf(k); ok {
			events++
		}
	}
	if events == 0 {
		t.Error("no operation is an event")
	}
}

// TestFuncs: the functions in the table of operations are those of the library that
// programs are loaded with; the machine implements the natives, and only them.
func TestFuncs(t *testing.T) {
	prog, _ := program(t, `package main

import (
	"math/rand"
	randv2 "math/rand/v2"
	"net"
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func main() {
	var v atomic.Value
	v.Store(rand.Int() + randv2.Int())
	var wg sync.WaitGroup
	wg.Go(runtime.Gosched)
	wg.Wait()
	time.Sleep(1)
	synctest.Test(new(testing.T), nil)
	signal.Reset()
	pprof.Lookup("goroutineleak").WriteTo(os.Stdout, 1)
	net.Dial("tcp", "127.0.0.1:1")
	os.Exit(1)
}
`)
	natives := vm.NativeNames()
	since := map[string]string{"runtime/pprof.hbLeaked": "go1.27"}
	n := 0
	for k := range trace.NumKinds {
		for _, f := range k.Row().Funcs {
			n++
			switch native := slices.Contains(natives, f.Name); {
			case f.Body && native:
				t.Errorf("%v: %s is a native of the machine, and has a body according to its row", k, f.Name)
			case !f.Body && !native:
				t.Errorf("%v: %s is in no table of nativeTables (package vm)", k, f.Name)
			}
			if since[f.Name] != "" && !slices.Contains(build.Default.ReleaseTags, since[f.Name]) {
				continue
			}
			if !strings.Contains(f.Name, "hbcheck.dev/") && !declared(prog, f.Name) { // of package hbtest
				t.Errorf("%v: there is no %s in the library; or the program of this test has to import its package", k, f.Name)
			}
		}
	}
	if n < 30 {
		t.Errorf("only %d functions", n)
	}
	for _, name := range static.Named {
		if !declared(prog, name) {
			t.Errorf("there is no %s", name)
		}
	}
}

// declared reports whether prog has the function or method that SSA names like that.
func declared(prog *load.Program, name string) bool {
	method := strings.HasPrefix(name, "(*")
	if method {
		name = strings.Replace(strings.TrimPrefix(name, "(*"), ")", "", 1)
	}
	dot := strings.Index(name[strings.LastIndexByte(name, '/')+1:], ".") + strings.LastIndexByte(name, '/') + 1
	pkg, names := prog.Package(name[:dot]), strings.Split(name[dot+1:], ".")
	if pkg == nil {
		return false
	}
	obj := pkg.Types.Scope().Lookup(names[0])
	if obj == nil || !method {
		_, ok := obj.(*types.Func)
		return ok
	}
	fn, _, _ := types.LookupFieldOrMethod(obj.Type(), true, pkg.Types, names[1])
	_, ok := fn.(*types.Func)
	return ok
}
