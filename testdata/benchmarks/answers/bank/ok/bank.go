// Package bank moves money between accounts. Accounts are locked in the order of their numbers.
package bank

import "sync"

// Account is safe for concurrent use.
type Account struct {
	ID  int
	mu  sync.Mutex
	bal int
}

// New returns an account with a balance.
func New(id, bal int) *Account { return &Account{ID: id, bal: bal} }

// Balance returns what is in the account.
func (a *Account) Balance() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.bal
}

// Transfer moves n from one account to another and reports whether there was enough.
func Transfer(from, to *Account, n int) bool {
	first, second := from, to
	if second.ID < first.ID {
		first, second = second, first
	}
	first.mu.Lock()
	second.mu.Lock()
	defer from.mu.Unlock()
	defer to.mu.Unlock()
	if from.bal < n {
		return false
	}
	from.bal -= n
	to.bal += n
	return true
}
