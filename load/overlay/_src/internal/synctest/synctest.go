// Package synctest is the machine's model of bubbles: goroutines with a clock
// that only moves when all of them are durably blocked. The clock of the
// machine serves: in a bubble a sleeper or timer is enabled when every
// goroutine of the bubble is blocked and no deadline in it is earlier.
package synctest

import (
	"internal/effect"
	"internal/godebug"
	"unsafe"
)

// Run executes f in a new bubble and waits until all goroutines of the bubble
// have ended. Unlike the real one it runs f on the calling goroutine, which it
// makes the bubble's first.
func Run(f func()) {
	if IsInBubble() {
		panic("synctest.Run called from within a synctest bubble")
	}
	if v := asynctimerchan.Value(); v == "1" || v == "2" {
		panic("synctest.Run not supported with asynctimerchan!=0")
	}
	hbEnter()
	defer hbLeave()
	f()
	if hbDrain() > 0 {
		panic(deadlockError{})
	}
}

var asynctimerchan = godebug.New("asynctimerchan")

type deadlockError struct{}

func (deadlockError) Error() string {
	return "deadlock: main bubble goroutine has exited but blocked goroutines remain"
}

// hbEnter makes the caller the first goroutine of a new bubble.
func hbEnter()

// hbLeave takes the caller out of its bubble.
func hbLeave()

// hbDrain waits until all other goroutines of the bubble have ended or are
// durably blocked, and returns how many are blocked. Meanwhile time stands still.
func hbDrain() int

// Wait blocks until every goroutine within the current bubble, other than the
// current goroutine, is durably blocked.
func Wait() {
	if !IsInBubble() {
		panic("goroutine is not in a bubble")
	}
	effect.Access(unsafe.Pointer(&waits), true)
	if hbWaiting() {
		panic("wait already in progress")
	}
	hbWait()
}

// waits represents, in operations, the set of goroutines that wait in Wait: the second one of a
// bubble panics.
var waits bool

// hbWaiting reports whether another goroutine of the bubble waits in Wait.
func hbWaiting() bool

func hbWait()

// IsInBubble reports whether the current goroutine is in a bubble.
func IsInBubble() bool

// Association is the state of a pointer's bubble association.
type Association int

const (
	Unbubbled     = Association(iota) // not associated with any bubble
	CurrentBubble                     // associated with the current bubble
	OtherBubble                       // associated with a different bubble
)

// Associate does nothing: what belongs to which bubble is not checked.
func Associate[T any](p *T) Association { return Unbubbled }

// Disassociate does nothing.
func Disassociate[T any](p *T) {}

// IsAssociated reports false.
func IsAssociated[T any](p *T) bool { return false }
