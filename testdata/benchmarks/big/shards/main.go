// 64 goroutines update a map in 16 shards.
package main

import (
	"fmt"
	"hash/fnv"
	"sync"
)

type shard struct {
	sync.RWMutex
	m map[string]int
}

type Map [16]*shard

func (m *Map) shard(key string) *shard {
	h := fnv.New32a()
	h.Write([]byte(key))
	return m[h.Sum32()%uint32(len(m))]
}

func (m *Map) Add(key string, n int) {
	s := m.shard(key)
	s.Lock()
	s.m[key] += n
	s.Unlock()
}

func (m *Map) Get(key string) int {
	s := m.shard(key)
	s.RLock()
	defer s.RUnlock()
	return s.m[key]
}

func main() {
	var m Map
	for i := range m {
		m[i] = &shard{m: make(map[string]int)}
	}
	var wg sync.WaitGroup
	for g := range 64 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 100 {
				key := fmt.Sprint("key", (g*7+i)%50)
				m.Add(key, 1)
				m.Get(key)
			}
		}()
	}
	wg.Wait()
	sum := 0
	for i := range 50 {
		sum += m.Get(fmt.Sprint("key", i))
	}
	if sum != 6400 {
		panic(sum)
	}
}
