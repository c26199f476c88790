// Package sync is the machine's model of Go's package sync.
//
// A call of a method is one visible operation: no goroutine sees a Lock half done. Goroutines that
// wait are not queued. A goroutine stays before its Lock until the explorer chooses it, which is
// possible as soon as the mutex is free. So every order in which the real runtime could serve
// waiters is an order of steps.
//
// Functions without a body are natives of the machine (vm/native_sync.go): each is one visible
// operation, and the code after it, up to the next one, belongs to the same step. The primitives
// have the fields and sizes of the real ones, so that fmt and reflect show the same; what the
// fields hold differs.
package sync

// noCopy is what vet's copylocks check looks for.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// A Locker represents an object that can be locked and unlocked.
type Locker interface {
	Lock()
	Unlock()
}
