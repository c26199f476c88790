// Package begun shares long work among searches: one search begins it, and others that need it wait for it.
// Package vm uses it for machines in which packages are being initialised. Initialising packages takes
// seconds in a large program, and several entries of one package are often explored at the same time. When
// the time of all searches that wait is up, the work is suspended, and the next search that needs it
// continues it. (Otherwise a package that needs two seconds would never be initialised if each of its tests
// got one second.)
//
//	first entry   ├─ waits ──┤ its time is up
//	second entry             ·        ├─ waits ──────────┤ copies the base
//	initialising  ├──────────┤        ├──────────────────┤
//
// Claim: suspending changes nothing. The goroutine that executes the initialisers does not return
// from Suspend while the work is suspended; and Suspend returns false until the work is dropped.
package begun

import (
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"hbcheck.dev/hbcheck/load"
)

// Work is work that has begun. The list of all work guards the fields.
type Work struct {
	all   *load.Kept // a list of *Work
	key   any
	ended chan struct{}

	waiting   int        // searches
	changed   *sync.Cond // waiting or dropped has changed
	suspended bool
	since     time.Time
	dropped   bool // no search has needed it for too long, or too many works are suspended
	Panicked  any  // the value of a panic of RunBeside's function; valid when the work has ended
}

// The bounds on suspended work: its number, and the time until it is dropped.
const (
	mostSuspended    = 8
	longestSuspended = 10 * time.Minute
)

// Begin returns the work with an equal key that has begun. Otherwise it returns new work, which the
// caller has to execute (Run), and first is true. The caller waits for the work.
func Begin(all *load.Kept, key any, equal func(other any) bool) (b *Work, first bool) {
	all.Lock()
	defer all.Unlock()
	list, _ := all.Value.([]*Work)
	i := slices.IndexFunc(list, func(o *Work) bool { return !o.dropped && equal(o.key) })
	//mutant: two goroutines initialise the same packages [test ./vm/begun TestOnce]: "i >= 0" -> "i >= 0 && false"
	if i >= 0 {
		b = list[i]
	} else {
		first = true
		b = &Work{all: all, key: key, ended: make(chan struct{}), changed: sync.NewCond(all)}
		all.Value = append(slices.Clip(list), b)
	}
	b.waiting++
	b.changed.Broadcast()
	return b, first
}

// Run executes the work by calling do.
func (b *Work) Run(do func()) {
	defer func() {
		b.all.Lock()
		defer b.all.Unlock()
		list := b.all.Value.([]*Work)
		i := slices.Index(list, b)
		b.all.Value = slices.Delete(slices.Clone(list), i, i+1)
		close(b.ended)
	}()
	do()
}

// RunBeside is Run in a goroutine of its own. The search that has begun the work repeats a panic
// there (Panicked).
func (b *Work) RunBeside(do func()) {
	go b.Run(func() {
		defer func() {
			if p := recover(); p != nil {
				b.Panicked = fmt.Sprintf("%v\n%s", p, debug.Stack())
			}
		}()
		do()
	})
}

// Wait waits until b has ended, or interrupted returns true; ended says which.
func (b *Work) Wait(interrupted func() bool) (ended bool) {
	defer func() {
		b.all.Lock()
		defer b.all.Unlock()
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

// Suspend is called by the work now and then. It does not return while no search waits for the work. It
// reports whether the work is dropped.
func (b *Work) Suspend() (dropped bool) {
	b.all.Lock()
	defer b.all.Unlock()
	//mutant: initialisers are executed though no search waits [test ./vm/begun TestContinued]: "b.waiting == 0" -> "false"
	if b.waiting == 0 && !b.dropped {
		b.suspended, b.since = true, time.Now()
		var asleep []*Work
		for _, o := range b.all.Value.([]*Work) {
			if o.suspended && !o.dropped {
				asleep = append(asleep, o)
			}
		}
		//mutant: all that are suspended stay [test ./vm/begun TestDropped]: "len(asleep) > mostSuspended" -> "false"
		if len(asleep) > mostSuspended {
			oldest := slices.MinFunc(asleep, func(x, y *Work) int { return x.since.Compare(y.since) })
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
func (b *Work) drop() {
	b.all.Lock()
	defer b.all.Unlock()
	b.dropped = b.dropped || b.waiting == 0
	b.changed.Broadcast()
}
