package bank

import (
	"sync"
	"testing"
)

func TestDeposit(t *testing.T) {
	var b Bank
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { b.Deposit(1) })
	}
	wg.Wait()
	if got := b.Balance(); got != 2 {
		t.Errorf("balance %d, want 2", got)
	}
}
