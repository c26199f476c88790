package explore

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"hbcheck.dev/hbcheck/internal/saved"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/vm"
)

// Other processes may explore pieces of a search. The process of the search has a sender; each of the
// others has a Helper, with a machine of its own:
//
//	search ── Elsewhere.Explore(Piece) ──▶ Helper.Explore ── subsearch ──▶ Merge
//
// The machine of a helper is made equal to that of the search (vm.Machine.Learn). So both use the same
// numbers for goroutines, functions and places, and a helper's findings are like those of another worker
// (parallel.go). If the helper's machine has to assign a new number in a piece, the helper refuses the piece.
// Then the search explores that piece itself, and sends the new knowledge of its machine with the next piece.

// A sentSearch has the data that a helper needs about a search, besides the options of its entry.
type sentSearch struct {
	POR        string
	Refinement vm.Refinement
	Await      bool

	MaxExecs, Seed              uint64
	MaxSteps, Preempt, Dive     int
	StopTruncated, LimitPreempt bool
	All, Outcomes, DoubtsLeft   bool
}

// knowledge has everything that another machine needs to assign the same numbers as the machine of a
// search.
type knowledge struct {
	Machine  *vm.Saved
	Subtests []string
	Skipped  []string
}

// sender is the por.Elsewhere of a search.
type sender struct {
	Elsewhere
	s      *exploration
	search []byte

	mu       sync.Mutex
	known    []byte // the knowledge at the last Note
	numbered uint64
	stale    bool // a helper has assigned a number that is not in known
	unknown  bool // the machine's numbers have no serial form
}

// useElsewhere lets other processes explore pieces of the search.
func (s *exploration) useElsewhere() {
	x := &sender{Elsewhere: s.opts.Elsewhere, s: s, stale: true}
	o := &s.opts
	sent := sentSearch{POR: o.POR.Name, Refinement: s.m.Refinement(), Await: o.awaitLoops, MaxExecs: o.MaxExecs, Seed: o.Seed,
		MaxSteps: o.MaxSteps, Preempt: o.Preempt, Dive: o.dive, StopTruncated: o.StopTruncated, LimitPreempt: o.LimitPreempt,
		All: o.All, Outcomes: o.Outcomes, DoubtsLeft: o.doubtsLeft}
	var err error
	if x.search, err = saved.Marshal(&sent); err != nil {
		return
	}
	s.collector.divide()
	s.cfg.Elsewhere = x
}

// Note implements por.Elsewhere.
func (x *sender) Note() {
	m := x.s.m
	n := m.Numbered()
	x.mu.Lock()
	same := n == x.numbered && !x.stale || x.unknown
	x.mu.Unlock()
	if same {
		return
	}
	s, err := m.Save()
	if err != nil {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.unknown, x.known = true, nil
		return
	}
	s.Covered, s.Contended, s.Orders, s.Counters, s.Assumed, s.Existed, s.Pending = nil, nil, nil, vm.Counters{}, nil, nil, nil
	s.Steps, s.Objects, s.SinceGC, s.GCAt, s.ClockReads = 0, 0, 0, 0, min(s.ClockReads, 1)
	k := knowledge{Machine: s}
	k.Subtests, k.Skipped = m.Subtests()
	known, err := saved.Marshal(&k)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.numbered, x.stale, x.known = s.Numbers, false, known
	x.unknown = err != nil
}

// Explore implements por.Elsewhere.
func (x *sender) Explore(data []byte, stop func() bool) (result []byte, ok bool) {
	x.mu.Lock()
	p := Piece{x.search, x.known, data}
	x.mu.Unlock()
	if p.Known == nil {
		x.Release()
		return nil, false
	}
	result, ok = x.Elsewhere.Explore(p, stop)
	if !ok {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.stale = true
	}
	return result, ok
}

// Encode implements por.Sender.
func (c *collector) Encode(q por.Subsearch) ([]byte, error) { return saved.Marshal(q.(*subsearch)) }

// Decode implements por.Sender.
func (c *collector) Decode(data []byte) (por.Subsearch, error) {
	p := &subsearch{collector: newCollector(c.limit, c.m, c.opts)}
	return p, saved.Unmarshal(data, p)
}

// A Helper explores pieces of a search of another process, one at a time.
type Helper struct {
	s     *exploration
	board *por.Board // the board of the helper's search
	known []byte     // the knowledge that its machine has
	facts []byte     // facts of its machine when it had learned known
	clean bool       // the machine has exactly these facts
}

// ErrRefused is the error of a helper for a piece that the search has to explore itself.
var ErrRefused = errors.New("explore: the piece shows something of the program that is new")

// NewHelper returns a helper for a search of e, which has the given options; search is Piece.Search. The
// board may be that of an earlier helper that is no longer usable.
func NewHelper(ctx context.Context, e Entry, opts Options, search []byte, board *por.Board) (h *Helper, err error) {
	var sent sentSearch
	if err := saved.Unmarshal(search, &sent); err != nil {
		return nil, err
	}
	if p := (&portfolio{opts: &opts}); opts.Portfolio != nil {
		i := slices.IndexFunc(opts.Portfolio.Searches, func(x Options) bool { return x.POR.Name == sent.POR })
		if i < 0 {
			return nil, fmt.Errorf("explore: a piece of --por=%s", sent.POR)
		}
		opts = p.options(opts.Portfolio.Searches[i])
	}
	opts.Timeout, opts.Share, opts.spent = 0, false, 0
	opts.Elsewhere, opts.Keep, opts.Progress, opts.ProgressDue, opts.Jobs, opts.Trace = nil, nil, nil, nil, 0, nil
	if opts.POR == nil || opts.POR.Name != sent.POR || opts.POR.Piece == nil {
		return nil, fmt.Errorf("explore: a piece of --por=%s", sent.POR)
	}
	opts.awaitLoops, opts.MaxExecs, opts.Seed, opts.MaxSteps, opts.Preempt = sent.Await, sent.MaxExecs, sent.Seed, sent.MaxSteps, sent.Preempt
	opts.dive, opts.StopTruncated, opts.LimitPreempt, opts.All, opts.Outcomes = sent.Dive, sent.StopTruncated, sent.LimitPreempt, sent.All, sent.Outcomes
	opts.doubtsLeft = sent.DoubtsLeft
	s, err := prepare(ctx, e.refined(sent.Refinement), opts)
	if err != nil {
		return nil, err
	}
	s.collector.divide()
	s.cfg.Board = board
	return &Helper{s: s, board: board, clean: true}, nil
}

// Close releases the resources of the helper, except its board.
func (h *Helper) Close() {
	if h.s != nil {
		h.s.limit.release()
	}
	h.s, h.clean = nil, false
}

// Board returns the helper's board of the search.
func (h *Helper) Board() *por.Board { return h.board }

// Usable reports whether the helper can explore further pieces.
func (h *Helper) Usable() bool { return h.clean }

// Explore explores a piece, and returns the result. The error is ErrRefused if the search has to explore
// the piece itself, and that of ctx if ctx is done. When due returns true, Explore returns the rest of the
// piece unexplored.
func (h *Helper) Explore(ctx context.Context, p Piece, due func() bool) (result []byte, err error) {
	s := h.s
	if !h.clean {
		return nil, ErrRefused
	}
	h.clean = false
	defer func() {
		if x := recover(); x != nil { // the search explores the piece itself, and may panic in the same way
			result, err = nil, fmt.Errorf("%w: %v\n%s", ErrRefused, x, debug.Stack())
		}
	}()
	s.limit.ctx = ctx
	over := func() bool { return ctx.Err() != nil }
	if !bytes.Equal(p.Known, h.known) {
		var k knowledge
		if err := saved.Unmarshal(p.Known, &k); err != nil {
			return nil, err
		}
		if err := s.m.Learn(k.Machine, over); err != nil {
			return nil, cmp.Or(ctx.Err(), fmt.Errorf("%w: %v", ErrRefused, err))
		}
		s.m.RunSubtests(k.Subtests, k.Skipped)
		if h.facts, err = h.learned(); err != nil {
			return nil, err
		}
		h.known = p.Known
	}
	result, err = s.opts.POR.Piece(s.sys, s.collector, s.cfg, p.Data, due)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	facts, err := h.learned()
	if err != nil {
		return nil, err
	}
	//mutant: elsewhere: a piece may show what is new [test ./explore TestElsewhereNew]: "h.facts) ||" -> "h.facts) && false ||"
	if !bytes.Equal(facts, h.facts) || result == nil || s.m.NeedsRefining() {
		return nil, ErrRefused
	}
	h.clean = true
	return result, nil
}

// learned returns the knowledge of the machine in comparable form.
func (h *Helper) learned() ([]byte, error) {
	s, err := h.s.m.Save()
	if err != nil {
		return nil, err
	}
	facts := s.Facts()
	all, skipped := h.s.m.Subtests()
	return saved.Marshal(&facts, &all, &skipped)
}
