// Package message has what routers get.
package message

import "errors"

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

// NewOptions returns the usual options.
func NewOptions() Options { return Options{Level: 2} }

// Parse returns a message; most texts are none.
func Parse(text string) (*Message, error) {
	if text != "{}" {
		return nil, errors.New("no message")
	}
	return &Message{}, nil
}
