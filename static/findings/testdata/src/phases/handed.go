package phases

import (
	"errors"
	"sync"
)

// A Conn has locks that go to the caller, or with an object.
type Conn struct {
	mu   sync.Mutex
	n    int
	done chan bool
}

// Take returns the lock to the caller; Taken forgets it.
func (c *Conn) Take(id int) (lock *sync.Mutex, err error) {
	for {
		c.mu.Lock()
		if c.n == id {
			lock = &c.mu
			break
		}
		if c.n < 0 {
			err = errors.New("closed")
			c.mu.Unlock()
			break
		}
		c.mu.Unlock()
	}
	return
}

func (c *Conn) Taken(id int) (lock *sync.Mutex, err error) {
	c.mu.Lock()
	if c.n == id {
		return nil, errors.New("used") // want HBA103 "return without c.mu.Unlock" high
	}
	c.mu.Unlock()
	return &sync.Mutex{}, nil
}

// An Encoder has the lock of its connection until its end.
type Encoder struct {
	conn *Conn
	n    int
}

func newEncoder(c *Conn) *Encoder {
	c.mu.Lock()
	return &Encoder{conn: c}
}

func (e *Encoder) end() {
	e.n = 0
	e.conn.mu.Unlock()
}

func (c *Conn) write(n int) {
	e := newEncoder(c)
	defer e.end()
	e.n = n
}

// WriteTwo writes twice.
func (c *Conn) WriteTwo() {
	c.write(1)
	c.write(2)
}

// WriteInside writes before the end.
func (c *Conn) WriteInside() {
	e := newEncoder(c)
	c.write(1) // want HBA101 "c.mu is locked by write"
	e.end()
}

// Stop closes done once, because early does not change in the loop.
func (c *Conn) Stop(list []int, early bool) {
	done := make(chan bool)
	go func() {
		if early {
			<-done
		}
	}()
	if early {
		close(done)
	}
	for _, x := range list {
		if x < 0 {
			continue
		}
		c.n += x
	}
	if !early {
		close(done)
	}
}

// LockTwice has a variable that changes.
func (c *Conn) LockTwice(list []int) {
	early := len(list) > 3
	if early {
		c.mu.Lock()
	}
	for _, x := range list {
		early = x > 3
		if early {
			c.n++
		}
	}
	if !early {
		c.mu.Lock() // want HBA101 "c.mu is locked while"
	}
	c.mu.Unlock()
} // want HBA103 "return without c.mu.Unlock"

// LockOnce has one that does not.
func (c *Conn) LockOnce(list []int, early bool) {
	if early {
		c.mu.Lock()
	}
	for _, x := range list {
		c.n += x
	}
	if !early {
		c.mu.Lock()
	}
	c.mu.Unlock()
}

// LockShared has one that a literal changes.
func (c *Conn) LockShared(list []int, f func(func())) {
	early := len(list) > 3
	f(func() { early = false })
	if early {
		c.mu.Lock()
	}
	for range list {
		c.n++
	}
	if !early {
		c.mu.Lock() // want HBA101 "c.mu is locked while"
	}
	c.mu.Unlock()
} // want HBA103 "return without c.mu.Unlock"

func less(a, b *Conn) bool { return a.n < b.n }

// Both has an order.
func Both(a, b *Conn) {
	if less(a, b) {
		a.mu.Lock()
		b.mu.Lock()
	} else {
		b.mu.Lock()
		a.mu.Lock()
	}
	a.n, b.n = b.n, a.n
	a.mu.Unlock()
	b.mu.Unlock()
}

func known(a *Conn, name string) bool { return a.n > len(name) }

// Swap has none.
func Swap(a, b *Conn) {
	if known(a, "b") {
		a.mu.Lock()
		b.mu.Lock() // want HBA111 "b.mu is locked while a.mu is held" medium
		a.n, b.n = b.n, a.n
		b.mu.Unlock()
		a.mu.Unlock()
	}
}

// Many has more combinations of conditions than the analysis distinguishes.
func (c *Conn) Many(a, b, d, e, f, g bool, n int) {
	done := make(chan bool)
	if a {
		c.n++
	}
	if b {
		c.n++
	}
	if d {
		c.n++
	}
	if e {
		c.n++
	}
	if f {
		c.n++
	}
	if g {
		close(done)
	}
	if a {
		n++
	}
	if b {
		n++
	}
	if d {
		n++
	}
	if e {
		n++
	}
	if f {
		n++
	}
	if !g {
		close(done) // want HBA203 "done is closed again" medium
	}
	c.n = n
}

// Each releases the lock again if a small number comes after a large one.
func (c *Conn) Each(list []int) {
	for _, x := range list {
		small := x+len(list) < 3
		if !small {
			c.mu.Lock()
			c.n++
			c.mu.Unlock()
		}
		if small {
			c.mu.Unlock() // want HBA104 "c.mu is unlocked twice" medium
			return
		}
	}
}
