package main

import (
	"context"
	"strings"
	"testing"
	"time"
)

// TestMemoryWatch: an exploration ends at the first check that finds too much memory in use.
func TestMemoryWatch(t *testing.T) {
	w := &memoryWatch{budget: 3 << 20, most: 100}
	ticks := make(chan time.Time)
	used := []uint64{10, 100, 50, 101, 10}
	look := 0
	ctx, cancel := w.watchAt(t.Context(), ticks, func() uint64 {
		look++
		return used[look-1]
	})
	defer cancel()
	for range 3 {
		ticks <- time.Time{}
	}
	if ctx.Err() != nil {
		t.Error("stopped too early")
	}
	ticks <- time.Time{}
	<-ctx.Done()
	if why := context.Cause(ctx).Error(); look != 4 || !strings.HasPrefix(why, "stopped at the memory budget of 3 MiB (--max-memory)") {
		t.Errorf("after %d looks: %s", look, why)
	}
	if n := inUse(); n < 1<<20 || n > 1<<40 {
		t.Errorf("%d bytes in use", n)
	}
}
