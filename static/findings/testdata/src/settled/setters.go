package settled

import "sync/atomic"

// A Sender has numbers for requests.
type Sender struct {
	id    uint32
	level int32
	seen  int32
}

// SetID is called before Next.
func (c *Sender) SetID(id uint32) {
	c.id = id // want HBA402 "written without sync/atomic" low
}

// SetSmall may be called at any time.
func (c *Sender) SetSmall(id uint32) {
	if id < 100 {
		c.seen = int32(id) // want HBA402 "written without sync/atomic" medium
	}
}

// Next returns the next number.
func (c *Sender) Next() uint32 {
	atomic.AddInt32(&c.seen, 1)
	return atomic.AddUint32(&c.id, 1)
}

// Raise writes what others only load.
func (c *Sender) Raise(level int32) {
	if level > 0 {
		c.level = level // want HBA402 "written without sync/atomic" low
	}
}

// Level loads it.
func (c *Sender) Level() int32 { return atomic.LoadInt32(&c.level) }
