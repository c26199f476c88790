package explore_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
)

// helpers are an explore.Elsewhere of helpers in this process, each with a machine of its own.
type helpers struct {
	t     *testing.T
	entry explore.Entry
	opts  explore.Options
	due   int // a piece ends when it has asked so often
	room  chan bool

	mu      sync.Mutex
	idle    map[string][]*explore.Helper
	pieces  atomic.Uint64
	refused atomic.Uint64
}

func newHelpers(t *testing.T, n int, e explore.Entry, o explore.Options, due int) *helpers {
	h := &helpers{t: t, entry: e, opts: o, due: due, room: make(chan bool, n), idle: make(map[string][]*explore.Helper)}
	for range n {
		h.room <- true
	}
	return h
}

func (h *helpers) Workers() int { return cap(h.room) }

func (h *helpers) Acquire(stop func() bool) bool {
	for !h.TryAcquire() {
		if stop() {
			return false
		}
		time.Sleep(100 * time.Microsecond)
	}
	return true
}

func (h *helpers) TryAcquire() bool {
	select {
	case <-h.room:
		return true
	default:
		return false
	}
}

func (h *helpers) Release() { h.room <- true }

func (h *helpers) Explore(p explore.Piece, stop func() bool) (result []byte, ok bool) {
	defer h.Release()
	key := string(p.Search)
	h.mu.Lock()
	var x *explore.Helper
	if list := h.idle[key]; len(list) > 0 {
		x, h.idle[key] = list[0], list[1:]
	}
	h.mu.Unlock()
	var err error
	if x == nil {
		if x, err = explore.NewHelper(context.Background(), h.entry, h.opts, p.Search); err != nil {
			h.t.Error(err)
			return nil, false
		}
	}
	asked := 0
	result, err = x.Explore(context.Background(), p, func() bool {
		asked++
		return asked > h.due
	})
	if err != nil {
		if !errors.Is(err, explore.ErrRefused) {
			h.t.Error(err)
		}
		if strings.Contains(err.Error(), "goroutine ") {
			h.t.Error(err) // a panic
		}
		h.refused.Add(1)
		x.Close()
		return nil, false
	}
	h.pieces.Add(1)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.idle[key] = append(h.idle[key], x)
	return result, true
}

// TestElsewhere: a search with pieces that others explore, with machines of their own, finds the same.
func TestElsewhere(t *testing.T) {
	sets := []progen.Features{progen.All, progen.Locks | progen.Groups | progen.Atomics, progen.Chans | progen.Locks, progen.Chans | progen.Selects | progen.Trying, progen.Locks | progen.Maps | progen.Prints}
	samples := slices.DeleteFunc(explorers.All(), func(e *por.Explorer) bool { return !e.Samples })
	pieces, refused, total := uint64(0), uint64(0), 0
	for p, e := range generatedFrom(t, sets, deep.Seed(), uint64(deep.N(12, 500))) {
		i := int(p.Seed-deep.Seed()) % perBatch
		total++
		for _, name := range []string{"optimal", samples[i%len(samples)].Name} {
			o := explore.Options{POR: explorers.Lookup(name), All: i%3 != 0, Outcomes: i%2 == 0, MaxExecs: 300, MaxSteps: 500, NoMinimise: true, Seed: p.Seed}
			switch i % 7 {
			case 3:
				o.MaxExecs = uint64(i)
			case 5:
				o.MaxSteps = 10
			}
			if name != "optimal" {
				o.MaxExecs = 300 + 3000*uint64(i/4%3/2)
			}
			want := runJobs(t, e, o)
			if name == "optimal" {
				o.POR = explorers.With("optimal", "eager", "true")
			}
			h := newHelpers(t, 1+i%3, e, o, []int{1, 5, 20, 50}[i%4])
			o.Elsewhere = h
			if got := runJobs(t, e, o); !reflect.DeepEqual(want, got) {
				t.Errorf("%s, seed %d: not the same result\n got %s\nwant %s\n%s", name, p.Seed, resultText(got), resultText(want), p.Source())
			}
			pieces, refused = pieces+h.pieces.Load(), refused+h.refused.Load()
			if testing.Verbose() {
				t.Logf("%s %d: %d executions, %d pieces, %d refused", name, p.Seed, want.Stats.Executions, h.pieces.Load(), h.refused.Load())
			}
		}
	}
	t.Logf("%d programs, %d pieces, %d refused", total, pieces, refused)
	if pieces < uint64(total) {
		t.Errorf("%d programs had only %d pieces", total, pieces)
	}
}
