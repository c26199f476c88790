package vm_test

import (
	"testing"

	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/vm"
)

// TestFaultKinds: the kind of a fault depends on the place where it was raised. A panic of the
// program is a GoPanic whatever its text, and whichever model passes it on.
func TestFaultKinds(t *testing.T) {
	prog := vmtest.Load(t, `package main

import (
	"fmt"
	"os"
	"sync"
)

type node struct{ next *node }

func deep(n int) int { return deep(n+1) + 1 }

func twice(f func()) {
	defer func() { recover(); f() }()
	f()
}

var cases = map[string]func(){
	"text": func() { panic("my db: send on closed channel pool") },
	"own": func() { panic(fmt.Errorf("sync: negative WaitGroup counter")) },
	"recovered": func() {
		defer func() { panic(fmt.Sprint("worker: ", recover())) }()
		func() {
			defer func() { recover() }()
			close(chan int(nil))
		}()
	},
	"once": func() { twice(sync.OnceFunc(func() { panic("sync: negative WaitGroup counter") })) },
	"go": func() {
		var wg sync.WaitGroup
		wg.Go(func() { panic("sync: WaitGroup is reused") })
		wg.Wait()
	},
	"nil": func() { var n *node; n.next = n },
	"index": func() { var s []int; s[len(os.Args)] = 1 },
	"nilmap": func() { var m map[int]int; m[1] = 1 },
	"overflow": func() { deep(0) },
	"send": func() { c := make(chan int, 1); close(c); c <- 1 },
	"close": func() { c := make(chan int); close(c); defer close(c) },
	"closenil": func() { var c chan int; close(c) },
	"unlock": func() { var mu sync.Mutex; mu.Unlock() },
	"runlock": func() { var mu sync.RWMutex; mu.RUnlock() },
	"counter": func() { var wg sync.WaitGroup; defer wg.Done() },
	"wrapped": func() {
		defer func() { panic(fmt.Sprint("cleanup: ", recover())) }()
		var wg sync.WaitGroup
		wg.Done()
	},
	"copied": func() { var a sync.Cond; a.Signal(); b := a; b.Signal() },
}

func main() { cases[os.Args[1]]() }
`)
	for name, want := range map[string]struct {
		kind  vm.FaultKind
		fatal bool
	}{
		"text": {vm.GoPanic, false}, "own": {vm.GoPanic, false}, "recovered": {vm.GoPanic, false}, "once": {vm.GoPanic, false}, "go": {vm.GoPanic, false},
		"nil": {vm.RuntimePanic, false}, "index": {vm.RuntimePanic, false}, "nilmap": {vm.RuntimePanic, false},
		"overflow": {vm.FatalError, true},
		"send":     {vm.ChannelMisuse, false}, "close": {vm.ChannelMisuse, false}, "closenil": {vm.ChannelMisuse, false},
		"unlock": {vm.SyncMisuse, true}, "runlock": {vm.SyncMisuse, true},
		"counter": {vm.SyncMisuse, false}, "wrapped": {vm.SyncMisuse, false}, "copied": {vm.SyncMisuse, false},
	} {
		m, err := vm.New(prog, prog.Entries[0], vm.Config{Run: true, Args: []string{"m", name}, MaxStack: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		m.Report().Exit()
		switch f := m.Report().Fault(); {
		case f == nil:
			t.Errorf("%s: no fault, want %v", name, want.kind)
		case f.Kind != want.kind || f.Fatal != want.fatal:
			t.Errorf("%s: %v (fatal: %v) %q, want %v", name, f.Kind, f.Fatal, f.Text(), want.kind)
		}
	}
}
