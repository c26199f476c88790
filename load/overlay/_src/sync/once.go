package sync

import "sync/atomic"

// Once is an object that will perform exactly one action.
type Once struct {
	_    noCopy
	done atomic.Bool // 1 when f has returned, panicked or called runtime.Goexit
	m    Mutex       // locked while f runs
}

// Do calls f if it is called for the first time for this Once. Other calls
// wait until f has returned; if f panics, it counts as having returned.
func (o *Once) Do(f func()) {
	if hbOnceEnter(o) {
		defer hbOnceLeave(o)
		f()
	}
}

// hbOnceEnter reports whether the caller must run f. It is enabled while nobody runs f.
func hbOnceEnter(o *Once) bool

func hbOnceLeave(o *Once)
