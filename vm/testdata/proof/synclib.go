package main

import (
	"sync"
	"sync/atomic"
)

type config struct {
	name string
	vals []int
}

func main() {
	var m sync.Map
	var p sync.Pool
	var once sync.Once
	var cur atomic.Pointer[config]
	var val atomic.Value
	var rw sync.RWMutex
	var n atomic.Int32
	cond := sync.NewCond(rw.RLocker())
	ready := false
	get := sync.OnceValue(func() *config { return &config{"once", []int{1}} })
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			once.Do(func() { m.Store("first", i) })
			v, _ := m.LoadOrStore(i, &config{name: "m", vals: make([]int, i)})
			c := v.(*config)
			c.vals = append(c.vals, len(get().vals))
			if cur.CompareAndSwap(nil, c) {
				val.Store(c.name)
			}
			p.Put(c)
			rw.Lock()
			ready = n.Add(1) == 2
			rw.Unlock()
			cond.Broadcast()
		})
	}
	rw.RLock()
	for !ready {
		cond.Wait()
	}
	rw.RUnlock()
	wg.Wait()
	if rw.TryLock() {
		println(cur.Load().name, len(cur.Load().vals), val.Load().(string))
		rw.Unlock()
	}
	x, _ := m.Load("first")
	println(x.(int), p.Get() != nil)
}
