package main

import "sync"

type account struct {
	mu      sync.Mutex
	balance int
	log     []string
	next    *account
}

type bank struct {
	accounts [3]*account
	total    int8
	flags    [4]bool
}

func (b *bank) move(from, to, n int) bool {
	f, t := b.accounts[from], b.accounts[to]
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.balance < n {
		f.log = append(f.log, "refused")
		return false
	}
	f.balance -= n
	b.flags[from] = true
	t.mu.Lock()
	t.balance += n
	t.log = append(t.log, "got"+string(rune('0'+n)))
	t.mu.Unlock()
	return true
}

func main() {
	b := &bank{}
	for i := range b.accounts {
		b.accounts[i] = &account{balance: 3 + i}
		if i > 0 {
			b.accounts[i].next = b.accounts[i-1]
		}
	}
	var wg sync.WaitGroup
	results := make(map[int]bool)
	var mu sync.Mutex
	for i := range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			ok := b.move(i, (i+1)%3, i+2)
			mu.Lock()
			results[i] = ok
			mu.Unlock()
			b.total++ // a race
		}()
	}
	wg.Wait()
	for i, a := range b.accounts {
		println(i, a.balance, len(a.log), results[i])
	}
}
