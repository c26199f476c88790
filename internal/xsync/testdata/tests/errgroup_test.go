package xsync

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"
)

// The first error is returned by Wait and cancels the context; the other
// goroutine waits for that.
func TestErrgroupContext(t *testing.T) {
	boom := errors.New("boom")
	g, ctx := errgroup.WithContext(context.Background())
	g.Go(func() error { return boom })
	g.Go(func() error {
		<-ctx.Done()
		return ctx.Err()
	})
	if err := g.Wait(); err != boom {
		t.Errorf("Wait: %v, want %v", err, boom)
	}
	if err := context.Cause(ctx); err != boom {
		t.Errorf("cause of the context: %v, want %v", err, boom)
	}
}

// One of two errors is returned.
func TestErrgroupTwoErrors(t *testing.T) {
	e1, e2 := errors.New("one"), errors.New("two")
	var g errgroup.Group
	g.Go(func() error { return e1 })
	g.Go(func() error { return e2 })
	if err := g.Wait(); err != e1 && err != e2 {
		t.Errorf("Wait: %v", err)
	}
}

// What goroutines have written is there when Wait returns: nobody reads it before.
func TestErrgroupJoins(t *testing.T) {
	var g errgroup.Group
	x, y := 0, 0
	g.Go(func() error { x = 1; x++; return nil })
	g.Go(func() error { y = 1; y++; return nil })
	if err := g.Wait(); err != nil || x+y != 4 {
		t.Errorf("%d and %d, %v", x, y, err)
	}
}

// No more goroutines run at a time than the limit allows.
func TestErrgroupLimit(t *testing.T) {
	var g errgroup.Group
	g.SetLimit(1)
	var running, ran atomic.Int32
	for range 3 {
		g.Go(func() error {
			if running.Add(1) > 1 {
				t.Error("two at a time")
			}
			running.Add(-1)
			ran.Add(1)
			return nil
		})
	}
	if err := g.Wait(); err != nil || ran.Load() != 3 {
		t.Errorf("%d have run, %v", ran.Load(), err)
	}
}
