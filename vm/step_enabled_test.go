package vm

import (
	"math/rand/v2"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// TestEnabledKept: random executions, with and without gliding, of programs in which a step enables or
// disables others. The machine compares the kept set with a scan after each step (CheckState).
func TestEnabledKept(t *testing.T) {
	for name, src := range map[string]string{
		"locks": `package main
import "sync"
var (
	mu sync.Mutex
	rw sync.RWMutex
	n  int
)
func main() {
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			mu.Lock()
			n++
			mu.Unlock()
			if i%2 == 0 { rw.RLock(); _ = n; rw.RUnlock() } else { rw.Lock(); n++; rw.Unlock() }
		})
	}
	wg.Wait()
}`,
		"channels": `package main
func main() {
	a, b, done := make(chan int), make(chan int, 1), make(chan bool)
	for range 3 {
		go func() {
			for {
				select {
				case v := <-a: b <- v
				case <-done: return
				}
			}
		}()
	}
	for i := range 3 { a <- i; <-b }
	close(done)
}`,
		"a receiver comes": `package main
var x int
func main() {
	c := make(chan int)
	for range 3 { go func() { c <- 1 }() }
	for range 3 { x = 1; x = 2; <-c }
}`,
		"conditions": `package main
import "sync"
var ready int
func main() {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	for range 3 {
		go func() {
			mu.Lock()
			for ready == 0 { c.Wait() }
			ready--
			mu.Unlock()
		}()
	}
	for range 3 { mu.Lock(); ready++; mu.Unlock(); c.Signal() }
	mu.Lock(); ready++; mu.Unlock(); c.Broadcast()
}`,
		"timers": `package main
import ("sync"; "time"; "context")
func main() {
	var wg sync.WaitGroup
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	for i := range 3 {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * time.Second)
			select { case <-time.After(2 * time.Second): case <-ctx.Done(): }
		})
	}
	wg.Wait()
}`,
		"loops that wait": `package main
import ("runtime"; "sync/atomic")
func main() {
	var turn atomic.Int32
	for i := range 3 {
		go func() {
			for turn.Load() != int32(i) { runtime.Gosched() }
			turn.Add(1)
		}()
	}
	for turn.Load() != 3 { runtime.Gosched() }
}`,
		"a lock is overwritten": `package main
import "sync"
var x int
func main() {
	mu := new(sync.Mutex)
	mu.Lock()
	for range 2 { go func() { mu.Lock(); x++; mu.Unlock() }() }
	x = 1
	*mu = sync.Mutex{}
	x = 2
}`,
		"a channel is written by another name": `package main
import "unsafe"
var x int
func main() {
	c := make(chan int, 1)
	p := *(**[5]uint64)(unsafe.Pointer(&c))
	go func() { <-c; x = 4 }()
	x = 1
	p[0] = 1
	x = 2
	p[0] = 0
	c <- 1
}`,
		"goroutines come between those who wait": `package main
import "sync"
func main() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			mu.Lock()
			wg.Go(func() { mu.Lock(); mu.Unlock() })
			mu.Unlock()
			mu.Lock()
			mu.Unlock()
		})
	}
	wg.Wait()
}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := source(t, src)
			glided := 0
			for i := range uint64(deep.N(40, 400)) {
				m := s.machine(t, Config{Check: CheckState, OrderedTime: i%2 == 0, Races: true})
				if i%3 != 0 {
					m.Await(AwaitChange)
				}
				r := rand.New(rand.NewPCG(i, 5))
				for range 400 {
					enabled := m.Enabled(nil)
					if len(enabled) == 0 {
						break
					}
					g := enabled[r.IntN(len(enabled))]
					if i%4 != 0 {
						m.Glide(r.IntN(6))
					}
					m.Step(g, r.IntN(max(1, m.Alternatives(g))))
					glided += m.Glided()
				}
			}
			t.Logf("%d steps glided", glided)
		})
	}
}

// TestEnabledMany: with many goroutines the kept set is that of a scan, in the same order.
func TestEnabledMany(t *testing.T) {
	s := source(t, `package main
import "sync"
func main() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	c, n := make(chan int), 0
	for i := range 150 {
		wg.Add(2)
		go func() { defer wg.Done(); mu.Lock(); n++; mu.Unlock(); c <- i }()
		go func() { defer wg.Done(); <-c; mu.Lock(); n--; mu.Unlock() }()
	}
	wg.Wait()
}`)
	m := s.machine(t, Config{Races: true})
	r := rand.New(rand.NewPCG(1, 2))
	kept, root := 0, m.Mark()
	for run := range 2 {
		for step := range 3000 {
			var enabled []trace.GID
			known := m.knowsEnabled()
			if enabled = m.Enabled(nil); known {
				kept++
				if scan := m.scanEnabled(nil); !slices.Equal(enabled, scan) {
					t.Fatalf("run %d, step %d: %d goroutines are enabled, a scan finds %d", run, step, len(enabled), len(scan))
				}
			}
			if len(enabled) == 0 {
				break
			}
			g := enabled[r.IntN(len(enabled))]
			m.Glide(100)
			m.Step(g, r.IntN(max(1, m.Alternatives(g))))
		}
		m.Rewind(root)
	}
	if kept < 1000 {
		t.Errorf("the set is kept in %d states only", kept)
	}
}

// TestEnabledEnded: the kept set has none of the goroutines that have ended in the steps after a rewind, in
// which no set is kept.
func TestEnabledEnded(t *testing.T) {
	s := source(t, `package main
import "sync/atomic"
func main() {
	var n atomic.Int32
	for range 100 {
		go func() { n.Add(1); n.Add(1) }()
	}
}`)
	m := s.machine(t, Config{Races: true})
	r := rand.New(rand.NewPCG(1, 3))
	root := m.Mark()
	kept := 0
	for range 4 {
		var back []por.Mark
		for step := range 3000 {
			known := m.knowsEnabled()
			enabled := m.Enabled(nil)
			if known {
				kept++
				if scan := m.scanEnabled(nil); !slices.Equal(enabled, scan) {
					t.Fatalf("step %d: %d goroutines are enabled, a scan finds %d", step, len(enabled), len(scan))
				}
			}
			switch {
			case len(enabled) == 0:
			case r.IntN(8) == 0:
				back = append(back, m.Mark())
				fallthrough
			default:
				m.Step(enabled[r.IntN(len(enabled))], 0)
			}
			if len(back) > 0 && (len(enabled) == 0 || r.IntN(40) == 0) {
				keep := max(0, len(back)-1-r.IntN(6))
				for i := len(back) - 1; i >= keep; i-- {
					m.Rewind(back[i])
					m.Release(back[i])
				}
				back = back[:keep]
			}
		}
		for i := len(back) - 1; i >= 0; i-- {
			m.Release(back[i])
		}
		m.Rewind(root)
	}
	if kept < 1000 {
		t.Errorf("the set is kept in %d states only", kept)
	}
}
