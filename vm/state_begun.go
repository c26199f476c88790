package vm

import (
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"hbcheck.dev/hbcheck/load"
)

// A begunBase is a machine in which packages are being initialised. A search that needs an equal one waits
// for it: initialising the packages of a large program takes seconds, and several entries of one package are
// often explored at the same time. When the time of all that wait is up the initialisation is suspended, and
// the next search that needs it continues it. (It used to be thrown away: a package that needs two seconds
// was never initialised if each of its tests got one.)
//
//	first entry   ├─ waits ──┤ its time is up
//	second entry             ·        ├─ waits ──────────┤ copies the base
//	initialising  ├──────────┤        ├──────────────────┤
//
// Claim: suspending changes nothing. The goroutine that executes the initialisers does not return from
// Config.Interrupt meanwhile; until it is dropped, that always returns false.
//
// prog.Begun guards the fields.
type begunBase struct {
	prog  *load.Program
	entry *load.Entry
	asked Config
	facts entryFacts
	ended chan struct{}

	waiting   int        // searches
	changed   *sync.Cond // waiting or dropped has changed
	suspended bool
	since     time.Time
	dropped   bool // no search has needed it for too long, or too many are suspended
	panicked  any  // the value of a panic of runBeside's function, when it has ended
}

// The bounds on suspended initialisations: their number, and the time until they are dropped.
const (
	mostSuspended    = 8
	longestSuspended = 10 * time.Minute
)

// beginBase returns the initialisation of e's packages that has begun, or one that the caller has to execute
// (run). The caller waits for it.
func beginBase(prog *load.Program, e *load.Entry, asked Config, facts entryFacts) (b *begunBase, first bool) {
	prog.Begun.Lock()
	defer prog.Begun.Unlock()
	list, _ := prog.Begun.Value.([]*begunBase)
	i := slices.IndexFunc(list, func(o *begunBase) bool {
		return !o.dropped && initialisedAs(e, o.entry) && facts == o.facts && reflect.DeepEqual(&asked, &o.asked)
	})
	//mutant: two goroutines initialise the same packages [test ./vm TestBaseOnce]: "i >= 0" -> "i >= 0 && false"
	if i >= 0 {
		b = list[i]
	} else {
		first = true
		b = &begunBase{prog: prog, entry: e, asked: asked, facts: facts, ended: make(chan struct{}), changed: sync.NewCond(&prog.Begun)}
		prog.Begun.Value = append(slices.Clip(list), b)
	}
	b.waiting++
	b.changed.Broadcast()
	return b, first
}

// run executes the initialisers by calling do.
func (b *begunBase) run(do func()) {
	defer func() {
		b.prog.Begun.Lock()
		defer b.prog.Begun.Unlock()
		list := b.prog.Begun.Value.([]*begunBase)
		i := slices.Index(list, b)
		b.prog.Begun.Value = slices.Delete(slices.Clone(list), i, i+1)
		close(b.ended)
	}()
	do()
}

// runBeside is run in a goroutine of its own. A panic there is one of the search that waits for it.
func (b *begunBase) runBeside(do func()) {
	go b.run(func() {
		defer func() {
			if p := recover(); p != nil {
				b.panicked = fmt.Sprintf("%v\n%s", p, debug.Stack())
			}
		}()
		do()
	})
}

// wait waits until b has ended, or interrupted returns true; ended says which.
func (b *begunBase) wait(interrupted func() bool) (ended bool) {
	defer func() {
		b.prog.Begun.Lock()
		defer b.prog.Begun.Unlock()
		b.waiting--
	}()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-b.ended:
			return true
		case <-tick.C:
			if interrupted != nil && interrupted() {
				return false
			}
		}
	}
}

// suspend is Config.Interrupt of a machine that executes initialisers. While no search waits for it, it does
// not return. It reports whether the machine is dropped.
func (b *begunBase) suspend() (dropped bool) {
	b.prog.Begun.Lock()
	defer b.prog.Begun.Unlock()
	//mutant: initialisers are executed though no search waits [test ./vm TestBaseContinued]: "b.waiting == 0" -> "false"
	if b.waiting == 0 && !b.dropped {
		b.suspended, b.since = true, time.Now()
		var all []*begunBase
		for _, o := range b.prog.Begun.Value.([]*begunBase) {
			if o.suspended && !o.dropped {
				all = append(all, o)
			}
		}
		//mutant: all that are suspended stay [test ./vm TestBaseDropped]: "len(all) > mostSuspended" -> "false"
		if len(all) > mostSuspended {
			oldest := slices.MinFunc(all, func(x, y *begunBase) int { return x.since.Compare(y.since) })
			oldest.dropped = true
			oldest.changed.Broadcast()
		}
		late := time.AfterFunc(longestSuspended, b.drop)
		defer late.Stop()
		for b.waiting == 0 && !b.dropped {
			b.changed.Wait()
		}
		b.suspended = false
	}
	return b.dropped
}

// drop drops b if no search waits for it.
func (b *begunBase) drop() {
	b.prog.Begun.Lock()
	defer b.prog.Begun.Unlock()
	b.dropped = b.dropped || b.waiting == 0
	b.changed.Broadcast()
}

// initialisedAs reports whether the same packages are initialised for e and o.
func initialisedAs(e, o *load.Entry) bool {
	return e.LinkedAs(o) && (e.Beside == nil) == (o.Beside == nil)
}
