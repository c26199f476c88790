package main

import (
	"sync"
	"sync/atomic"

	"hbcheck.dev/hbcheck/internal/verdicts"
)

// openOutlines returns where outlines of the standard library are kept (load.Config.Outlines), beside the
// verdicts; nil if there is no such place, or it is not known which build of hbcheck writes them.
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

// closeOutlines keeps the store within its bounds, if something has been written.
func closeOutlines() {
	if store := opened.Load(); store != nil {
		store.Close()
	}
}
