// Package races has goroutines that access what others access.
package races

import "sync"

func After() int {
	x := 0
	go func() { x = 1 }() // want HBA401 "data race: x is written here and read at races.go:9"
	return x
}

func Chan() int {
	x := 0
	done := make(chan bool)
	go func() {
		x = 1
		close(done)
	}()
	<-done
	return x
}

func Before() int {
	x := 0
	x = 1
	done := make(chan int)
	go func() { done <- x }()
	return <-done
}

func Each(list []int) (sum int) {
	var wg sync.WaitGroup
	for _, n := range list {
		wg.Go(func() {
			sum += n // want HBA401 "data race: sum is written here by each of several goroutines"
		})
	}
	wg.Wait()
	return sum
}

func RightEach(list []int) []int {
	var wg sync.WaitGroup
	out := make([]int, len(list))
	for i, n := range list {
		wg.Go(func() { out[i] = n * n })
	}
	wg.Wait()
	return out
}

func RightLocked(list []int) (sum int) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	for _, n := range list {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			sum += n
		})
	}
	wg.Wait()
	return sum
}

func Map(keys []string) map[string]int {
	m := map[string]int{}
	var wg sync.WaitGroup
	for _, k := range keys {
		wg.Add(1)
		go func() {
			defer wg.Done()
			m[k] = len(k) // want HBA401 "data race: m is written here by each of several goroutines"
		}()
	}
	wg.Wait()
	return m
}

func Err(f, g func() error) error {
	var err error
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		err = f() // want HBA401 "data race: err is written here and written at"
	}()
	go func() {
		defer wg.Done()
		err = g()
	}()
	wg.Wait()
	return err
}

func RightErr(f, g func() error) error {
	var err, err2 error
	var wg sync.WaitGroup
	wg.Go(func() { err = f() })
	wg.Go(func() { err2 = g() })
	wg.Wait()
	if err == nil {
		err = err2
	}
	return err
}

type T struct {
	n    int
	stop chan bool
}

func (t *T) Start() {
	go t.loop()
	t.n = 1
}

func (t *T) loop() {
	t.n++ // want HBA401 "data race: t.n is written here and written at"
	<-t.stop
}

func (t *T) RightStart() {
	t.n = 1
	go t.loop()
}

func (t *T) Wait() { t.stop <- true }

func RightPerIteration(list []int) {
	for i := 0; i < len(list); i++ {
		go func() { print(i) }()
	}
}

func RightSignal() int {
	x := 0
	start, done := make(chan bool), make(chan bool)
	go func() {
		<-start
		x++
		done <- true
	}()
	x = 1
	start <- true
	<-done
	return x
}

type group struct{ wg sync.WaitGroup }

func (g *group) Go(f func()) {
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		f()
	}()
}

func Group(list []int) (sum int) {
	var g group
	for _, n := range list {
		g.Go(func() {
			sum += n // want HBA401 "data race: sum is written here by each of several goroutines"
		})
	}
	g.wg.Wait()
	return sum
}

type cell struct{ n int }

// Count may find a cell twice in the list.
func Count(list []*cell) {
	for _, x := range list {
		go func() {
			x.n++ // want HBA401 "data race: list\\[\\.\\.\\.\\]\\.n is written here by each of several goroutines" medium
		}()
	}
}

// RightCollect waits for each goroutine in a second loop.
func RightCollect(list []*cell) []*cell {
	done := make(chan bool, len(list))
	for i := range list {
		go func() {
			print(list[i])
			done <- true
		}()
	}
	for i := 0; i < cap(done); i++ {
		<-done
	}
	list = nil
	return list
}

// Collect waits only for the goroutines whose cells count.
func Collect(list []*cell) []*cell {
	done := make(chan bool, len(list))
	for i := range list {
		go func() {
			print(list[i])
			done <- true
		}()
	}
	for i := 0; i < cap(done); i++ {
		if i%2 == 0 {
			<-done
		}
	}
	list = nil // want HBA401 "data race: list is written here and read"
	return list
}

// CollectBefore waits for other goroutines before it starts its own.
func CollectBefore(list []*cell, tokens chan bool) []*cell {
	for i := range list {
		<-tokens
		go func() { print(list[i]) }()
	}
	list = nil // want HBA401 "data race: list is written here and read"
	return list
}
