package explore_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/selection"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// The exploration of a program ends with its first bug; the example prints its schedule.
func ExampleRun() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "main.go")
	src := `package main

import "sync"

func main() {
	var a, b sync.Mutex
	go func() { b.Lock(); a.Lock(); a.Unlock(); b.Unlock() }()
	a.Lock()
	b.Lock()
	b.Unlock()
	a.Unlock()
}
`
	if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
		log.Fatal(err)
	}
	prog, err := load.Load(load.Config{Patterns: []string{file}, Implicit: []string{"runtime"}})
	if err != nil {
		log.Fatal(err)
	}
	entries, err := selection.Select(prog, selection.Options{}, func(prog *load.Program, e *load.Entry, interrupted func() bool) (describe.Machine, error) {
		return describe.NewMachine(prog, e, vm.Config{Interrupt: interrupted})
	})
	if err != nil {
		log.Fatal(err)
	}
	r, err := explore.Run(context.Background(), entries[0], explore.Options{POR: explorers.Lookup("jpf"), Match: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, b := range r.Bugs {
		fmt.Println(b.Kind, b.Detail.(bug.WaitCycle).Goroutines)
		for _, e := range b.Events {
			fmt.Printf("%s: %v %s, blocked: %t\n", e.Name, e.Kind, e.What, e.Blocked)
		}
	}
	// Output:
	// deadlock main g1
	// main: lock a, blocked: false
	// g1: lock b, blocked: false
	// g1: lock a, blocked: true
	// main: lock b, blocked: true
}
