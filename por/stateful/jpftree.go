package stateful

import (
	"math/bits"
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/search"
	"hbcheck.dev/hbcheck/trace"
)

// JPFTree counts the tree that JPF walks if it stores no states, without walking all of it. The subtree of
// a state depends only on the state and the goroutine that moved last. So each such pair is expanded once,
// and its counts are added wherever else it occurs in the tree.
//
// Stats.Executions, Blocked and Transitions are the same as for JPF. The visitor gets each last
// state once. It ignores bounds on steps and preemptions. The counts are incomplete for a program in
// which a goroutine executes ChainLimit operations in a row without a choice.
func JPFTree(sys por.System, v por.Visitor, cfg por.Config) por.Result {
	cfg.Match = false
	p := &SyncPolicy{IgnoreOutput: cfg.IgnoreOutput, UnlockNeedsNoChoice: true}
	for {
		t := &tree{depthFirst: newDepthFirst(sys, v, cfg, p), known: make(map[treeKey]subtree)}
		root := sys.Mark()
		all := t.count(0)
		t.Leave(root)
		if p.Violated {
			p.Violated, p.UnlockNeedsNoChoice = false, false
			por.Restart(v, cfg, unlockingMatters)
			continue
		}
		r := t.result()
		r.Executions, r.Blocked, r.Transitions = all.executions, all.blocked, all.steps
		return r
	}
}

// tree is the search, with its counts. It has no stack of frames: count is recursive, and
// keeps a position for each state.
type tree struct {
	*depthFirst
	known map[treeKey]subtree
}

// cur is part of the key because the list of alternatives depends on the goroutine that moved last: if it
// needs no choice, the list has only its own alternatives. The chain of steps is not part of the key: see
// JPFTree about ChainLimit.
type treeKey struct {
	state por.Hash
	cur   trace.GID
}

// subtree has the counts of the tree below a state.
type subtree struct{ executions, blocked, steps uint64 }

// count counts the tree below the current state, to which chain steps have led without a choice.
//
// It walks a subtree once, when it first reaches it. A stateless search would explore it each time:
//
//	s ── a ── t ── ...          t's subtree is walked once,
//	 └── b ── u ── t            and added twice
//
// If the count was halted below, the result is too small, and marked incomplete.
func (t *tree) count(chain int) subtree {
	s := t.depthFirst
	key := treeKey{por.IdentityHashOf(s.Sys, 0), s.Cur}
	if n, ok := t.known[key]; ok || s.Halted {
		return n
	}
	s.Arrive()
	s.Enabled = s.parking.putOff(s.Enabled)
	if len(s.Enabled) == 0 {
		before := s.Stats
		s.leaf(s.Sys.Status())
		n := subtree{executions: s.Stats.Executions - before.Executions, blocked: s.Stats.Blocked - before.Blocked}
		t.known[key] = n
		return n
	}
	if chain == search.ChainLimit {
		s.Halt(por.Reason{Bound: por.BoundSteps, Limit: search.ChainLimit})
		return subtree{}
	}
	f := s.expand(chain)
	alts := slices.Clone(s.alts[f.alt:f.end])
	s.alts = s.alts[:f.alt]
	if chain++; len(alts) > 1 {
		chain = 0
		s.Stats.Choices++
	}
	s.ReportRaces()
	// There is one mark for each state on the way down, because the recursion is as deep as the execution.
	at := s.Checkpoint()
	var n subtree
	for _, a := range alts {
		if s.Halted {
			break
		}
		s.ReturnTo(&at)
		if s.step(a); s.Halted {
			break
		}
		taken := uint64(len(s.Path) - at.Depth)
		b := t.count(chain)
		n.executions, n.blocked = t.sum(n.executions, b.executions), t.sum(n.blocked, b.blocked)
		n.steps = t.sum(t.sum(n.steps, b.steps), taken)
	}
	s.ReturnTo(&at)
	s.Sys.Release(at.Mark)
	t.known[key] = n
	return n
}

// sum returns a + b, and halts the count if that is too large.
//
// A count that wraps around would look like a small tree.
func (t *tree) sum(a, b uint64) uint64 {
	n, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		t.Halt(por.Reason{Bound: por.BoundPoll, Text: "there are more than can be counted"})
	}
	return n
}
