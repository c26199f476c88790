// Transfers between two accounts. "ordered" transfers lock the account with
// the lower number first; "crossed" ones lock the paying account first, which
// can deadlock.
//
//	bank transfers ordered|crossed
package main

import (
	"os"
	"strconv"
	"sync"
)

type account struct {
	id int

	mu      sync.Mutex
	balance int
}

func transfer(from, to *account, amount int, ordered bool) {
	first, second := from, to
	if ordered && to.id < from.id {
		first, second = to, from
	}
	first.mu.Lock()
	defer first.mu.Unlock()
	second.mu.Lock()
	defer second.mu.Unlock()
	if from.balance >= amount {
		from.balance -= amount
		to.balance += amount
	}
}

func main() {
	n, ordered := number(1), os.Args[2] == "ordered"
	x := &account{id: 1, balance: 100}
	y := &account{id: 2, balance: 100}
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			if i%2 == 0 {
				transfer(x, y, 30, ordered)
			} else {
				transfer(y, x, 20, ordered)
			}
		})
	}
	wg.Wait()
	if x.balance+y.balance != 200 {
		panic("money lost or made")
	}
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}
