// Package bank is the README's example: every method takes the lock, and
// Deposit is wrong all the same.
package bank

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

func (b *Bank) set(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bal = n
}

// Deposit pays n into the account. Between Balance and set another deposit
// can come in, which is then lost.
func (b *Bank) Deposit(n int) { b.set(b.Balance() + n) }
