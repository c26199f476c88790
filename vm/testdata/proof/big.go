package main

import "sync"

type tree struct {
	left, right *tree
	n           int
}

func build(d int) *tree {
	if d == 0 {
		return nil
	}
	return &tree{build(d - 1), build(d - 1), d}
}

func (t *tree) size() int {
	if t == nil {
		return 0
	}
	return 1 + t.left.size() + t.right.size()
}

func deep(n int, c chan int) int {
	var pad [40]int
	pad[n%40] = n
	if n == 0 {
		c <- 1
		return <-c
	}
	return deep(n-1, c) + pad[n%40]
}

var table [5000]int

func main() {
	var wg sync.WaitGroup
	var mu sync.Mutex
	buf := make([]byte, 20000)
	ptrs := make([]*tree, 3000)
	c := make(chan int, 2)
	for i := range 5 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			t := build(4)
			for range 3 {
				t = build(t.size() % 5)
			}
			mu.Lock()
			table[i*999] += 3
			for k := range 30 {
				buf[k*600+i] = byte(i)
			}
			ptrs[i*500] = build(2)
			copy(buf[9000:], buf[:1500])
			mu.Unlock()
		}()
	}
	go func() { c <- deep(60, c) }()
	wg.Wait()
	sum := 0
	for _, b := range buf {
		sum += int(b)
	}
	println(sum, table[999], ptrs[500].size(), len(c) <= 2)
}
