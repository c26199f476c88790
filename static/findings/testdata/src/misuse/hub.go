package misuse

// A pair has the channel of one listener.
type pair[V any] struct{ to chan<- V }

// A hub sends values to its listeners.
type hub[V any] struct{ list []pair[V] }

func (h *hub[V]) add() <-chan V {
	c := make(chan V, 1)
	h.list = append(h.list, pair[V]{to: c})
	return c
}

func (h *hub[V]) tell(v V) {
	for _, p := range h.list {
		p.to <- v // a listener comes through an interface that nothing here uses
	}
}

var numbers hub[int]

type listener struct{}

func (listener) Listen() <-chan int { return numbers.add() }

// Tell sends n to all listeners.
func Tell(n int) { numbers.tell(n) }

// A deaf hub has no listener.
type deaf[V any] struct{ list []silent[V] }

type silent[V any] struct{ to chan<- V }

func (h *deaf[V]) tell(v V) {
	for _, p := range h.list {
		p.to <- v // want HBA205 "send to p.to"
	}
}

var nothing deaf[int]

// Whisper sends n to nobody.
func Whisper(n int) { nothing.tell(n) }

type wire struct{ to chan<- int }

var wires []wire

type plug struct{}

func (plug) Plug() <-chan int {
	c := make(chan int, 1)
	wires = append(wires, wire{c})
	return c
}

// Hum sends n on all wires.
func Hum(n int) {
	for _, w := range wires {
		w.to <- n
	}
}
