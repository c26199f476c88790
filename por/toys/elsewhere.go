package toys

import (
	"sync"
	"sync/atomic"
	"time"

	"hbcheck.dev/hbcheck/por"
)

// Elsewhere explores pieces of the search of a toy, each on a copy of it, as other processes do.
type Elsewhere struct {
	Toy      *System // in the initial state
	Stop     uint32  // of the Recorder of the search
	Explorer *por.Explorer
	Config   por.Config
	// Due reports whether a piece has to end; its argument counts the calls.
	Due func(n int) bool
	// Refuses, if set, reports whether the piece with this number is refused. Loses reports whether a piece
	// is lost: its result does not return until the search is over.
	Refuses, Loses func(n uint64) bool

	begun     atomic.Uint64
	mu        sync.Mutex
	published [][]byte
	boards    []*por.Board  // of helpers that wait for a piece
	Pieces    atomic.Uint64 // that were explored
	room      chan bool
	once      sync.Once
}

// Workers implements por.Elsewhere.
func (e *Elsewhere) Workers() int { return 3 }

func (e *Elsewhere) places() chan bool {
	e.once.Do(func() {
		e.room = make(chan bool, e.Workers())
		for range e.Workers() {
			e.room <- true
		}
	})
	return e.room
}

// Acquire implements por.Elsewhere.
func (e *Elsewhere) Acquire(over <-chan struct{}) bool {
	select {
	case <-over:
		return false
	case <-e.places():
		return true
	}
}

// TryAcquire implements por.Elsewhere.
func (e *Elsewhere) TryAcquire() bool {
	select {
	case <-e.places():
		return true
	default:
		return false
	}
}

// Release implements por.Elsewhere.
func (e *Elsewhere) Release() { e.places() <- true }

// Note implements por.Elsewhere.
func (e *Elsewhere) Note() {}

// Publish implements por.Elsewhere.
func (e *Elsewhere) Publish(data []byte) (number int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.published = append(e.published, data)
	return len(e.published)
}

// fetch is por.Board.Fetch.
func (e *Elsewhere) fetch(number int) ([]byte, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.published[number-1], nil
}

// board returns that of a helper.
func (e *Elsewhere) board() (b *por.Board) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if n := len(e.boards); n > 0 {
		b, e.boards = e.boards[n-1], e.boards[:n-1]
		return b
	}
	return &por.Board{Fetch: e.fetch}
}

// Explore implements por.Elsewhere.
func (e *Elsewhere) Explore(piece []byte, stop func() bool) (result []byte, ok bool) {
	defer e.Release()
	n := e.begun.Add(1)
	if e.Refuses != nil && e.Refuses(n) {
		return nil, false
	}
	if e.Loses != nil && e.Loses(n) {
		for !stop() {
			time.Sleep(100 * time.Microsecond)
		}
		return nil, false
	}
	toy, asked := *e.Toy, 0
	due := func() bool {
		asked++
		return e.Due(asked)
	}
	cfg := e.Config
	cfg.Board = e.board()
	result, err := e.Explorer.Piece(&toy, NewRecorder(&toy, e.Stop), cfg, piece, due)
	if err != nil {
		panic(err)
	}
	e.mu.Lock()
	e.boards = append(e.boards, cfg.Board)
	e.mu.Unlock()
	if len(toy.Marks) != 0 {
		panic("a piece does not leave the system as it was")
	}
	e.Pieces.Add(1)
	return result, result != nil
}
