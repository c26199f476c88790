// assumed: nothing
package main

import (
	"math/rand"
	"sync"
	"time"
)

type meter struct {
	mu   sync.Mutex
	took time.Duration
}

func (m *meter) set(d time.Duration) {
	m.mu.Lock()
	m.took = d
	m.mu.Unlock()
}

func (m *meter) slow() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.took > 100*time.Microsecond
}

func sometimes() bool { return rand.Intn(2) == 1 }

func passed(start time.Time) time.Duration {
	if sometimes() {
		return time.Now().Sub(start)
	}
	return 0
}

// The duration is either constant or computed from the clock, and in both cases it is short.
func main() {
	m := &meter{}
	start := time.Now()
	done := make(chan bool)
	go func() {
		m.set(passed(start))
		done <- true
	}()
	<-done
	if m.slow() {
		panic("slow")
	}
}
