// Package apart uses the functions of another module.
package apart

import "flags.test"

type conn struct {
	closed flags.Bool
	done   chan struct{}
}

func (c *conn) close() {
	if c.closed.Swap(false, true) {
		close(c.done)
	}
}

func (c *conn) closeAlways() {
	if c.closed.Always(false, true) {
		close(c.done)
	}
}

// Right closes a channel once.
func Right() {
	c := &conn{done: make(chan struct{})}
	go c.close()
	c.close()
}

// Wrong closes it twice.
func Wrong() {
	c := &conn{done: make(chan struct{})}
	go c.closeAlways()
	c.closeAlways()
}
