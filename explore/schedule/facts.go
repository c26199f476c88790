package schedule

import (
	"slices"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/trace"
)

// A report folds the steps of one call, names the place where a lock was taken, and says that a sync.Pool
// gave one object to two goroutines. The repetition of a schedule provides the data for that.

// numberCalls makes b.Calls of the calls of b.Events.
func numberCalls(b *bug.Bug) {
	numbers := make(map[*describe.CallNode]int)
	b.Calls = nil
	var number func(n *describe.CallNode) int
	number = func(n *describe.CallNode) int {
		if n == nil {
			return -1
		}
		i, ok := numbers[n]
		if !ok {
			up := number(n.Up)
			i = len(b.Calls)
			b.Calls, numbers[n] = append(b.Calls, bug.Call{Up: up, Frame: n.Frame}), i
		}
		return i
	}
	for i := range b.Events {
		b.Events[i].Call = number(b.Events[i].Noted.Call) + 1
	}
}

// findHoldings finds the steps that took the locks for which goroutines wait.
func findHoldings(b *bug.Bug) {
	for i := range b.Goroutines {
		for k := range b.Goroutines[i].Awaits {
			h := &b.Goroutines[i].Awaits[k]
			for n := len(b.Events) - 1; n >= 0 && h.Event < 0; n-- {
				e := &b.Events[n]
				row := e.Kind.Row()
				takes := row.Acquires != 0 && (row.On == trace.OnLock || row.On == trace.OnOnce) || e.Kind == trace.CondWait
				if !e.Blocked && !e.Brief && e.G == h.ID && takes && e.Pos == h.Pos {
					h.Event = n
				}
			}
		}
	}
}

// findPool searches for an object through which both accesses of a race reach the memory. One goroutine put
// it into a sync.Pool, continued to use it, and the other one got it from the pool.
func findPool(m describe.Machine, b *bug.Bug) {
	x, ok := m.(describe.Recorder)
	if b.Kind != bug.Race || !ok {
		return
	}
	raced := b.Accesses[0].Obj
	between := func(g trace.GID, from, to int) bool { // g has a step there
		return slices.ContainsFunc(b.Events[from:to], func(e describe.Event) bool { return !e.Blocked && e.G == g })
	}
	for got := len(b.Events) - 1; got >= 0; got-- {
		e := &b.Events[got]
		if e.Noted.Pooled == 0 || e.Noted.Put {
			continue
		}
		for put := got - 1; put >= 0; put-- {
			p := &b.Events[put]
			if p.Noted.Pooled != e.Noted.Pooled || !p.Noted.Put {
				continue
			}
			for i := range b.Accesses {
				user, other := &b.Accesses[i], &b.Accesses[1-i]
				if p.G == user.G && e.G == other.G && (e.Noted.Pooled == raced || x.Reaches(e.Noted.Pooled, raced)) && between(user.G, put+1, len(b.Events)) {
					b.Pool = &bug.PoolPass{Pool: e.What, Put: put, Got: got}
					return
				}
			}
			break
		}
	}
}

// findAccesses finds the events of a race's accesses: the last events at their positions. A
// rendezvous is an event of only one of its goroutines.
func findAccesses(b *bug.Bug) {
	if b.Kind != bug.Race {
		return
	}
	end := len(b.Events)
	for i := 1; i >= 0; i-- {
		b.AccessEvents[i] = -1
		for j := end - 1; j >= 0; j-- {
			if b.Events[j].Brief {
				break
			}
			if e := &b.Events[j]; !e.Blocked && e.G == b.Accesses[i].G && e.Pos == b.Accesses[i].Pos {
				b.AccessEvents[i], end = j, j
				break
			}
		}
	}
}
