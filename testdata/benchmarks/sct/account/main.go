// A deposit, a withdrawal and a check, which may come before both have finished (CS/account of SCTBench).
package main

import "sync"

func main() {
	var mu sync.Mutex
	x, y, z, balance := 1, 2, 4, 0
	deposited, withdrawn := false, false
	balance = x
	var wg sync.WaitGroup
	wg.Go(func() {
		mu.Lock()
		balance += y
		deposited = true
		mu.Unlock()
	})
	wg.Go(func() {
		mu.Lock()
		balance -= z
		withdrawn = true
		mu.Unlock()
	})
	wg.Go(func() {
		mu.Lock()
		defer mu.Unlock()
		if deposited && withdrawn && balance != x-y-z {
			panic("wrong balance")
		}
	})
	wg.Wait()
}
