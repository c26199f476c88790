package main

import (
	"context"
	"sync"
	"testing"
)

// TestLoading: a task whose time is up while it loads a program leaves the loading to the next task
// that waits.
func TestLoading(t *testing.T) {
	l := &loading{turn: make(chan bool, 1)}
	first, end := context.WithCancel(t.Context())
	begun, want := make(chan bool), new(job)
	var all sync.WaitGroup
	all.Go(func() {
		j, err := l.get(first, func() (*job, error) {
			close(begun)
			<-first.Done()
			return nil, first.Err()
		})
		if j != nil || err == nil {
			t.Errorf("the first task has %v, %v", j, err)
		}
	})
	<-begun
	given, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.get(given, nil); err == nil { // it does not wait for the first one
		t.Error("a task whose time is up has the program")
	}
	end()
	for range 2 {
		j, err := l.get(t.Context(), func() (*job, error) { return want, nil })
		if j != want || err != nil {
			t.Errorf("another task has %v, %v", j, err)
		}
	}
	all.Wait()
}
