package sample

import (
	"math/rand/v2"
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// An aim makes executions in which the goal of a target is likely. Goroutines at a place of the
// target wait for the others, as in RaceFuzzer (Sen, PLDI 2008), DeadlockFuzzer (Joshi et al., PLDI
// 2009) and CTrigger (Park, Lu and Zhou, ASPLOS 2009). Among those that do not wait, the strategy
// chooses. A waiting goroutine continues if no other goroutine can move, or after patience choices.
//
//	Meet       at place 0 or 1: until another goroutine is about to execute a conflicting operation
//	Cross      at place 0: until the others are there, too; also at place 1, but these continue first
//	Precede    at place 1: until another goroutine has executed place 0
//	Interpose  at place 1, if it has executed place 0; and at place 2: until another goroutine waits
//	           at place 1 whose operation conflicts with its own
//
// A goroutine that arrives at a place several times does not wait each time, but with a probability that is
// drawn for each execution.
//
// After the goal is reached, the strategy chooses the rest of the execution.
type aim struct {
	target *por.Target
	sys    por.System
	peeker por.Peeker
	rng    *rand.Rand

	all     bool // goroutines wait each time they arrive
	rarely  int  // if not all: a goroutine waits with probability 1/rarely
	met     bool
	waited  int       // choices since a waiting goroutine last continued
	status  []status  // by goroutine: its status
	by      trace.GID // the first goroutine that executed place 0; NoGID: none
	others  bool      // a goroutine other than by has executed place 0, too
	moving  []trace.GID
	waiting []trace.GID
}

// status describes a goroutine at its pending operation.
type status struct {
	there bool // the goroutine has been seen in this execution, not only in earlier ones
	known bool // at holds the places of its pending operation
	waits bool // the goroutine is to wait at its pending operation
	at    por.Places
	began bool // Interpose: the goroutine has executed place 0, and not yet place 1
}

// patience bounds the choices while a goroutine waits, because the others may never end.
const patience = 20_000

// unaimed returns n if one of n executions has no target.
func (x *sampler) unaimed() uint64 {
	if x.Cfg.HalfAimed {
		return 2
	}
	return 4
}

// takeAim chooses the target of the execution that is about to begin.
func (x *sampler) takeAim() {
	x.aim = nil
	n := uint64(len(x.Cfg.Targets))
	if n == 0 || x.number%x.unaimed() == 0 {
		return
	}
	a := &aim{target: &x.Cfg.Targets[x.aimedAt()], sys: x.Sys, peeker: por.CapabilitiesOf(x.Sys).Peeker, rng: x.rng, by: trace.NoGID}
	first := x.aimed[x.aimedAt()].Executions == 0
	if a.all = first || x.rng.IntN(2) == 0; !a.all {
		a.rarely = 2 << x.rng.IntN(5)
	}
	x.aim = a
}

// aimedAt returns the number of the target of the present execution, if it has one.
func (x *sampler) aimedAt() int {
	return int((x.number - x.number/x.unaimed() - 1) % uint64(len(x.Cfg.Targets)))
}

// countAim counts the execution that has ended.
func (x *sampler) countAim() {
	if x.aim == nil {
		return
	}
	t := &x.aimed[x.aimedAt()]
	t.Executions++
	met := x.aim.met
	switch x.aim.target.Goal {
	case por.Cross:
		met = x.aim.crossed()
	case por.Meet:
		met = met || x.Halted && x.aim.meeting(x.Enabled) != nil // the race ends the search
	}
	if met {
		t.Met++
	}
}

// crossed reports whether two or more goroutines wait for locks at place 0 at the end of the execution.
func (a *aim) crossed() bool {
	n := 0
	enabled := a.sys.Enabled(nil)
	for i, s := range a.status {
		//mutant: aim: goroutines of other executions wait, too [test ./por/sample TestSparse]: "!s.there" -> "!s.there && false"
		if !s.there {
			continue
		}
		g := trace.GID(i)
		if op := a.op(g); (op.Kind == trace.Lock || op.Kind == trace.RLock) && !slices.Contains(enabled, g) && a.target.At(g, op).Has(0) {
			n++
		}
	}
	return n > 1
}

// of returns the status of g.
func (a *aim) of(g trace.GID) *status {
	for int(g) >= len(a.status) {
		a.status = append(a.status, status{})
	}
	s := &a.status[g]
	s.there = true
	if !s.known {
		s.known, s.at = true, a.target.At(g, a.op(g))
		s.waits = s.at != 0 && (a.all || a.rng.IntN(a.rarely) == 0)
	}
	return s
}

func (a *aim) op(g trace.GID) *trace.Op { return peekOf(a.sys, a.peeker, g) }

// stepping notes that g executes its pending operation.
func (a *aim) stepping(g trace.GID) {
	s := a.of(g)
	if a.target.Goal == por.Interpose {
		for h := range a.status {
			//mutant: aim: no order of the three places is needed [test ./por/sample TestAim]: "other.began && " -> ""
			if other := &a.status[h]; s.at.Has(2) && trace.GID(h) != g && other.known && other.waits && other.began && other.at.Has(1) && a.conflict(g, trace.GID(h)) {
				a.met = true
			}
		}
		s.began = s.at.Has(0) && !(s.began && s.at.Has(1)) || s.began && !s.at.Has(1)
	}
	if a.target.Goal == por.Precede {
		if s.at.Has(1) && a.precededBy(g) {
			a.met = true
		}
		if s.at.Has(0) {
			a.others = a.others || a.by != trace.NoGID && a.by != g
			if a.by == trace.NoGID {
				a.by = g
			}
		}
	}
	s.known = false
}

// precededBy reports whether another goroutine than g has executed place 0.
func (a *aim) precededBy(g trace.GID) bool { return a.others || a.by != trace.NoGID && a.by != g }

// conflict reports whether the pending operations of g and h conflict.
func (a *aim) conflict(g, h trace.GID) bool {
	op := *a.op(g)
	//mutant: aim: an update of another object comes in between [test ./por/sample TestAim]: "op.Conflicts(a.op(h))" -> "(op.Conflicts(a.op(h)) || true)"
	return op.Conflicts(a.op(h))
}

// free returns those of among that need not wait.
func (a *aim) free(among []trace.GID) []trace.GID {
	if a.met {
		return among
	}
	if a.target.Goal == por.Meet {
		if pair := a.meeting(among); pair != nil {
			a.met = true
			return pair
		}
	}
	a.moving, a.waiting = a.moving[:0], a.waiting[:0]
	for _, g := range among {
		if s := a.of(g); s.waits && a.waits(g, s, among) {
			a.waiting = append(a.waiting, g)
		} else {
			a.moving = append(a.moving, g)
		}
	}
	if len(a.waiting) == 0 {
		a.waited = 0
		return a.moving
	}
	//mutant: aim: goroutines wait as long as another one can move [test ./por/sample TestPatience]: "&& a.waited < patience" -> ""
	if a.waited++; len(a.moving) > 0 && a.waited < patience {
		return a.moving
	}
	a.waited = 0
	return a.release()
}

// waits reports whether g, which may wait at its places, does so.
func (a *aim) waits(g trace.GID, s *status, among []trace.GID) bool {
	switch a.target.Goal {
	case por.Meet:
		return s.at.Has(0) || s.at.Has(1)
	case por.Precede:
		return s.at.Has(1) && !a.precededBy(g)
	case por.Interpose:
		if s.at.Has(1) && s.began {
			return true
		}
		if !s.at.Has(2) {
			return false
		}
		for _, h := range among {
			if other := a.of(h); h != g && other.waits && other.began && other.at.Has(1) && a.conflict(g, h) {
				return false
			}
		}
	}
	return true
}

// release returns a random waiting goroutine that may continue: one at place 1 of a Cross, or at place 2 of
// an Interpose, if there is one.
func (a *aim) release() []trace.GID {
	list := a.waiting
	prefer := map[por.Goal]int{por.Cross: 1, por.Interpose: 2}[a.target.Goal]
	a.moving = a.moving[:0]
	for _, g := range list {
		//mutant: aim: first locks wait as long as second ones [test ./por/sample TestAim]: false
		if s := a.of(g); prefer > 0 && s.at.Has(prefer) && !s.at.Has(0) {
			a.moving = append(a.moving, g)
		}
	}
	if len(a.moving) > 0 {
		list = a.moving
	}
	i := a.rng.IntN(len(list))
	g := list[i]
	a.of(g).waits = false
	return append(a.moving[:0], g)
}

// meeting returns two goroutines that meet, or nil.
func (a *aim) meeting(among []trace.GID) []trace.GID {
	for i, g := range among {
		s := a.of(g)
		if s.at == 0 {
			continue
		}
		op := *a.op(g)
		for j, h := range among {
			if i == j {
				continue
			}
			t := a.of(h)
			//mutant: aim: any two goroutines at the places meet [test ./por/sample TestAim]: "op.Conflicts(a.op(h))" -> "(op.Conflicts(a.op(h)) || true)"
			if together(s.at, t.at) && op.Conflicts(a.op(h)) {
				return append(a.moving[:0], g, h)
			}
		}
	}
	return nil
}

// together reports whether p and q are a pair of places of a Meet.
func together(p, q por.Places) bool {
	return p.Has(0) && (q.Has(1) || q.Has(2)) || p.Has(1) && q.Has(0)
}
