package main

import "sync"

type key struct {
	a int8
	s string
}

func main() {
	var mu sync.Mutex
	m := map[any]int{1: 1, "two": 2, key{3, "x"}: 3, 4.0: 4}
	f := map[float64]*int{}
	nan := 0.0
	nan = nan / nan
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			mu.Lock()
			for k, v := range m {
				if v%2 == i {
					delete(m, k)
					m[key{int8(v), "y"}] = v + 10
				}
			}
			x := i
			f[nan] = &x
			f[float64(i)] = &x
			mu.Unlock()
			mu.Lock()
			delete(f, 0)
			if i == 1 {
				clear(m)
			}
			for k := range 12 {
				m[k] = k * i
			}
			mu.Unlock()
		})
	}
	wg.Wait()
	sum := 0
	for _, v := range m {
		sum += v
	}
	for _, p := range f {
		sum += *p
	}
	println(len(m), len(f), sum)
}
