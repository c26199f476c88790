package memory

import "sync/atomic"

// Options change an object before others have it; other functions do not.

type Caller struct {
	timeout  int64
	attempts int64
}

type callOption func(*Caller)

func withTimeout(n int64) callOption {
	return func(c *Caller) {
		c.timeout = n // want HBA402 "c.timeout is written without sync/atomic" low
	}
}

func withoutRetries(c *Caller) {
	c.attempts = 0 // want HBA402 "c.attempts is written without sync/atomic" low
}

// NewCaller applies options.
func NewCaller(retry bool) *Caller {
	c := new(Caller)
	list := []callOption{withTimeout(1)}
	if !retry {
		list = append(list, withoutRetries)
	}
	for _, o := range list {
		o(c)
	}
	return c
}

// SetTimeout and SetAttempts may be called at any time.
func (c *Caller) SetTimeout(n int64)  { atomic.StoreInt64(&c.timeout, n) }
func (c *Caller) SetAttempts(n int64) { atomic.StoreInt64(&c.attempts, n) }

// Stop calls a function of one parameter at any time.
func (c *Caller) Stop() { stopCaller(c) }

func stopCaller(c *Caller) {
	c.attempts = 1 // want HBA402 "c.attempts is written without sync/atomic" low
}
