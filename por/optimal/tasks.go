package optimal

import (
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
)

// A sharedNode is a frame that workers share, with the path to it.
//
// frames[i] and nodes[i] are of the same frame; the last ones are the node itself. A sharedNode is
// changed with pool.mu held; recordedPath, frames and nodes never.
//
// tasks[:merged] are nil: they have been merged, but for the last one, which may be pool.next.
// ready may have tasks that were taken otherwise, as pool.next (see sharedNode.pick). As long as
// openAlternatives > 0 candidates are in waiting, not in ready.
type sharedNode struct {
	recordedPath
	frames []frame       // those of the path and this one, without candidates
	nodes  []*sharedNode // of these frames

	tasks  []*task          // in the order of a search by one worker, as far as it is known
	merged int              // how many of these have been merged, or are next
	known  map[uint64]*task // by fingerprint; nil: a task that is older than the node

	openAlternatives int     // that are tasks and have not been executed yet
	waiting          []*task // candidates, which are not explored before
	ready            []*task // that no worker has taken, and maybe some others
	queued           bool    // it is in pool.available
	dependsOnOutput  bool    // as in frame
}

// A task is an alternative, or a candidate, of a node, with the subtree below it.
//
// Either choice >= 0, or candidate and transitions (its set S; candidate.lo and hi are not used).
// found has the candidates of shared frames that were found in its subtree, in the order of
// finding. exact says that the bound on executions is noticed in the right place: mergedBefore is
// what one worker would have counted when it begins this task.
//
// Once it is merged nothing of it is needed any more, and it is emptied: a search may have
// millions of tasks.
type task struct {
	node        *sharedNode // nil: it is the whole search
	number      uint64
	choice      int // of an alternative, or -1
	candidate   candidate
	transitions []hb.Transition // of candidate
	placed      bool            // it is in node.tasks
	taken       bool            // a worker explores it, or has

	// What the worker has found:
	finished     bool
	mergedBefore uint64 // executions that had been merged when it was begun
	exact        bool   // and these were all that come before it
	results      por.Subsearch
	stats        por.Stats
	sharedNodes  []*sharedNode // oldest first
	found        []*task

	stop             por.Reason
	byVisitor        bool
	unsupported      bool
	commutingRefuted bool
	commuting        hb.Commuting
}

// pick returns one of n's tasks that no worker has taken, if there is one.
func (n *sharedNode) pick() *task {
	for len(n.ready) > 0 {
		t := n.ready[0]
		n.ready = n.ready[1:]
		if !t.taken {
			return t
		}
	}
	return nil
}

func (t *task) bytes() int64 {
	return int64(unsafe.Sizeof(*t)) + int64(len(t.transitions))*int64(unsafe.Sizeof(hb.Transition{}))
}

// place gives t, a candidate that has been found, its place in the order of a search by one worker.
//
// The first task merged that has found it decides. That is the one in which one worker would have
// found it.
func (t *task) place() {
	if !t.placed {
		t.placed = true
		t.node.tasks = append(t.node.tasks, t)
	}
}
