package errgroup

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

func TestFirst(t *testing.T) {
	g, ctx := WithContext(context.Background())
	e1, e2 := errors.New("1"), errors.New("2")
	g.Go(func() error { return e1 })
	g.Go(func() error { return e2 })
	g.Go(func() error { <-ctx.Done(); return ctx.Err() })
	err := g.Wait()
	if err != e1 && err != e2 {
		t.Errorf("error %v", err)
	}
	if context.Cause(ctx) != err {
		t.Errorf("cause %v, error %v", context.Cause(ctx), err)
	}
}

func TestLimit(t *testing.T) {
	var g Group
	g.SetLimit(1)
	var n atomic.Int32
	for range 3 {
		g.Go(func() error {
			if n.Add(1) > 1 {
				t.Error("two at a time")
			}
			n.Add(-1)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
}
