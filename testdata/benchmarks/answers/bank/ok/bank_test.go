package bank

import (
	"sync"
	"testing"
)

func TestCircle(t *testing.T) {
	accounts := []*Account{New(0, 10), New(1, 10), New(2, 10)}
	var wg sync.WaitGroup
	for i, from := range accounts {
		wg.Add(1)
		go func() {
			defer wg.Done()
			Transfer(from, accounts[(i+1)%3], 5)
		}()
	}
	wg.Wait()
	sum := 0
	for _, a := range accounts {
		sum += a.Balance()
	}
	if sum != 30 {
		t.Errorf("sum is %d, want 30", sum)
	}
}

func TestTransfer(t *testing.T) {
	for _, tt := range []struct {
		name string
		n    int
		ok   bool
	}{{"all", 10, true}, {"too much", 11, false}, {"nothing", 0, true}} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := New(0, 10), New(1, 0)
			if ok := Transfer(a, b, tt.n); ok != tt.ok {
				t.Errorf("Transfer(%d) = %v", tt.n, ok)
			}
			if sum := a.Balance() + b.Balance(); sum != 10 {
				t.Errorf("sum is %d, want 10", sum)
			}
		})
	}
}
