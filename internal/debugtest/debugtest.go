// Package debugtest opens sessions of the debugger for tests.
package debugtest

import (
	"os"
	"path/filepath"
	"testing"

	"hbcheck.dev/hbcheck/debug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/report"
	"hbcheck.dev/hbcheck/vm"
)

// Bank is a program with two goroutines that wait for one lock. Tests stop at lines with a comment.
const Bank = `package main

import (
	"fmt"
	"sync"
)

type account struct {
	owner   string
	balance int
}

type bank struct {
	mu    sync.Mutex
	items map[string]*account
}

func (b *bank) deposit(name string, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	a := b.items[name]
	a.balance += n // deposit
}

func main() {
	b := &bank{items: map[string]*account{"eve": {owner: "Eve"}}}
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() { b.deposit("eve", i+1) })
	}
	wg.Wait()
	fmt.Println(b.items["eve"].balance) // end
}
`

// Open begins to debug a program of one file, in a schedule in which a goroutine continues for as long as
// it can.
func Open(t testing.TB, src string) (*debug.Session, report.Paths) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"main.go": src, "go.mod": "module m\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return OpenDir(t, dir)
}

// OpenDir is Open for the program in a directory.
func OpenDir(t testing.TB, dir string) (*debug.Session, report.Paths) {
	t.Helper()
	prog, err := load.Load(load.Config{Dir: dir, Patterns: []string{"."}, Implicit: vmtest.Implicit, Names: true, Cache: &vmtest.Cache})
	if err != nil {
		t.Fatal(err)
	}
	s, err := debug.Open(debug.Config{Prog: prog, New: func(watch func(*vm.Machine, vm.Point)) (describe.Machine, error) {
		return describe.NewMachine(prog, prog.Entries[0], vm.Config{Races: true, Watch: watch})
	}})
	if err != nil {
		t.Fatal(err)
	}
	return s, report.Paths{Base: prog.Dir, Source: prog.Source}
}
