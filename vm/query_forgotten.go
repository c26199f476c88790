package vm

import (
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/reach"
)

// Forgotten returns the goroutines that wait in the present state and in all later states, because nothing
// that can ever move refers to the objects that they wait for. main reports whether the main goroutine,
// which may wait forever on purpose, is one of them.
//
// A goroutine waits if its pending operation is one of those on locks, channels, WaitGroups, Onces
// and Conds that can be disabled, and is disabled. All other goroutines are live: enabled ones, timers and
// signals, sleepers, those that inspect memory or all goroutines, those in a coroutine switch, and those in
// a loop. A goroutine that waits for an object which a live one reaches is live, too. The reached objects
// are closed under references, from package variables, including objects of package initialisation, and the
// live registers, deferred calls and panics of live goroutines.
//
// Claim: a goroutine that is returned never moves again.
//
//  1. A disabled operation becomes enabled, or is completed along with another one, only by an
//     operation on one of its objects: the lock, channel, WaitGroup, Once or Cond (trace.Row.On). (By
//     definition a goroutine does not wait at an operation on a clock or a bubble, or without an
//     object.) A nil channel has no operations at all.
//  2. A goroutine that executes an operation on an object refers to it by a live register, or
//     through objects. The goroutine of a timer or a signal refers to the channel that it sends
//     to. Effects of garbage collection (finalizers, weak pointers) are not modelled: explore
//     makes an exception for programs that could notice them.
//  3. As long as no returned goroutine has moved, all that move are live, by induction: a goroutine that
//     is started has its arguments from its parent. The objects they refer to were reached before,
//     or have been allocated since; so they never get a reference to an object that was not
//     reached.
//  4. By 2 and 3 no operation on an object that a returned goroutine waits for is executed before
//     it moves, and by 1 it does not move.
//
// Forgotten returns nothing for states in which the execution is over.
func (v Report) Forgotten() (list []trace.GID, main bool) {
	if v.m.executionOver() {
		return nil, false
	}
	for _, g := range v.m.forgotten() {
		if g.ID == 0 {
			main = true
		} else {
			list = append(list, g.ID)
		}
	}
	return list, main
}

// forgotten returns the goroutines that Forgotten finds, with main.
func (m *Machine) forgotten() []*goroutine {
	var waiting []*goroutine
	for _, s := range m.order {
		if g := m.gs[s]; m.waits(g) {
			waiting = append(waiting, g)
		}
	}
	if len(waiting) == 0 {
		return nil
	}
	seen := reach.NewSet(m.heap)
	//mutant: forgotten: variables remember nothing [test ./vm TestForgotten|TestRefersToWhatWakes]
	seen.AddStatics()
	for _, s := range m.order {
		//mutant: forgotten: coroutines remember nothing [test ./vm TestForgotten|TestRefersToWhatWakes]: "!= gEnded" -> "== gReady"
		if g := m.gs[s]; g.status != gEnded && !m.waits(g) {
			m.addHeld(seen, g)
		}
	}
	for again := true; again; {
		again = false
		rest := waiting[:0]
		for _, g := range waiting {
			if m.anyAwaited(g, seen.Has) {
				//mutant: forgotten: who is remembered remembers nothing [test ./vm TestForgotten|TestRefersToWhatWakes]: remove 2
				m.addHeld(seen, g)
				again = true
			} else {
				rest = append(rest, g)
			}
		}
		waiting = rest
	}
	return waiting
}

// waits reports whether g waits for an object.
func (m *Machine) waits(g *goroutine) bool {
	// A goroutine that the reduction blocks in a waiting loop is live, because a write to memory can wake it.
	//mutant: forgotten: what is enabled waits [test ./vm TestForgotten|TestRefersToWhatWakes]: "viewOf(g).n > 0" -> "viewOf(g).n > 9"
	if g.status != gReady || g.overflow != nil || m.viewOf(g).n > 0 || m.held(g) {
		return false
	}
	row := g.pending.Kind.Row()
	return row.Blocks && row.On.Row().Primitive
}
