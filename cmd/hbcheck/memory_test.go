package main

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// gcPercent returns the collector's pace.
func gcPercent() int {
	p := debug.SetGCPercent(100)
	debug.SetGCPercent(p)
	return p
}

// TestPace: of several paces the largest counts, in whatever order they end. When all have ended,
// the earlier pace is restored. A large heap does not grow by more than mostRoom.
func TestPace(t *testing.T) {
	t.Setenv("GOGC", "")
	defer debug.SetGCPercent(debug.SetGCPercent(120))
	paces.room = 1 << 50
	defer func() { paces.room = mostRoom }()
	for _, firstEnds := range []bool{false, true} {
		first, second := pace(300), pace(800)
		if got := gcPercent(); got != 800 {
			t.Errorf("%d percent with two paces, want 800", got)
		}
		want := 300
		if firstEnds {
			want = 800
			first()
		} else {
			second()
		}
		if got := gcPercent(); got != want {
			t.Errorf("%d percent with one pace, want %d", got, want)
		}
		first()
		second()
		if got := gcPercent(); got != 120 {
			t.Errorf("%d percent after both, want 120", got)
		}
	}
	paces.room = mostRoom
	for _, test := range []struct {
		percent int
		live    uint64
		want    int
	}{{800, 10 << 20, 800}, {800, 128 << 20, 800}, {800, 256 << 20, 400}, {800, 4 << 30, 25}, {300, 512 << 20, 200}} {
		if got := paces.bounded(test.percent, test.live); got != test.want {
			t.Errorf("bounded(%d, %d) = %d, want %d", test.percent, test.live, got, test.want)
		}
	}
}

// TestTight: for findings in a large program, the heap grows by mostRoom or leastPercent at most, and never
// by more than without a pace.
func TestTight(t *testing.T) {
	for _, test := range []struct {
		tight bool
		live  uint64
		want  int
	}{
		{false, 128 << 20, 300}, {false, 1 << 30, 100}, {false, 4 << 30, 100},
		{true, 128 << 20, 100}, {true, 1 << 30, 100}, {true, 5 << 28, 80}, {true, 4 << 30, leastPercent},
	} {
		p := &pacer{room: mostRoom, active: []int{findPercent}, before: 100, tight: test.tight}
		if got := p.percent(test.live); got != test.want {
			t.Errorf("%d percent for %d MB (tight: %v), want %d", got, test.live>>20, test.tight, test.want)
		}
	}
}

// TestPaceFollows: while a pace is in effect it follows the heap.
func TestPaceFollows(t *testing.T) {
	t.Setenv("GOGC", "")
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	defer pace(1000)()
	data := make([]byte, 300<<20)
	for range 100 {
		runtime.GC()
		if gcPercent() < 1000 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if got := gcPercent(); got < 100 || got > 341 {
		t.Errorf("%d percent with 300 MB", got)
	}
	runtime.KeepAlive(data)
}
