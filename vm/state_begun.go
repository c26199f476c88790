package vm

import (
	"reflect"
	"slices"
	"time"

	"hbcheck.dev/hbcheck/load"
)

// A begunBase is a machine in which packages are being initialised. A search that needs an equal one waits
// for it: initialising the packages of a large program takes seconds, and several entries of one package are
// often explored at the same time.
type begunBase struct {
	entry *load.Entry
	asked Config
	facts entryFacts
	ended chan struct{}
}

// beginBase reports whether no other goroutine is initialising the packages in the same way; the caller then
// does it, and calls end. Otherwise it returns when the other one has ended, or interrupted returns true.
// asked is comparable (Config.comparable).
func beginBase(prog *load.Program, e *load.Entry, asked Config, facts entryFacts, interrupted func() bool) (end func(), begun bool) {
	b := &begunBase{entry: e, asked: asked, facts: facts, ended: make(chan struct{})}
	prog.Begun.Lock()
	list, _ := prog.Begun.Value.([]*begunBase)
	i := slices.IndexFunc(list, func(o *begunBase) bool {
		return initialisedAs(e, o.entry) && facts == o.facts && reflect.DeepEqual(&b.asked, &o.asked)
	})
	//mutant: two goroutines initialise the same packages [test ./vm TestBaseOnce]: "i >= 0" -> "i >= 0 && false"
	if i >= 0 {
		prog.Begun.Unlock()
		list[i].wait(interrupted)
		return nil, false
	}
	prog.Begun.Value = append(list, b)
	prog.Begun.Unlock()
	return func() {
		prog.Begun.Lock()
		defer prog.Begun.Unlock()
		list := prog.Begun.Value.([]*begunBase)
		i := slices.Index(list, b)
		prog.Begun.Value = slices.Delete(slices.Clone(list), i, i+1)
		close(b.ended)
	}, true
}

// wait waits until b has ended, or interrupted returns true.
func (b *begunBase) wait(interrupted func() bool) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-b.ended:
			return
		case <-tick.C:
			if interrupted != nil && interrupted() {
				return
			}
		}
	}
}

// initialisedAs reports whether the same packages are initialised for e and o.
func initialisedAs(e, o *load.Entry) bool {
	return e.LinkedAs(o) && (e.Beside == nil) == (o.Beside == nil)
}
