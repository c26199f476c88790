package main

import (
	"sync"
	"sync/atomic"

	"hbcheck.dev/hbcheck/internal/verdicts"
)

// openOutlines returns the store for outlines of the standard library (load.Config.Outlines), beside the
// verdicts; nil if there is no cache, or if the build of hbcheck is unknown.
var openOutlines = sync.OnceValue(func() *verdicts.Store {
	dir, ok := verdicts.Dir()
	if !ok {
		return nil
	}
	if _, err := ownHash(); err != nil {
		return nil
	}
	store, err := verdicts.Open(dir)
	if err != nil {
		return nil // ignore a cache that cannot be written
	}
	opened.Store(store)
	return store
})

var opened atomic.Pointer[verdicts.Store]

// closeOutlines shrinks the store to its bounds, if something was written.
func closeOutlines() {
	if store := opened.Load(); store != nil {
		store.Close()
	}
}
