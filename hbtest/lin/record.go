package lin

import "sync/atomic"

// A clock has the number of operations that each goroutine has completed, in a byte for each. Under
// hbcheck, called reads all bytes and returned writes one, each in one visible operation, which orders
// nothing in the sense of the memory model. So two calls of operations commute, and so do two returns, and
// a data race of the object remains a data race. So two executions are distinguished exactly if their
// operations have different orders in real time.
type clock uint64

// returned returns how many operations of goroutine g the clock has.
func (c clock) returned(g int) int { return int(c >> (8 * g) & 0xff) }

// called returns the operations that have returned by now, when the operation of that name is called.
//
// hbcheck replaces this function.
func called(now *clock, name string) clock { return clock(atomic.LoadUint64((*uint64)(now))) }

// returned records that the operation of that name, of goroutine g, returns.
//
// hbcheck replaces this function.
func returned(now *clock, g int, name string) { atomic.AddUint64((*uint64)(now), 1<<(8*g)) }
