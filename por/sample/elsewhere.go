package sample

import (
	"errors"
	"fmt"
	"maps"
	"time"

	"hbcheck.dev/hbcheck/internal/saved"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/search"
)

// Workers in other processes. In the pool each has a proxy, which sends the pieces that it takes. A piece
// that comes back undrawn is drawn when its turn comes, like a stale piece.

// awayTimes is the factor by which pieces are larger if some are sent. They should take some tenths of a
// second.
const awayTimes = 64

// lateAfter is how long the search waits for a piece that was sent, before it draws the piece itself.
const lateAfter = 2 * time.Second

// sendAll lets tests send all pieces.
var sendAll = false

// A sentPiece is a piece on its way.
type sentPiece struct {
	From, To, Left uint64
	Past           past
	Known          search.RaceSet
}

// A drawn is a piece on its way back.
type drawn struct {
	Results []byte
	Control search.Control
	Races   search.RaceSet
	Cut     bool
	Most    int
	Census  *census
	Sources readsFrom
}

var errOver = errors.New("the search is over")

// proxy returns the equipment of a worker that stands for another process, when one has room.
func (p *several) proxy() (*drawer, error) {
	if !p.Cfg.Elsewhere.Acquire(p.ended) {
		return nil, errOver
	}
	p.Cfg.Elsewhere.Release()
	return &drawer{away: true}, nil
}

// send lets another process draw a piece.
func (p *several) send(c *piece) {
	c.refused = true
	if !p.Cfg.Elsewhere.TryAcquire() {
		return
	}
	data, err := saved.Marshal(&sentPiece{c.from, c.to, c.left, c.past, c.known})
	if err != nil {
		panic(err)
	}
	sent := time.Now()
	result, ok := p.Cfg.Elsewhere.Explore(data, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		// Its process may be dead.
		return p.over != "" || p.awaited == c && time.Since(sent) >= lateAfter
	})
	if !ok {
		return
	}
	var d drawn
	if err := saved.Unmarshal(result, &d); err != nil {
		panic(fmt.Sprintf("BUG: reading the result of a piece: %v", err))
	}
	if c.results, err = p.visitor.(por.Sender).Decode(d.Results); err != nil {
		panic(fmt.Sprintf("BUG: reading the result of a piece: %v", err))
	}
	c.control, c.races, c.cut, c.most, c.census, c.sources = d.Control, d.Races, d.Cut, d.Most, d.Census, d.Sources
	c.refused = false
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counted.Add(&c.control.Stats)
}

// always returns a function that returns s for every system.
func always(s newStrategy) func(por.System) newStrategy {
	return func(por.System) newStrategy { return s }
}

// pieceSearch returns the por.PieceSearch of an explorer that samples.
func pieceSearch(s func(por.System) newStrategy) por.PieceSearch {
	return func(sys por.System, v por.Sender, cfg por.Config, data []byte, _ func() bool) ([]byte, error) {
		var sent sentPiece
		if err := saved.Unmarshal(data, &sent); err != nil {
			return nil, err
		}
		cfg.Match, cfg.Jobs, cfg.Elsewhere, cfg.Keeper, cfg.MaxMemory = false, 1, nil, nil, 0
		results := v.Split(sys)
		x := newSampler(sys, results, cfg, s(sys))
		x.number, x.past, x.KnownRaces = sent.From, sent.Past, maps.Clone(sent.Known)
		if x.KnownRaces == nil {
			x.KnownRaces = search.RaceSet{}
		}
		root := sys.Mark()
		results.Begin()
		for x.number < sent.To && !x.Halted {
			x.draw(root, sent.Left)
		}
		results.End()
		sys.Release(root)
		if b := x.StopReason.Bound; b == por.BoundPoll || b == por.BoundMemory {
			return nil, nil
		}
		d := drawn{Control: x.Control, Races: x.KnownRaces, Cut: x.PreemptCut, Most: x.most, Census: x.census, Sources: x.sources}
		var err error
		if d.Results, err = v.Encode(results); err != nil {
			return nil, err
		}
		return saved.Marshal(&d)
	}
}
