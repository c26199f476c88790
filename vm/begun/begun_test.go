package begun

import (
	"strings"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/load"
)

func begin(all *load.Kept, key int) (*Work, bool) {
	return Begin(all, key, func(other any) bool { return other == key })
}

// work begins work that asks until quit is closed whether it is dropped.
func work(t *testing.T, all *load.Kept, key int, quit chan struct{}) *Work {
	t.Helper()
	w, first := begin(all, key)
	if !first {
		t.Fatal("equal work has begun")
	}
	w.RunBeside(func() {
		for !w.Suspend() {
			select {
			case <-quit:
				return
			case <-time.After(time.Millisecond):
			}
		}
	})
	return w
}

// awaitSuspended waits until w is suspended.
func awaitSuspended(t *testing.T, w *Work) {
	t.Helper()
	for range 6000 {
		w.all.Lock()
		suspended := w.suspended
		w.all.Unlock()
		if suspended {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("work that no search waits for goes on for a minute")
}

func yes() bool { return true }

// TestOnce: while work is being done, a search that needs the same work waits until the work has
// ended or the wait is interrupted. A search that needs other work does not wait.
func TestOnce(t *testing.T) {
	var all load.Kept
	x, first := begin(&all, 1)
	if !first {
		t.Fatal("the first one waits")
	}
	asked := 0
	if y, first := begin(&all, 1); first || y.Wait(func() bool { asked++; return true }) || asked != 1 {
		t.Errorf("the second one: first %v, asked %d times whether it is interrupted", first, asked)
	}
	waited := make(chan bool, 1)
	if y, first := begin(&all, 1); first {
		waited <- false
	} else {
		go func() { waited <- y.Wait(nil) }()
	}
	nothing := func() {}
	if y, first := begin(&all, 2); !first {
		t.Error("other work waits")
	} else {
		y.Run(nothing)
	}
	x.Run(nothing)
	if !<-waited {
		t.Error("the third one has not waited until the end")
	}
	if y, first := begin(&all, 1); !first {
		t.Error("after the end another one waits")
	} else {
		y.Run(nothing)
	}
}

// TestContinued: work that no search waits for is suspended, and the next search that needs it continues it.
func TestContinued(t *testing.T) {
	var all load.Kept
	quit := make(chan struct{})
	w := work(t, &all, 1, quit)
	if w.Wait(yes) {
		t.Error("an interrupted search waits")
	}
	awaitSuspended(t, w)
	again, first := begin(&all, 1)
	if first || again != w {
		t.Error("suspended work begins again")
	}
	close(quit)
	if !again.Wait(nil) {
		t.Error("the work has not ended")
	}
}

// TestDropped: work that no search needs any more is dropped, and so is the oldest one if many are suspended.
// The next search begins it again.
func TestDropped(t *testing.T) {
	var all load.Kept
	quit := make(chan struct{})
	defer close(quit)
	var list []*Work
	for i := range mostSuspended + 1 {
		w := work(t, &all, i, quit)
		w.Wait(yes)
		awaitSuspended(t, w)
		list = append(list, w)
	}
	<-list[0].ended
	for i, w := range list[1:] {
		select {
		case <-w.ended:
			t.Errorf("number %d is dropped, which is not the oldest one", i+1)
		default:
		}
	}
	list[1].drop()
	<-list[1].ended
	if _, first := begin(&all, 1); !first {
		t.Error("a search waits for work that was dropped")
	}
}

// TestPanics: a panic in work beside a search is a panic of the search.
func TestPanics(t *testing.T) {
	var all load.Kept
	w, _ := begin(&all, 1)
	w.RunBeside(func() { panic("BUG: mine") })
	if !w.Wait(nil) || w.Panicked == nil || !strings.Contains(w.Panicked.(string), "BUG: mine") {
		t.Errorf("panicked: %v", w.Panicked)
	}
}
