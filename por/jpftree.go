package por

import (
	"math/bits"
	"slices"

	"hbcheck.dev/hbcheck/trace"
)

// JPFTree tells how large the tree is that JPF walks if it stores no states, without walking it: what comes behind a
// state, if the same goroutine moved last, is the same wherever in the tree it is. So it is walked once, and what is
// counted there is added wherever it comes again.
//
// Stats.Executions, Blocked and Transitions are those of JPF. The visitor is shown each last state once. Bounds on steps and preemptions are not for it, nor are programs in which somebody executes
// chainLimit operations in a row without a choice.
func JPFTree(sys System, v Visitor, cfg Config) Result {
	cfg.Match = false
	p := &syncPolicy{ignoreOutput: cfg.IgnoreOutput, quietUnlock: true}
	for {
		t := &tree{search: newSearch(sys, v, cfg, p), known: make(map[treeKey]subtree)}
		root := sys.Mark()
		all := t.below(0)
		sys.Rewind(root)
		sys.Release(root)
		if p.violated {
			p.violated, p.quietUnlock = false, false
			v.Restart()
			continue
		}
		r := t.result()
		r.Executions, r.Blocked, r.Transitions = all.executions, all.blocked, all.steps
		return r
	}
}

type tree struct {
	*search
	known map[treeKey]subtree
}

type treeKey struct {
	state Hash
	cur   trace.GID
}

// subtree is how much there is behind a state.
type subtree struct{ executions, blocked, steps uint64 }

// below counts what comes behind the present state, to which chain steps have led without a choice.
func (t *tree) below(chain int) subtree {
	s := t.search
	key := treeKey{identityHash(s.sys, 0), s.cur}
	if n, ok := t.known[key]; ok || s.halted {
		return n
	}
	s.stats.MaxDepth = max(s.stats.MaxDepth, len(s.path))
	s.enabled = s.sys.Enabled(s.enabled[:0])
	if len(s.enabled) == 0 {
		before := s.stats
		s.leaf(s.sys.Status())
		n := subtree{executions: s.stats.Executions - before.Executions, blocked: s.stats.Blocked - before.Blocked}
		t.known[key] = n
		return n
	}
	if chain == chainLimit {
		s.halt(Reason{Bound: BoundSteps, Limit: chainLimit})
		return subtree{}
	}
	f := s.node(chain)
	alts := slices.Clone(s.alts[f.alt:f.end])
	s.alts = s.alts[:f.alt]
	if chain++; len(alts) > 1 {
		chain = 0
		s.stats.Choices++
	}
	s.races()
	m := s.sys.Mark()
	var n subtree
	for _, a := range alts {
		if s.halted {
			break
		}
		s.sys.Rewind(m)
		s.path, s.cur = s.path[:f.depth], f.cur
		if s.step(a); s.halted {
			break
		}
		b := t.below(chain)
		n.executions, n.blocked = t.sum(n.executions, b.executions), t.sum(n.blocked, b.blocked)
		n.steps = t.sum(t.sum(n.steps, b.steps), 1)
	}
	s.sys.Rewind(m)
	s.sys.Release(m)
	s.path, s.cur = s.path[:f.depth], f.cur
	t.known[key] = n
	return n
}

// sum adds what can be added.
func (t *tree) sum(a, b uint64) uint64 {
	n, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		t.halt(Reason{Bound: BoundPoll, Text: "there are more than can be counted"})
	}
	return n
}
