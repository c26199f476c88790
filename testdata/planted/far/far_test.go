// Package far has three bugs one reordering away (docs/research/samples.md): each test has twenty goroutines of 3,000
// rounds, and a bug that needs an operation in an early round of one goroutine and another in a late round of another.
package far

import (
	"sync"
	"testing"
)

const (
	workers = 20
	rounds  = 3000
	early   = 5
	late    = rounds - 5
)

// TestRace: an early round accesses a variable without the lock, a late one with it.
func TestRace(t *testing.T) {
	var mu sync.Mutex
	var balance, audited int
	var wg sync.WaitGroup
	for g := range workers {
		wg.Go(func() {
			for i := range rounds {
				if g == 7 && i == early {
					audited++
				}
				mu.Lock()
				balance++
				if g == 13 && i == late {
					audited++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}

// TestOrders: an early round takes two locks in one order, a late one in the other.
func TestOrders(t *testing.T) {
	accounts := make([]struct {
		sync.Mutex
		balance int
	}, 64)
	transfer := func(from, to int) {
		accounts[from].Lock()
		accounts[to].Lock()
		accounts[from].balance--
		accounts[to].balance++
		accounts[to].Unlock()
		accounts[from].Unlock()
	}
	var wg sync.WaitGroup
	for g := range workers {
		wg.Go(func() {
			for i := range rounds {
				a := &accounts[(g+i)%len(accounts)]
				a.Lock()
				a.balance++
				a.Unlock()
				switch {
				case g == 7 && i == early:
					transfer(30, 50)
				case g == 13 && i == late:
					transfer(50, 30)
				}
			}
		})
	}
	wg.Wait()
}

// TestClose: an early round sends on a channel, a late one closes it.
func TestClose(t *testing.T) {
	var mu sync.Mutex
	served := 0
	events := make(chan int, 1)
	var wg sync.WaitGroup
	for g := range workers {
		wg.Go(func() {
			for i := range rounds {
				mu.Lock()
				served++
				mu.Unlock()
				switch {
				case g == 7 && i == early:
					events <- i
				case g == 13 && i == late:
					close(events)
				}
			}
		})
	}
	wg.Wait()
}
