package syncs

import (
	"fmt"
	"sync"
)

// MutexOrder: either goroutine may be first.
func MutexOrder() {
	var mu sync.Mutex
	s := ""
	par(func() { mu.Lock(); s += "a"; mu.Unlock() }, func() { mu.Lock(); s += "b"; mu.Unlock() })
	fmt.Print(s)
}

// MutexThree: three critical sections in any order.
func MutexThree() {
	var mu sync.Mutex
	s := ""
	add := func(x string) func() { return func() { mu.Lock(); defer mu.Unlock(); s += x } }
	par(add("a"), add("b"), add("c"))
	fmt.Print(s)
}

// TryLockFails: TryLock may find the lock held.
func TryLockFails() {
	var mu sync.Mutex
	got := false
	par(func() { mu.Lock(); mu.Unlock() }, func() {
		if got = mu.TryLock(); got {
			mu.Unlock()
		}
	})
	fmt.Print(got)
}

// TryLockBoth: at least one of two gets it.
func TryLockBoth() {
	var mu sync.Mutex
	var a, b bool
	par(func() { a = mu.TryLock() }, func() { b = mu.TryLock() })
	fmt.Print(a, b)
}

// LostUpdate: lock, read, unlock, lock, write.
func LostUpdate() {
	var mu sync.Mutex
	n := 0
	inc := func() {
		mu.Lock()
		x := n
		mu.Unlock()
		mu.Lock()
		n = x + 1
		mu.Unlock()
	}
	par(inc, inc)
	fmt.Print(n)
}

// LockTwice: a mutex is not reentrant.
func LockTwice() {
	var mu sync.Mutex
	mu.Lock()
	mu.Lock()
}

// UnlockUnlocked: a fatal error.
func UnlockUnlocked() {
	var mu sync.Mutex
	mu.Unlock()
}

// UnlockElsewhere: another goroutine may unlock.
func UnlockElsewhere() {
	var mu sync.Mutex
	mu.Lock()
	go mu.Unlock()
	mu.Lock()
	fmt.Print("ok")
}

// Circle: two locks in opposite orders.
func Circle() {
	var a, b sync.Mutex
	par(func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() }, func() { b.Lock(); a.Lock(); a.Unlock(); b.Unlock() })
	fmt.Print("ok")
}

// Readers: two readers may be inside together.
func Readers() {
	var rw sync.RWMutex
	c := make(chan int)
	par(func() { rw.RLock(); c <- 1; rw.RUnlock() }, func() { rw.RLock(); <-c; rw.RUnlock() })
	fmt.Print("ok")
}

// ReaderAgain: a second RLock waits for a writer that waits for the first.
func ReaderAgain() {
	var rw sync.RWMutex
	par(func() { rw.RLock(); rw.RLock(); rw.RUnlock(); rw.RUnlock() }, func() { rw.Lock(); rw.Unlock() })
	fmt.Print("ok")
}

// TryRLock fails while a writer holds the lock or waits for it.
func TryRLock() {
	var rw sync.RWMutex
	got := 0
	par(func() { rw.Lock(); rw.Unlock() }, func() {
		for range 2 {
			if rw.TryRLock() {
				got++
				rw.RUnlock()
			}
		}
	})
	fmt.Print(got)
}

// TryLockReader fails while a reader is inside.
func TryLockReader() {
	var rw sync.RWMutex
	got := false
	par(func() { rw.RLock(); rw.RUnlock() }, func() {
		if got = rw.TryLock(); got {
			rw.Unlock()
		}
	})
	fmt.Print(got)
}

// RUnlockUnlocked: a fatal error.
func RUnlockUnlocked() {
	var rw sync.RWMutex
	rw.RUnlock()
}

// RLocker: a Locker for the reading side.
func RLocker() {
	var rw sync.RWMutex
	l := rw.RLocker()
	s := ""
	par(func() {
		l.Lock()
		x := s
		l.Unlock()
		rw.Lock()
		s = x + "a"
		rw.Unlock()
	}, func() { rw.Lock(); s += "b"; rw.Unlock() })
	fmt.Print(s)
}

// WriterBetween: a writer between two readings.
func WriterBetween() {
	var rw sync.RWMutex
	n, a, b := 0, 0, 0
	par(func() { rw.Lock(); n = 1; rw.Unlock() }, func() {
		rw.RLock()
		a = n
		rw.RUnlock()
		rw.RLock()
		b = n
		rw.RUnlock()
	})
	fmt.Print(a, b)
}

// CopyLocked: a copy of a locked mutex is locked.
func CopyLocked() {
	var mu sync.Mutex
	mu.Lock()
	c := &struct{ sync.Mutex }{}
	c.Mutex = mu //nolint
	fmt.Print(c.TryLock())
}

// Guarded: a data race beside a lock.
func Guarded() {
	var mu sync.Mutex
	n := 0
	par(func() { mu.Lock(); n++; mu.Unlock() }, func() { n++ })
	fmt.Print(n > 0)
}
