package mhb_test

import (
	"go/types"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/mhb"
	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/trace"
)

// TestKinds: the oracle has an answer to every kind of operation.
func TestKinds(t *testing.T) {
	ops, quiet := 0, 0
	for k := range trace.NumKinds {
		if mhb.NativeOpOf(k) != 0 {
			ops++
		}
		if mhb.Skippable(k) {
			quiet++
			if k.Blocks() && k.Row().On == trace.OnChannel {
				t.Errorf("%v: a goroutine that waits there takes part in other operations", k)
			}
		}
	}
	if ops == 0 || quiet == 0 {
		t.Errorf("%d kinds matter, of %d choices are skipped", ops, quiet)
	}
}

// TestRethrows: the function that WaitGroup.Go defers is recognised by its code.
func TestRethrows(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module test\n\ngo 1.26\n", "main.go": `package main

import "sync"

func main() {
	var wg sync.WaitGroup
	wg.Go(func() {
		defer func() {
			if x := recover(); x != nil {
				panic(x)
			}
		}()
	})
}
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := load.Load(load.Config{Dir: dir, Implicit: []string{"runtime"}, Cache: &vmtest.Cache})
	if err != nil {
		t.Fatal(err)
	}
	main := prog.Entries[0].Func
	prog.EnsureBuilt(main)
	group := main.Pkg.Prog.ImportedPackage("sync").Pkg.Scope().Lookup("WaitGroup").Type()
	goFunc := main.Pkg.Prog.LookupMethod(types.NewPointer(group), nil, "Go")
	prog.EnsureBuilt(goFunc)
	if goFunc.String() != static.WaitGroupGo {
		t.Fatalf("WaitGroup.Go is called %s", goFunc)
	}
	n := 0
	var count func(fn *ssa.Function)
	count = func(fn *ssa.Function) {
		if mhb.Rethrows(fn) {
			n++
		}
		for _, f := range fn.AnonFuncs {
			count(f)
		}
	}
	count(main)
	if n > 0 {
		t.Error("only a function in WaitGroup.Go is meant")
	}
	if count(goFunc); n != 1 {
		t.Errorf("%d functions in WaitGroup.Go panic again", n)
	}
}
