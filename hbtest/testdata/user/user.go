// Package user is a user's.
package user

import "sync"

// A Bank has money.
type Bank struct {
	mu      sync.Mutex
	balance int
}

// Balance returns how much there is.
func (b *Bank) Balance() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.balance
}

func (b *Bank) set(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.balance = n
}

// Deposit adds n.
func (b *Bank) Deposit(n int) { b.set(b.Balance() + n) }
