// Package bankfixed is the README's example put right.
package bankfixed

import "sync"

// A Bank is one account.
type Bank struct {
	mu  sync.Mutex
	bal int
}

// Balance returns what is in the account.
func (b *Bank) Balance() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.bal
}

// Deposit pays n into the account, in one critical section.
func (b *Bank) Deposit(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bal += n
}
