package vm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

func begunList(prog *load.Program) []*begunBase {
	prog.Begun.Lock()
	defer prog.Begun.Unlock()
	list, _ := prog.Begun.Value.([]*begunBase)
	return list
}

// awaitSuspended waits until b is suspended, or ended.
func awaitSuspended(t *testing.T, b *begunBase) (suspended bool) {
	t.Helper()
	for range 6000 {
		select {
		case <-b.ended:
			return false
		default:
		}
		b.prog.Begun.Lock()
		suspended = b.suspended
		b.prog.Begun.Unlock()
		if suspended {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("an initialisation that no search waits for goes on for a minute")
	return false
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
	list := begunList(prog)
	if len(list) != 1 || !awaitSuspended(t, list[0]) {
		t.Fatal("the initialisation is not suspended")
	}
	x := list[0]
	never := Config{Races: true, Interrupt: func() bool { return false }}
	m, err = New(prog, b, never)
	if err != nil || m.cut.Cause != 0 {
		t.Fatalf("%v, %v; want a machine that has not ended", m, err)
	}
	select {
	case <-x.ended:
	default:
		t.Error("the interrupted initialisation was not continued")
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

// TestBaseDropped: an initialisation that no search needs any more is dropped, and so is the oldest one if
// many are suspended. The next entry begins it again.
func TestBaseDropped(t *testing.T) {
	prog := loadLong(t)
	e := prog.Entries[0]
	start := func() *begunBase {
		if _, err := New(prog, e, Config{Races: true, Interrupt: soon()}); err != nil {
			t.Fatal(err)
		}
		for _, b := range begunList(prog) {
			if b.asked.Races {
				return b
			}
		}
		return nil // it has ended
	}
	x := start()
	if !awaitSuspended(t, x) {
		t.Fatal("the first initialisation is not suspended")
	}
	x.drop()
	<-x.ended
	others := make([]*begunBase, mostSuspended)
	for i := range others {
		others[i], _ = beginBase(prog, e, Config{MaxHeap: uint64(i + 1)}.comparable(), entryFacts{})
		others[i].suspended, others[i].since = true, time.Now().Add(time.Duration(-i)*time.Second)
	}
	if x = start(); x == nil || !awaitSuspended(t, x) {
		t.Fatal("the second initialisation is not suspended")
	}
	for i, o := range others {
		if want := i == mostSuspended-1; o.dropped != want {
			t.Errorf("number %d: dropped %v, want %v", i, o.dropped, want)
		}
	}
	m, err := New(prog, e, Config{Races: true, Interrupt: func() bool { return false }})
	if err != nil || m.cut.Cause != 0 {
		t.Errorf("%v, %v; want a machine that has not ended", m, err)
	}
}

// TestBasePanics: a mistake in an initialisation beside a search is one of the search.
func TestBasePanics(t *testing.T) {
	prog := loadLong(t)
	e := prog.Entries[0]
	x, _ := beginBase(prog, e, Config{}, entryFacts{})
	x.runBeside(func() { panic("BUG: mine") })
	if !x.wait(nil) || x.panicked == nil || !strings.Contains(x.panicked.(string), "BUG: mine") {
		t.Errorf("panicked: %v", x.panicked)
	}
}
