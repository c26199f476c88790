// Package syncs has programs about package sync.
package syncs

import "sync"

// par runs functions beside each other and waits for them.
func par(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Add(1)
		go func() { defer wg.Done(); f() }()
	}
	wg.Wait()
}
