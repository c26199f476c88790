// Package harness puts bugs into programs in the way of RaceBench (Liang et al., AsiaCCS 2023). A program calls At
// at some places of its goroutines. A bug changes a shared number at three of them, and breaks an assumption
// between two goroutines if they pass others in a certain order while the number has a certain value.
package harness

import (
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

// A Pass is how often all goroutines together have passed a place.
type Pass struct {
	Place string
	Times int64
}

// A Pattern is an assumption of RaceBench. A bug has two or three parts: the second one is another goroutine's.
type Pattern int

const (
	// WWA: a goroutine writes a variable and reads it again; another one writes it in between.
	WWA Pattern = iota
	// RWA: a goroutine reads a variable twice; another one writes it in between.
	RWA
	// WAW: a goroutine writes a variable twice; another one reads the first value.
	WAW
	// Disorder: a goroutine sets a flag before the value; another one sees the flag and reads the value too early.
	Disorder
	// NoWait: a goroutine reads a value without waiting for the other one, which writes it.
	NoWait
)

// A Bug has the numbers of passes at which its parts are executed, and the places of the parts in the order
// that breaks the assumption.
type Bug struct {
	Path    []Pass
	Pattern Pattern
	Parts   []string
	Locked  []int // the parts that hold a lock
	Then    *Bug  // the bug that is possible from then on, instead of a failure

	at                    map[string][]func() // what the bug and those after it have at each place
	passed                atomic.Int64        // the number of passes of each place of Path, a byte each
	possible              atomic.Bool         // for Then: the bug before it has happened
	variable, copied, set atomic.Int64
	mu                    sync.Mutex
}

// Choose returns the bug whose number, from 1, is the argument of the program.
func Choose(bugs ...*Bug) *Bug {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	chosen := bugs[n-1]
	chosen.possible.Store(true)
	chosen.at = map[string][]func(){}
	for b := chosen; b != nil; b = b.Then {
		b.place(chosen.at)
	}
	return chosen
}

// place adds what the bug has at each place. The passes come first.
func (b *Bug) place(at map[string][]func()) {
	want := int64(0)
	for i, p := range b.Path {
		want += p.Times << (8 * i)
		at[p.Place] = append(at[p.Place], func() { b.passed.Store(b.passed.Load() + 1<<(8*i)) })
	}
	for i, place := range b.Parts {
		at[place] = append(at[place], func() {
			if b.possible.Load() && b.passed.Load() == want {
				b.part(i)
			}
		})
	}
}

// At executes what the bug has at a place.
func (b *Bug) At(place string) {
	for _, do := range b.at[place] {
		do()
	}
}

func (b *Bug) part(i int) {
	for _, locked := range b.Locked {
		if locked == i {
			b.mu.Lock()
			defer b.mu.Unlock()
		}
	}
	switch b.Pattern {
	case WWA:
		b.writeWriteRead(i)
	case RWA:
		b.readWriteRead(i)
	case WAW:
		b.writeReadWrite(i)
	case Disorder:
		b.flagReadWrite(i)
	case NoWait:
		b.readWrite(i)
	}
}

func (b *Bug) writeWriteRead(part int) {
	switch part {
	case 0:
		b.copied.Store(b.copied.Load() + 3)
		b.variable.Store(b.copied.Load())
	case 1:
		b.variable.Store(b.variable.Load() + 5)
	case 2:
		b.assume(b.variable.Load() == b.copied.Load())
	}
}

func (b *Bug) readWriteRead(part int) {
	switch part {
	case 0:
		b.copied.Store(b.variable.Load())
	case 1:
		b.variable.Store(b.variable.Load() + 5)
	case 2:
		b.assume(b.variable.Load() == b.copied.Load())
	}
}

func (b *Bug) writeReadWrite(part int) {
	switch part {
	case 0:
		b.variable.Store(1)
	case 1:
		if x := b.variable.Load(); x != 0 {
			b.assume(x == 2)
		}
	case 2:
		b.variable.Store(2)
	}
}

func (b *Bug) flagReadWrite(part int) {
	switch part {
	case 0:
		b.set.Store(1)
	case 1:
		if b.set.Load() != 0 {
			b.assume(b.variable.Load() != 0)
		}
	case 2:
		b.variable.Store(1)
	}
}

func (b *Bug) readWrite(part int) {
	switch part {
	case 0:
		b.assume(b.variable.Load() != 0)
	case 1:
		b.variable.Store(1)
	}
}

// assume fails unless the assumption holds, or makes the next bug possible.
func (b *Bug) assume(holds bool) {
	switch {
	case holds:
	case b.Then == nil:
		panic("the injected bug has happened")
	default:
		b.Then.possible.Store(true)
	}
}
