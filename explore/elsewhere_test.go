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

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// helpers are an explore.Elsewhere of helpers in this process, each with a machine of its own.
type helpers struct {
	t     *testing.T
	entry explore.Entry
	opts  explore.Options
	due   int // a piece ends after this number of calls of its due
	room  chan bool

	mu      sync.Mutex
	idle    map[string][]*explore.Helper
	boards  []*por.Board // of helpers that were not usable
	shown   [][]byte     // what the search has published
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

func (h *helpers) Acquire(over <-chan struct{}) bool {
	select {
	case <-over:
		return false
	case <-h.room:
		return true
	}
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

func (h *helpers) Publish(data []byte) (number int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.shown = append(h.shown, data)
	return len(h.shown)
}

func (h *helpers) fetch(number int) ([]byte, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.shown[number-1], nil
}

// board returns the board of a helper that was not usable, or a new one.
func (h *helpers) board() *por.Board {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := len(h.boards); n > 0 {
		b := h.boards[n-1]
		h.boards = h.boards[:n-1]
		return b
	}
	return &por.Board{Fetch: h.fetch}
}

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
		if x, err = explore.NewHelper(context.Background(), h.entry, h.opts, p.Search, h.board()); err != nil {
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
		h.mu.Lock()
		defer h.mu.Unlock()
		h.boards = append(h.boards, x.Board())
		return nil, false
	}
	h.pieces.Add(1)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.idle[key] = append(h.idle[key], x)
	return result, true
}

// TestElsewhere: a search whose pieces helpers explore, with machines of their own, has the same findings.
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

// TestElsewherePortfolio: if helpers explore pieces of the first of several explorers, the answer does not
// change: neither its explorer nor its counts.
func TestElsewherePortfolio(t *testing.T) {
	sample := func(name string) explore.Options {
		return explore.Options{POR: explorers.Lookup(name), MaxExecs: 100, MaxSteps: 2000}
	}
	pieces, cut, total := uint64(0), 0, 0
	check := func(name string, e explore.Entry, all bool, n int) {
		t.Helper()
		total++
		p := &explore.Portfolio{Searches: []explore.Options{{POR: explorers.Lookup("optimal"), All: all, Outcomes: all, MaxSteps: 2000, MaxExecs: 20_000},
			{POR: explorers.Lookup("jpf"), Match: true, All: all, Outcomes: all, MaxSteps: 2000, MaxStates: 20_000}}}
		if !all {
			p.Samples = []explore.Options{sample("surw"), sample("pos")}
			p.Graded = &explore.Options{POR: explorers.Lookup("jpf"), Match: true, LimitPreempt: true, MaxSteps: 2000}
		}
		o := explore.Options{All: all, Portfolio: p}
		want := runJobs(t, e, o)
		if n%2 == 0 {
			p.Searches[0].POR = explorers.With("optimal", "eager", "true")
		}
		h := newHelpers(t, n, e, o, 20*n)
		o.Elsewhere = h
		if got := runJobs(t, e, o); !reflect.DeepEqual(want, got) {
			t.Errorf("%s, %d helpers: not the same result by %s\n got %s\nwant %s", name, n, want.POR, resultText(got), resultText(want))
		}
		if h.pieces.Load() > 0 {
			cut++
		}
		pieces += h.pieces.Load()
		if testing.Verbose() {
			t.Logf("%s: %v by %s, %d executions, %d pieces, %d refused", name, want.Verdict, want.POR, want.Stats.Executions, h.pieces.Load(), h.refused.Load())
		}
	}
	for i, name := range []string{"smc/readers 8", "smc/lastzero 7", "smc/fibbench 3", "smc/exponentialbug 2"} {
		if !deep.Every(2, i) {
			continue
		}
		args := strings.Fields(name)
		prog, entry := benchmark(t, args[0])
		e := explore.Entry{Package: args[0], Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
			return describe.NewMachine(prog, entry, vm.Config{Args: args, Races: true, Interrupt: interrupted})
		}}
		for n := 1; n <= 3; n++ {
			check(name, e, n%2 == 0, n)
			check(name, e, n%2 == 1, n)
		}
	}
	sets := []progen.Features{progen.Locks | progen.Groups | progen.Atomics, progen.All, progen.Chans | progen.Locks | progen.Atomics}
	for p, e := range generatedFrom(t, sets, deep.Seed(), uint64(deep.N(12, 500))) {
		check(p.Name, e, p.Seed%2 == 0, 1+int(p.Seed%3))
	}
	t.Logf("%d searches, %d cut, %d pieces", total, cut, pieces)
	if cut == 0 {
		t.Error("nothing was cut")
	}
}

// TestElsewhereNew: a goroutine, function or place that first occurs in a piece gets the number that one
// worker would assign. Here the last of three goroutines starts another one, whose bug is a finding of its
// own.
func TestElsewhereNew(t *testing.T) {
	prog := vmtest.Load(t, `package main
import "sync"
func main() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	n := 0
	for g := range 3 {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			if n++; n == 3 {
				wg.Go(func() { mu.Lock(); println(g); mu.Unlock(); panic(g) })
			}
		})
	}
	wg.Wait()
}`)
	e := explore.Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
		return describe.NewMachine(prog, prog.Entries[0], vm.Config{Races: true, Interrupt: interrupted})
	}}
	for n := 1; n <= 3; n++ {
		o := explore.Options{POR: explorers.Lookup("optimal"), All: true, Outcomes: true, NoMinimise: true}
		want := runJobs(t, e, o)
		if want.Stats.Counters.Goroutines != 1+3+3 || len(want.Bugs) < 3 {
			t.Fatalf("%d goroutines, %d bugs", want.Stats.Counters.Goroutines, len(want.Bugs))
		}
		o.POR = explorers.With("optimal", "eager", "true")
		h := newHelpers(t, n, e, o, 5)
		o.Elsewhere = h
		if got := runJobs(t, e, o); !reflect.DeepEqual(want, got) {
			t.Errorf("%d helpers: not the same result\n got %s\nwant %s", n, resultText(got), resultText(want))
		}
		if h.refused.Load() == 0 {
			t.Errorf("%d helpers: none has refused a piece that shows something new", n)
		}
	}
}
