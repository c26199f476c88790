package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nuid"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/internal/cluster"
	"hbcheck.dev/hbcheck/internal/cluster/jetstream"
	"hbcheck.dev/hbcheck/internal/saved"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/vm"
)

// Pieces of one entry. The worker that explores an entry is its owner. When other workers are idle, the
// owner cuts the search, publishes pieces of it beside the tasks of the run, and waits for their records.
// The coordinator sees only the record of the entry.
//
//	owner     cuts ─ Publish piece ··········· record ─ merges ─ ... ─ Commit the entry
//	a worker              └ Pull ─ a helper explores ─ Commit ─┘

const (
	cutAfter   = 200 * time.Millisecond // an entry is not cut before it has been explored for this time
	pieceTime  = 300 * time.Millisecond // a piece returns its unexplored rest after this time,
	pieceMore  = 10 * time.Millisecond  // from then on it returns one frame after each such time
	askRoom    = 100 * time.Millisecond // time between queries for idle workers, at first
	askLater   = 400 * time.Millisecond // time between queries after a while without idle workers
	mostPieces = 64                     // bound on the pieces of an entry that others explore at the same time
)

// A pieceTask is a piece sent to a worker.
type pieceTask struct {
	Entry  int
	Name   string
	Owner  string // each process has its own numbers
	Search []byte
	Known  string // the name of the record whose data is explore.Piece.Known
	Data   []byte
}

// A pieceOutcome is the result of a piece.
type pieceOutcome struct {
	Refused bool
	Why     string
	Result  []byte
	Facts   []vm.HostFact
	By      string
}

// pieceSign separates the task of an entry from a piece of it, in the name of the piece.
const pieceSign = "-piece-"

// pieceOf returns the name of the entry's task, if the task of that name is a piece of it.
func pieceOf(name string) (of string, ok bool) {
	of, _, ok = strings.Cut(name, pieceSign)
	return of, ok
}

// A pieceExchange is the explore.Elsewhere of one entry: it tracks how many pieces other workers can take.
type pieceExchange struct {
	w     *worker
	run   *jetstream.Run // queue of the entry's pieces
	shown *jetstream.Run // queue of the data published for all pieces, which the owner need not receive
	queue *cluster.Pieces
	task  string // the task of the entry
	entry int
	name  string
	owner string
	ctx   context.Context
	end   func()
	room  chan bool
	start sync.Once
	all   sync.WaitGroup

	mu     sync.Mutex
	short  bool            // the queue has tasks that wait for a worker, so nothing is cut
	held   int             // room that was taken for pieces that were not sent yet
	known  map[string]bool // names of pieces that have a record
	facts  []vm.HostFact   // about the hosts of other workers
	pieces int             // number of pieces that others explored or refused
}

// withoutHelp is the explore.Elsewhere of an entry without pieces elsewhere.
type withoutHelp struct{}

func (withoutHelp) Workers() int                                                { return 0 }
func (withoutHelp) Acquire(<-chan struct{}) bool                                { return false }
func (withoutHelp) TryAcquire() bool                                            { return false }
func (withoutHelp) Release()                                                    {}
func (withoutHelp) Publish([]byte) int                                          { return 0 }
func (withoutHelp) Explore(explore.Piece, func() bool) (result []byte, ok bool) { return nil, false }

func newPieceExchange(ctx context.Context, w *worker, run, task string, entry int, name string) *pieceExchange {
	m := &pieceExchange{w: w, task: task, entry: entry, name: name, owner: nuid.Next(), room: make(chan bool, mostPieces), short: true,
		known: make(map[string]bool)}
	m.ctx, m.end = context.WithCancel(ctx)
	m.run = w.c.Run(m.ctx, w.info.Build, run).Pieces(task)
	m.shown = m.run.Pieces(task + shownSign)
	m.queue = cluster.NewPieces(m.run, m.shown, m.owner)
	return m
}

// close stops the exchange, and removes the records of its pieces.
func (m *pieceExchange) close() {
	m.end()
	m.all.Wait()
	m.start.Do(func() {})
	if m.pieces > 0 {
		m.w.c.ForgetPieces(m.run)
	}
	if m.queue.Shows() > 0 {
		m.w.c.ForgetPieces(m.shown)
	}
}

// Workers implements explore.Elsewhere.
func (m *pieceExchange) Workers() int { return mostPieces }

// Acquire implements explore.Elsewhere.
func (m *pieceExchange) Acquire(over <-chan struct{}) bool {
	m.open()
	// Without this check a search that is over would release its room and acquire it again, forever.
	select {
	//mutant: a search that is over gets room [test ./cmd/hbcheck TestMarket]: "over" -> "m.ctx.Done()"
	case <-over:
		return false
	default:
	}
	select {
	case <-m.room:
		m.hold(1)
		return true
	//mutant: a search that is over waits for room [test ./cmd/hbcheck TestMarket]: "over" -> "m.ctx.Done()"
	case <-over:
		return false
	case <-m.ctx.Done():
		return false
	}
}

// open begins to ask for room, if it has not begun yet.
func (m *pieceExchange) open() {
	m.start.Do(func() {
		m.all.Go(m.ask)
		m.all.Go(func() { m.queue.Listen() })
	})
}

// TryAcquire implements explore.Elsewhere.
func (m *pieceExchange) TryAcquire() bool {
	m.open()
	select {
	case <-m.room:
		m.hold(1)
		return true
	default:
		return false
	}
}

func (m *pieceExchange) hold(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held += n
}

// Release implements explore.Elsewhere.
func (m *pieceExchange) Release() {
	m.hold(-1)
	m.free()
}

// free makes room for another piece, if no task waits for a worker.
func (m *pieceExchange) free() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.short && len(m.room) < cap(m.room) {
		m.room <- true
	}
}

// ask asks repeatedly how many more pieces there is room for.
func (m *pieceExchange) ask() {
	wait := cutAfter
	for {
		select {
		case <-m.ctx.Done():
			return
		case <-time.After(wait):
		}
		idle, queued, err := m.w.puller.Room(m.ctx)
		if wait = min(wait*5/4, askLater); idle > 0 {
			wait = askRoom
		}
		m.offer(idle, queued, err)
	}
}

// offer offers room for pieces, given the numbers of idle workers and of queued tasks.
func (m *pieceExchange) offer(idle, queued int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.short = err != nil || queued > 0
	// A search that cannot be cut at the moment keeps its room. Otherwise it would get more room each time,
	// and later send too many pieces at once for a single worker.
	//mutant: room that is held is offered again [test ./cmd/hbcheck TestMarket]: "-m.held" -> ""
	room := min(idle-queued-m.held, mostPieces)
	for len(m.room) > max(0, room) {
		select {
		case <-m.room:
		default: // a waiting goroutine of the search has taken it
		}
	}
	for range room - len(m.room) { // waiting goroutines of the search take these tokens at once
		m.room <- true
	}
}

// hashOf names data.
func hashOf(data ...[]byte) string {
	h := sha256.New()
	for _, d := range data {
		fmt.Fprintf(h, "%d ", len(d))
		h.Write(d)
	}
	return hex.EncodeToString(h.Sum(nil))[:24]
}

// knownSign begins the names of records with the knowledge of machines.
const knownSign = "known-"

// shownSign is the end of the name under which the publications of a task are kept.
const shownSign = "-shown"

// Publish implements explore.Elsewhere.
func (m *pieceExchange) Publish(data []byte) (number int) {
	number, _ = m.queue.Show(data)
	return number
}

// Explore implements explore.Elsewhere.
func (m *pieceExchange) Explore(p explore.Piece, stop func() bool) (result []byte, ok bool) {
	m.hold(-1)
	answered := false
	defer func() {
		if answered { // a worker that does not answer may be busy, or dead
			m.free()
		}
	}()
	known := knownSign + hashOf(p.Known)
	m.mu.Lock()
	kept := m.known[known]
	m.known[known], m.pieces = true, m.pieces+1
	m.mu.Unlock()
	if !kept {
		if _, err := m.run.Commit(known, cluster.Record{Children: []cluster.Task{{Data: p.Known}}}); err != nil {
			return nil, false
		}
	}
	data, err := saved.Marshal(&pieceTask{m.entry, m.name, m.owner, p.Search, known, p.Data})
	if err != nil {
		return nil, false
	}
	t := cluster.Task{Name: m.task + pieceSign + hashOf(data), Data: data}
	back, err := m.queue.Ask(t)
	if err != nil {
		return nil, false
	}
	defer m.queue.GiveUp(t.Name)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case r := <-back:
			answered = true
			m.run.Remove(t.Name) // no other process needs it
			var o pieceOutcome
			if saved.Unmarshal(r.Result, &o) != nil || o.Refused {
				return nil, false
			}
			m.mu.Lock()
			defer m.mu.Unlock()
			for _, f := range o.Facts {
				if o.By != ownProcess && !slices.Contains(m.facts, f) {
					m.facts = append(m.facts, f)
				}
			}
			return o.Result, true
		case <-m.ctx.Done():
			return nil, false
		case <-tick.C:
			if stop() {
				return nil, false
			}
		}
	}
}

// A helper is an explore.Helper of a worker that waits for a piece.
type helper struct {
	*explore.Helper
	run, search string
}

// takeHelper returns a helper for a search, and removes it from the list. Without such a helper it returns
// the board of an earlier helper, or an empty board.
func (w *worker) takeHelper(run, search string) (*explore.Helper, *por.Board) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, usable := range []bool{true, false} {
		i := slices.IndexFunc(w.helpers, func(h helper) bool { return h.run == run && h.search == search && h.Usable() == usable })
		if i < 0 {
			continue
		}
		h := w.helpers[i].Helper
		w.helpers = slices.Delete(w.helpers, i, i+1)
		if usable {
			return h, nil
		}
		return nil, h.Board()
	}
	return nil, new(por.Board)
}

// keepHelper keeps a helper for the next piece, or only its board if the helper is not usable. The oldest
// helpers are dropped.
func (w *worker) keepHelper(h helper) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !h.Usable() {
		h.Close()
	}
	w.helpers = append(w.helpers, h)
	for len(w.helpers) > w.info.Slots {
		w.helpers[0].Close()
		w.helpers = slices.Delete(w.helpers, 0, 1)
	}
}

// dropHelpers drops the helpers of a run.
func (w *worker) dropHelpers(run string) {
	w.helpers = slices.DeleteFunc(w.helpers, func(h helper) bool {
		if h.run == run {
			h.Close()
		}
		return h.run == run
	})
}

// explorePiece explores a piece of an entry of j. The outcome is nil if ctx was done before the end.
func (w *worker) explorePiece(ctx context.Context, j *job, run *jetstream.Run, d *jetstream.Delivered, of string) *pieceOutcome {
	id := d.Run
	refuse := func(err error) *pieceOutcome {
		if ctx.Err() != nil {
			return nil
		}
		return &pieceOutcome{Refused: true, Why: err.Error()}
	}
	t := new(pieceTask)
	if err := saved.Unmarshal(d.Task().Data, t); err != nil {
		return refuse(err)
	}
	if t.Entry >= len(j.entries) || j.entries[t.Entry].Name != t.Name {
		return refuse(errors.New("the worker finds other entries in the program"))
	}
	w.describeTask(d, "a piece of "+t.Name)
	r, ok, err := run.Lookup(t.Known)
	if err != nil || !ok || len(r.Children) != 1 {
		return refuse(fmt.Errorf("no record of what is known: %v", err))
	}
	e := &j.entries[t.Entry]
	// Another owner of the same search has other numbers.
	key := of + " " + hashOf(t.Search) + " " + t.Owner
	h, board := w.takeHelper(id, key)
	if h == nil {
		own, _, err := j.x.options(e)
		if err != nil {
			return refuse(err)
		}
		if h, err = explore.NewHelper(ctx, *e, own, t.Search, board); err != nil {
			return refuse(err)
		}
	}
	defer w.keepHelper(helper{h, id, key})
	shown := run.Pieces(of + shownSign)
	h.Board().Fetch = func(number int) ([]byte, error) { return cluster.Shown(shown, t.Owner, number) }
	due := time.Now().Add(pieceTime)
	result, err := h.Explore(ctx, explore.Piece{Search: t.Search, Known: r.Children[0].Data, Data: t.Data}, func() bool {
		now := time.Now()
		if now.Before(due) {
			return false
		}
		due = now.Add(pieceMore)
		return true
	})
	if err != nil {
		return refuse(err)
	}
	return &pieceOutcome{Result: result, Facts: j.x.remote.host(e.Source).Facts(), By: ownProcess}
}

// marshal returns an outcome in bytes.
func (o *pieceOutcome) marshal() []byte {
	data, err := saved.Marshal(o)
	if err != nil {
		data, _ = saved.Marshal(&pieceOutcome{Refused: true, Why: err.Error()})
	}
	return data
}
