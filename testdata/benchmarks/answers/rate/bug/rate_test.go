package rate

import (
	"context"
	"testing"
	"time"
)

func TestWait(t *testing.T) {
	l := New(10*time.Millisecond, 1)
	defer l.Stop()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	for i := range 3 {
		if err := l.Wait(ctx); err != nil {
			t.Errorf("token %d: %v", i, err)
		}
	}
}

func TestStop(t *testing.T) {
	l := New(10*time.Millisecond, 2)
	if err := l.Wait(context.Background()); err != nil {
		t.Error(err)
	}
	time.Sleep(50 * time.Millisecond)
	l.Stop()
}
