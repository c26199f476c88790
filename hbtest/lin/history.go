package lin

import "sync"

// most bounds the goroutines of a scenario: the number of bytes of clock.
const most = 8

// A history is the result of an execution of a scenario.
type history struct {
	scenario       scenario
	initial, final []any     // results
	events         [][]event // by goroutine
}

// An event is an operation that has been executed.
type event struct {
	before clock // the operations that had returned when this one was called: they precede it in real time
	result any
}

// execute executes the scenario once.
func execute[T any](o Object[T], sc scenario) *history {
	h := &history{scenario: sc, events: make([][]event, len(sc))}
	x, calls := o.New(), flat(o.Ops)
	h.initial = sequence(x, flat(o.Initial))
	now := new(clock)
	var wg sync.WaitGroup
	for g, ops := range sc {
		own := make([]call[T], len(ops))
		for i, c := range ops {
			own[i] = calls[c]
		}
		wg.Go(func() { h.events[g] = goroutine(x, own, now, g) })
	}
	wg.Wait()
	h.final = sequence(x, flat(o.Final))
	return h
}

// sequence executes calls one after another.
func sequence[T any](x T, calls []call[T]) (out []any) {
	for _, c := range calls {
		out = append(out, plain(c.do(x)))
	}
	return out
}

// goroutine executes the operations of goroutine g of a scenario.
func goroutine[T any](x T, calls []call[T], now *clock, g int) []event {
	list := make([]event, len(calls))
	for i, c := range calls {
		list[i].before = called(now, c.name)
		result := c.do(x)
		returned(now, g, c.name)
		list[i].result = plain(result)
	}
	return list
}
