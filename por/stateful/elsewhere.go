package stateful

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"hbcheck.dev/hbcheck/internal/saved"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// Walkers in other processes (por.Config.Elsewhere). All walkers then use the system of the search, one
// after the other: between two rounds a walker is only a path and a stack, without marks of the system. So
// several walkers can be sent to another process for a round, and the result is merged as if they had been
// explored here:
//
//	the search      publishes new states ─ explores some walkers ───────── merges the round
//	                  └ parcel: other walkers ─┐            ┌─ what they have met
//	a helper                                   └ explores ──┘
//
// The table of the search is published in pieces. A helper keeps the pieces that it has fetched, and
// fetches the rest. It explores a parcel with exactly the states that the search had in that round.
//
// The result does not depend on the process that explores a walker. It depends on the walker, on the table,
// and on two more things. The knowledge of the machine is the same on both sides (por.Elsewhere). The
// questions that the oracle has learned to ask are carried along by each walker (por.Habits).
//
// A parcel that is refused, or does not come back in time, is explored here.

// lateAfter is the least time that the search waits for a parcel after it has explored its own walkers.
var lateAfter = 100 * time.Millisecond

// mostShown bounds the states that are published together: less than a megabyte.
const mostShown = 1 << 15

// shownStates are a piece of the table.
type shownStates struct {
	States []shownState
	Orders []uint32 // see stateGraph
}

// A shownState is a slot of the table.
type shownState struct {
	key  por.Hash
	word uint32
}

// A parcel has walkers to explore for a round.
type parcel struct {
	From, To int // the table: the publications from From to To
	Work     uint64
	Numbered bool
	Symmetry bool
	Known    search.RaceSet

	// The assumptions of the reduction, if there is one.
	Reduced, Unlock, Done bool

	Walkers []sentWalker
}

// A sentWalker is a walker between two rounds.
type sentWalker struct {
	Given  *aside
	Path   trace.Schedule
	Frames []frame
	Alts   []trace.Step
	Base   int
	Dived  bool
	Locks  lockSet
	Habits habits
}

// A walked is a walker after a round.
type walked struct {
	sentWalker
	Results   []byte
	Stats     por.Stats
	Races     search.RaceSet
	Met       []metState
	Edges     []edge
	ByVisitor bool

	PreemptCut, Violated, Miscounted bool
}

func (w *walker) sent() sentWalker {
	x := sentWalker{Given: w.given, Path: w.Path, Frames: w.frames, Alts: w.alts, Base: w.turns.base, Dived: w.turns.dived, Habits: w.habits}
	if w.policy != nil {
		x.Locks = w.policy.locks
	}
	return x
}

func (w *walker) receive(x *sentWalker) {
	w.given, w.Path, w.frames, w.alts, w.habits = x.Given, x.Path, x.Frames, x.Alts, x.Habits
	//mutant: rounds: a walker forgets where its path was long [test ./por/stateful TestElsewhere$]
	w.turns.base, w.turns.dived = x.Base, x.Dived
	if w.policy != nil {
		w.policy.locks = x.Locks
	}
}

// comeBack brings the system, which is in its initial state, to the top of the stack of w.
func (w *walker) comeBack() {
	//mutant: rounds: walkers of one machine share what its oracle has learned [test ./explore TestElsewhereRounds]
	w.habits.resume(&w.Driver)
	//mutant: rounds: a walker counts the questions of others [test ./explore TestElsewhereRounds]
	w.Resume()
	frames, path := w.frames, w.Path
	w.ReturnTo(&w.root)
	w.frames = frames[:0]
	for _, f := range frames {
		for len(w.Path) < f.Depth && !w.Halted {
			w.Repeat(path[len(w.Path)])
			if w.Cfg.Over != nil && w.Cfg.Over() {
				w.Poll(0, por.Progress{})
			}
		}
		if w.Halted {
			return // time is up: the search ends
		}
		f.Mark = w.Sys.Mark()
		w.frames = append(w.frames, f)
		w.Cur, w.Preempts = f.Cur, f.Preempts
	}
}

// stepAside returns the system to its initial state, and keeps the stack.
func (w *walker) stepAside() {
	for _, f := range slices.Backward(w.frames) {
		w.Drop(f.Mark)
	}
	w.Rewind(w.root.Mark)
	w.habits.keep(&w.Driver)
}

// habits are the saved habits of a walker's oracle and parts, while other walkers use these.
type habits [2][]byte

func (x *habits) keep(s *search.Driver) {
	x.each(s, func(h por.Habits, kept *[]byte) { *kept = h.Habits() })
}

func (x *habits) resume(s *search.Driver) {
	x.each(s, func(h por.Habits, kept *[]byte) { h.Adopt(*kept) })
}

func (x *habits) each(s *search.Driver, do func(h por.Habits, kept *[]byte)) {
	if h, ok := s.Cfg.Oracle.(por.Habits); ok {
		do(h, &x[0])
	}
	if h, ok := s.Cfg.Parts.(por.Habits); ok {
		do(h, &x[1])
	}
}

// leaveStack empties the stack.
func (w *walker) leaveStack() {
	if w.shares {
		w.Path, w.frames, w.alts = w.Path[:0], w.frames[:0], w.alts[:0]
	} else {
		w.dropStack()
	}
}

// away are the other processes of a search in rounds. nil: there are none.
type away struct {
	r         *rounds
	sender    por.Sender
	elsewhere por.Elsewhere
	own       habits // habits of the search before there were walkers

	states []shownState // states stored since the last publication, if there is one
	orders int          // number of the graph's orders that were published
	shown  *publication // the last one; nil: the table was not published
}

func newAway(r *rounds, sender por.Sender) *away {
	//mutant: rounds: what was executed before the rounds does not count [test ./explore TestElsewhereRounds]
	sender.Divide()
	a := &away{r: r, sender: sender, elsewhere: r.Cfg.Elsewhere}
	a.own.keep(&r.Driver)
	return a
}

// end returns the system and its oracle to the search, which may begin anew.
func (a *away) end() {
	//mutant: rounds: a search that begins again has the habits of its walkers [test ./explore TestElsewhereRounds]
	a.own.resume(&a.r.Driver)
	a.r.Leave(a.r.root.Mark)
}

// stored records a new state of the table.
func (a *away) stored(key por.Hash, word uint32) {
	if a != nil && a.shown != nil {
		//mutant: rounds: other processes see no new state [test ./por/stateful TestElsewhere$]
		a.states = append(a.states, shownState{key, word})
	}
}

// A publication sends the table, up to a round, to the other processes. It runs beside the search.
type publication struct {
	from, to int       // the numbers of the publication, set when it is over; to == 0: it failed
	over     chan bool // closed then
}

// publish begins to publish the new part of the table, or all of it the first time. It returns nil if the
// last publication is not over yet.
func (a *away) publish() *publication {
	last := a.shown
	if last != nil {
		select {
		case <-last.over:
		default:
			return nil // the server does not answer
		}
		if last.to == 0 {
			last = nil
		}
	}
	states := a.states
	if last == nil {
		states, a.orders = a.r.states.all(), 0
	}
	var parts [][]byte
	orders := a.r.graph.orders
	for len(states) > 0 || a.orders < len(orders) {
		x := shownStates{States: states[:min(mostShown, len(states))], Orders: orders[a.orders:min(len(orders), a.orders+mostShown)]}
		states, a.orders = states[len(x.States):], a.orders+len(x.Orders)
		parts = append(parts, marshal(&x))
	}
	a.states = a.states[:0]
	p := &publication{over: make(chan bool)}
	a.shown = p
	go func() {
		defer close(p.over)
		if last != nil {
			p.from, p.to = last.from, last.to
		}
		for _, data := range parts {
			if p.to = a.elsewhere.Publish(data); p.to == 0 {
				return
			}
			if p.from == 0 {
				p.from = p.to
			}
		}
	}()
	return p
}

// A trip is a parcel that was sent.
type trip struct {
	walkers []*walker
	back    chan []byte // nil: there is no result

	mu   sync.Mutex
	over bool // the search does not wait for it any more, and explores its walkers here
}

func (t *trip) isOver() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.over
}

// explore lets all active walkers explore for a round.
func (a *away) explore() {
	var active []*walker
	for _, w := range a.r.walkers {
		if w.active {
			active = append(active, w)
		}
	}
	begin := time.Now()
	trips := a.send(active)
	own := len(active)
	for _, t := range trips {
		own -= len(t.walkers)
	}
	for _, w := range active[:own] {
		w.walk()
	}
	late := begin.Add(max(lateAfter, 4*time.Since(begin)))
	for _, t := range trips {
		if list := a.await(t, late); list != nil {
			for i, w := range t.walkers {
				w.after(&list[i], a.sender)
			}
			continue
		}
		for _, w := range t.walkers {
			w.walk()
		}
	}
}

// send sends some of the walkers, the last ones.
func (a *away) send(active []*walker) (trips []*trip) {
	n := 0
	for n < len(active)-1 && a.elsewhere.TryAcquire() {
		n++
	}
	if n == 0 {
		return nil
	}
	a.elsewhere.Note()
	shown := a.publish()
	for i := n; i > 0; i-- {
		share := len(active) / (i + 1)
		t := &trip{walkers: active[len(active)-share:], back: make(chan []byte, 1)}
		active = active[:len(active)-share]
		go func() { t.back <- a.travel(t, shown) }()
		trips = append(trips, t)
	}
	slices.Reverse(trips)
	return trips
}

// travel lets another process explore t, and returns the result, or nil.
func (a *away) travel(t *trip, shown *publication) []byte {
	if shown == nil {
		a.elsewhere.Release()
		return nil
	}
	<-shown.over
	data := a.parcel(t, shown)
	if data == nil {
		a.elsewhere.Release()
		return nil
	}
	if result, ok := a.elsewhere.Explore(data, t.isOver); ok {
		return result
	}
	return nil
}

// parcel returns the parcel of t, or nil if it is too late to send it, or if the publication has failed.
func (a *away) parcel(t *trip, shown *publication) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over || shown.to == 0 {
		return nil
	}
	r := a.r
	x := parcel{From: shown.from, To: shown.to, Work: t.walkers[0].work, Numbered: r.numbered, Symmetry: r.Cfg.Symmetry, Known: r.KnownRaces}
	if p := r.policy; p != nil {
		x.Reduced, x.Unlock, x.Done = true, p.UnlockNeedsNoChoice, p.DoneNeedsNoChoice
	}
	for _, w := range t.walkers {
		x.Walkers = append(x.Walkers, w.sent())
	}
	return marshal(&x)
}

// await returns the results of the walkers of t; nil if they have to be explored here.
func (a *away) await(t *trip, late time.Time) (list []walked) {
	defer func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.over = true
	}()
	over := a.r.Cfg.Over
	for {
		select {
		case data := <-t.back:
			if data == nil {
				return nil
			}
			if err := saved.Unmarshal(data, &list); err != nil {
				panic(fmt.Sprintf("BUG: reading the result of a parcel: %v", err))
			}
			return list
		case <-time.After(10 * time.Millisecond):
			//mutant: rounds: the search waits for walkers that were sent, however late [test ./por/stateful TestElsewhereLost]: "time.Now().After(late) || " -> ""
			if time.Now().After(late) || over != nil && over() {
				return nil
			}
		}
	}
}

// after gives w the state that w reached in another process.
func (w *walker) after(x *walked, sender por.Sender) {
	var err error
	if w.results, err = sender.Decode(x.Results); err != nil {
		panic(fmt.Sprintf("BUG: reading the result of a parcel: %v", err))
	}
	w.receive(&x.sentWalker)
	w.Stats, w.KnownRaces, w.PreemptCut = x.Stats, x.Races, x.PreemptCut
	w.round.met, w.round.edges = x.Met, x.Edges
	if x.ByVisitor {
		w.StopUnless(false)
	}
	if w.policy != nil && (x.Violated || x.Miscounted) {
		w.policy.Violated, w.policy.Miscounted, w.Halted = x.Violated, x.Miscounted, true
	}
}

// A replica is a helper's copy of the table of a search.
type replica struct {
	from, to int
	states   *visited // nil: there is no room for one
	orders   []uint32
}

var errNoRoom = errors.New("the table of states is larger than the memory for it")

// update fetches the missing part. If there is no room, it does not try again.
func (t *replica) update(b *por.Board, to int) error {
	if t.states == nil {
		return errNoRoom
	}
	for ; t.to < to; t.to++ {
		data, err := b.Fetch(t.to + 1)
		if err != nil {
			return err
		}
		var x shownStates
		if err := saved.Unmarshal(data, &x); err != nil {
			return err
		}
		for i := range x.States {
			if _, ok := t.states.insert(x.States[i].key, x.States[i].word); !ok {
				//mutant: rounds: a table without room is fetched again [test ./por/stateful TestElsewhereNoRoom]
				t.states, t.orders = nil, nil
				return errNoRoom
			}
		}
		t.orders = append(t.orders, x.Orders...)
	}
	return nil
}

// explorePiece is a por.PieceSearch.
func explorePiece(sys por.System, v por.Sender, cfg por.Config, data []byte, _ func() bool) ([]byte, error) {
	var x parcel
	if err := saved.Unmarshal(data, &x); err != nil {
		return nil, err
	}
	t, _ := cfg.Board.Kept.(*replica)
	if t == nil || t.from != x.From || t.to > x.To {
		t = &replica{from: x.From, to: x.From - 1, states: newVisited(cfg.MaxMemory)}
		cfg.Board.Kept = t
	}
	if err := t.update(cfg.Board, x.To); err != nil {
		return nil, err
	}
	cfg.Jobs, cfg.Elsewhere, cfg.Keeper, cfg.Symmetry = 1, nil, nil, x.Symmetry
	var policy *SyncPolicy
	if x.Reduced {
		policy = &SyncPolicy{IgnoreOutput: cfg.IgnoreOutput, UnlockNeedsNoChoice: x.Unlock, DoneNeedsNoChoice: x.Done}
		policy.effects = por.CapabilitiesOf(sys).Effects
	}
	s := newDepthFirst(sys, v, cfg, policy)
	s.states, s.KnownRaces = t.states, x.Known
	if s.KnownRaces == nil {
		s.KnownRaces = search.RaceSet{}
	}
	r := &rounds{depthFirst: s, visitor: v, numbered: x.Numbered, root: s.Checkpoint()}
	r.graph.orders = t.orders
	var list []walked
	for i := range x.Walkers {
		w := newWalker(r, por.Replica{System: sys, Oracle: cfg.Oracle, Parts: cfg.Parts})
		w.receive(&x.Walkers[i])
		w.begin(r, x.Work)
		w.walk()
		if w.StopReason.Bound != "" { // time is up
			s.Leave(r.root.Mark)
			return nil, nil
		}
		results, err := v.Encode(w.results)
		if err != nil {
			return nil, err
		}
		y := walked{sentWalker: w.sent(), Results: results, Stats: w.Stats, Races: w.KnownRaces, Met: w.round.met, Edges: w.round.edges,
			ByVisitor: w.StoppedByVisitor, PreemptCut: w.PreemptCut}
		if policy != nil {
			y.Violated, y.Miscounted = w.policy.Violated, w.policy.Miscounted
		}
		list = append(list, y)
	}
	s.Leave(r.root.Mark)
	return saved.Marshal(&list)
}

func marshal(x any) []byte {
	data, err := saved.Marshal(x)
	if err != nil {
		panic(err)
	}
	return data
}
