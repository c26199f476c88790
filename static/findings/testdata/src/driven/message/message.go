// Package message has what routers get.
package message

// Props are optional.
type Props struct {
	Alias *uint16
	hops  int
}

// A Message has a topic, or an alias of one.
type Message struct {
	Topic string
	Body  []byte
	Props *Props
}

// Options have options.
type Options struct{ Level int }

// Hops counts.
func (m *Message) Hops() int { return m.Props.hops }
