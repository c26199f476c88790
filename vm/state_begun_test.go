package vm

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"hbcheck.dev/hbcheck/load"
)

// longInit is a program that is interrupted several times while its packages are initialised.
const longInit = `package main

import "testing"

var sum, table = func() (n int, t [100]int) {
	for i := range 1_000_000 {
		n += i ^ n>>3
		t[i%100] += n
	}
	return n, t
}()

func TestA(t *testing.T) { t.Log(sum) }
func TestB(t *testing.T) { t.Log(table) }
`

func loadLong(t *testing.T) *load.Program {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module long\n\ngo 1.26\n", "a_test.go": longInit} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := load.Load(load.Config{Dir: dir, Tests: true, Implicit: []string{"runtime"}, Cache: &proofCache})
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

// soon returns an Interrupt that is true from the second time on: the initialisation has begun then.
func soon() func() bool {
	n := 0
	return func() bool { n++; return n > 1 }
}

// TestBaseContinued: an initialisation that has been interrupted is continued by the next entry of the
// package, and the machine is then equal to one that was not interrupted.
func TestBaseContinued(t *testing.T) {
	prog := loadLong(t)
	a, b := prog.Entries[0], prog.Entries[1]
	m, err := New(prog, a, Config{Races: true, Interrupt: soon()})
	if err != nil || m.cut.Cause != CutInterrupted {
		t.Fatalf("%v, %v; want an interrupted machine", m, err)
	}
	begun := func() any {
		prog.Begun.Lock()
		defer prog.Begun.Unlock()
		return prog.Begun.Value
	}
	x := begun()
	if reflect.ValueOf(x).Len() != 1 {
		t.Fatalf("%v has begun, want one initialisation", x)
	}
	never := Config{Races: true, Interrupt: func() bool { return false }}
	m, err = New(prog, b, never)
	if err != nil || m.cut.Cause != 0 {
		t.Fatalf("%v, %v; want a machine that has not ended", m, err)
	}
	if n := reflect.ValueOf(begun()).Len(); n != 0 {
		t.Errorf("%d initialisations have begun and not ended", n)
	}
	if bases, _ := prog.Bases.Value.([]*base); len(bases) != 1 {
		t.Errorf("%d bases, want 1", len(bases))
	}
	other := loadLong(t)
	want, err := New(other, other.Entries[1], Config{Races: true})
	if err != nil {
		t.Fatal(err)
	}
	if m.cnt != want.cnt || m.numbers() != want.numbers() || m.heap.Live != want.heap.Live || m.Hash() != want.Hash() {
		t.Errorf("counters %+v and numbers %v, want %+v and %v", m.cnt, m.numbers(), want.cnt, want.numbers())
	}
}
