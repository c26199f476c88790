package main

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestMarket: there is room for as many pieces as workers wait, however many goroutines of the search
// wait for room, and however often the exchange asks.
func TestMarket(t *testing.T) {
	m := &pieceExchange{room: make(chan bool, mostPieces), short: true, ctx: t.Context()}
	m.start.Do(func() {})
	var taken atomic.Int64
	over := make(chan struct{})
	var all sync.WaitGroup
	for range mostPieces {
		all.Go(func() {
			if m.Acquire(over) {
				taken.Add(1)
			}
		})
	}
	time.Sleep(20 * time.Millisecond) // they wait
	for range 3 {
		m.offer(2, 0, nil)
		time.Sleep(20 * time.Millisecond)
	}
	if n := taken.Load(); n != 2 {
		t.Errorf("%d proxies have room, two workers wait", n)
	}
	m.offer(0, 1, nil)
	m.Release() // a task waits: it is not the time for another piece
	m.offer(1, 1, nil)
	time.Sleep(20 * time.Millisecond)
	if n := taken.Load(); n != 2 {
		t.Errorf("%d proxies have room, want 2", n)
	}
	m.offer(2, 0, nil) // one of these workers is that whose room is held
	time.Sleep(20 * time.Millisecond)
	if n := taken.Load(); n != 3 {
		t.Errorf("%d proxies have room, want 3", n)
	}
	close(over)
	ended := make(chan struct{})
	go func() {
		all.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Fatal("a search that is over waits for room")
	}
	m.offer(mostPieces, 0, nil)
	for range mostPieces {
		if m.Acquire(over) {
			t.Fatal("a search that is over has room")
		}
	}
}
