package main

import (
	"container/heap"
	"math/rand/v2"
)

// measured are costs in seconds of processor time, and sizes in bytes. They come from a search of 2,018,016
// executions that was cut into 367 pieces, and from 3,000 tasks of such sizes at a server in a process of
// its own.
var measured = struct {
	server, client     float64 // seconds for a piece: published, delivered, its record created, read and removed
	owner              float64 // seconds for a piece: cut off and merged, without the time in client
	load               float64 // of the program by a worker
	slower             float64 // exploring elsewhere: paths to pieces are repeated, caches are cold
	there, back, known float64 // bytes
}{server: 0.58e-3, client: 0.5e-3, owner: 0.13e-3, load: 0.6, slower: 1.1, there: 2802, back: 1563, known: 2478}

// The network: bytes in a second, and seconds for a message.
const (
	bandwidth = 125e6
	latency   = 0.25e-3
)

// An entryModel is one entry that is cut (cmd/hbcheck/pieces.go).
type entryModel struct {
	work    float64 // of one worker
	workers int     // including the owner
	most    int     // pieces at the same time
	piece   float64 // a piece returns its unfinished part after this time,
	more    float64 // and one frame more after each such time
	ask     float64 // between the owner's questions for workers that wait
}

// asItIs is what cmd/hbcheck does.
var asItIs = entryModel{most: 64, piece: 0.3, more: 0.01, ask: 0.1}

// An entryOutcome is the result of a simulation.
type entryOutcome struct {
	seconds float64
	pieces  int
	idle    float64 // share of the workers' time
	server  float64 // share of one processor of the server's machine
	owner   float64 // share of one processor, for cutting and merging
}

// A subtree is a task of the owner's search: work that is left, and the number of cuts above it.
type subtree struct {
	work  float64
	depth int
}

// subtrees are sorted by depth: the owner sends the oldest ones first, which are likely to be the largest.
type subtrees []subtree

func (s subtrees) Len() int           { return len(s) }
func (s subtrees) Less(i, j int) bool { return s[i].depth < s[j].depth }
func (s subtrees) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *subtrees) Push(x any)        { *s = append(*s, x.(subtree)) }
func (s *subtrees) Pop() any {
	old := *s
	x := old[len(old)-1]
	*s = old[:len(old)-1]
	return x
}

// A line is a resource that serves one request after the other.
type line struct{ free, busy float64 }

// serve returns the time at which a request that arrives at the time at has been served.
func (l *line) serve(at, cost float64) float64 {
	l.free = max(l.free, at) + cost
	l.busy += cost
	return l.free
}

// entrySim is one execution of a model.
type entrySim struct {
	entryModel
	events events
	rand   *rand.Rand
	now    float64

	server, merger line
	left           float64  // work that has not been returned
	ready          subtrees // subtrees that no worker has
	own            subtree  // the owner's subtree at the time since
	since          float64
	version        int // of own
	away           int
	waiting        int // number of workers, known to the owner
	unknown        int // workers that wait since
	loaded         int
	busy           float64
	pieces         int
}

// run simulates one entry.
func (m entryModel) run(seed uint64) entryOutcome {
	s := &entrySim{entryModel: m, rand: rand.New(rand.NewPCG(44, seed)), left: m.work}
	s.unknown = m.workers - 1
	s.takeOwn(subtree{work: m.work})
	s.events.at(0.2, s.asks)
	for s.left > 1e-9 && len(s.events) > 0 {
		e := heap.Pop(&s.events).(event)
		s.now = e.time
		e.do()
	}
	total := s.now * float64(m.workers)
	return entryOutcome{seconds: s.now, pieces: s.pieces, idle: 1 - s.busy/total, server: s.server.busy / s.now, owner: s.merger.busy / s.now}
}

// takeOwn makes the owner explore t.
func (s *entrySim) takeOwn(t subtree) {
	s.own, s.since = t, s.now
	s.version++
	v := s.version
	s.events.at(s.now+t.work, func() {
		if v != s.version {
			return // the worker has given a part of the task away
		}
		s.done(s.own.work)
		s.own = subtree{}
		if len(s.ready) > 0 {
			s.takeOwn(heap.Pop(&s.ready).(subtree))
		}
	})
}

func (s *entrySim) done(work float64) {
	s.left -= work
	s.busy += work
}

// asks is the owner's question for workers that wait.
func (s *entrySim) asks() {
	s.waiting += s.unknown
	s.unknown = 0
	s.send()
	s.events.at(s.now+s.ask, s.asks)
}

// send sends pieces to workers that wait.
func (s *entrySim) send() {
	for s.waiting > 0 && s.away < s.most {
		if len(s.ready) == 0 && !s.donate() {
			return
		}
		t := heap.Pop(&s.ready).(subtree)
		s.waiting--
		s.away++
		s.pieces++
		cut := s.merger.serve(s.now, s.owner2()/2)
		there := s.server.serve(cut+latency+measured.there/bandwidth, measured.server/2) + latency
		if s.loaded < s.workers-1 {
			s.loaded++
			there += measured.load + measured.known/bandwidth
		}
		s.events.at(there, func() { s.explore(t) })
	}
}

// owner2 is the cost of a piece for the owner's process.
func (s *entrySim) owner2() float64 { return measured.owner + measured.client }

// donate divides the work of the owner.
func (s *entrySim) donate() bool {
	left := s.own.work - (s.now - s.since)
	if left < s.more {
		return false
	}
	s.done(s.now - s.since)
	given := s.cut(left)
	heap.Push(&s.ready, subtree{given, s.own.depth + 1})
	s.takeOwn(subtree{left - given, s.own.depth + 1})
	return true
}

// cut returns how much of a subtree is in its oldest frame, which is given away.
func (s *entrySim) cut(left float64) float64 { return left * s.rand.Float64() }

// explore is a piece at a worker. Its unfinished part is returned.
func (s *entrySim) explore(t subtree) {
	begun, own := s.now, min(t.work, s.piece)
	left := t.work - own
	depth := t.depth
	var parts []subtree
	for left > s.more {
		given := s.cut(left)
		depth++
		parts = append(parts, subtree{given, depth})
		left -= given
		step := min(left, s.more)
		own, left = own+step, left-step
	}
	own += max(left, 0)
	end := begun + own*measured.slower + measured.client
	s.events.at(end, func() {
		back := s.server.serve(end+latency+measured.back/bandwidth, measured.server/2) + latency
		merged := s.merger.serve(back, s.owner2()/2)
		s.events.at(merged, func() {
			s.away--
			s.waiting++ // its room is free
			s.done(own)
			for _, p := range parts {
				heap.Push(&s.ready, p)
			}
			if s.own.work == 0 && len(s.ready) > 0 {
				s.takeOwn(heap.Pop(&s.ready).(subtree))
			}
			s.send()
		})
	})
}

// An event happens at a time.
type event struct {
	time   float64
	number int
	do     func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].time < e[j].time || e[i].time == e[j].time && e[i].number < e[j].number
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	old := *e
	x := old[len(old)-1]
	*e = old[:len(old)-1]
	return x
}

var numEvents int

// at adds an event.
func (e *events) at(time float64, do func()) {
	if time != time {
		panic("BUG: an event without a time")
	}
	numEvents++
	heap.Push(e, event{time, numEvents, do})
}
