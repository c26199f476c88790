package optimal

import (
	"slices"
	"time"
	"unsafe"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
)

// A sharedNode is a frame that workers share, with the path to it.
//
// frames[i] and nodes[i] belong to the same frame; the last ones are the node itself. A sharedNode is
// changed with pool.mu held; recordedPath, frames and nodes never.
//
// tasks[:merged] are nil: they have been merged, except perhaps the last one, which may be pool.next. ready
// may still have tasks that have been taken as pool.next (see sharedNode.pick). As long as openAlternatives
// is not 0, candidates are in waiting, not in ready.
type sharedNode struct {
	recordedPath
	frames []frame       // frames of the path and this node, without candidates
	nodes  []*sharedNode // nodes of these frames

	tasks  []*task          // in the order of a search by one worker, as far as that order is known
	merged int              // number of these that have been merged, or are next
	known  map[uint64]*task // by fingerprint; nil: a task that is older than the node

	openAlternatives int     // number of alternatives that are unexecuted tasks
	waiting          []*task // candidates, which are explored after these alternatives
	ready            []*task // untaken tasks, and perhaps some taken ones
	queued           bool    // the node is in pool.available
	dependsOnOutput  bool    // as in frame
	size             int64   // memory of the nodes shared at the same time, if this is the first of them; otherwise 0
}

// A task is an alternative, or a candidate, of a node, with the subtree below it.
//
// A task has either a choice >= 0, or a candidate with transitions, its set S (candidate.lo and hi
// are not used). found has the candidates of shared frames that were found in its subtree, in the
// order of finding. exact: mergedBefore is the count of one worker at the beginning of this task,
// so that the bound on executions is noticed in the right place.
//
// Merging empties it, because a search may have millions of tasks.
type task struct {
	node        *sharedNode // nil: the task is the whole search
	number      uint64
	choice      int // number of an alternative, or -1
	candidate   candidate
	transitions []hb.Transition // transitions of candidate
	key         uint64          // key of the candidate in node.known; 0: no key
	placed      bool            // the task is in node.tasks
	taken       bool            // a worker explores it, or has
	here        bool            // the task is not for other processes
	taker       uint64          // identifies the proxy that has sent the task away; 0: the task is in this process
	sentAt      time.Time       // if it is not

	// The results of the worker.
	finished     bool
	mergedBefore uint64 // executions that had been merged when the task was begun
	exact        bool   // mergedBefore counts all executions before it
	results      por.Subsearch
	stats        por.Stats
	sharedNodes  []*sharedNode // oldest first
	found        []*task

	stop        por.Reason
	byVisitor   bool
	unsupported bool
	wrong       hb.Assumption
	commuting   hb.Commuting
}

// pick returns an untaken task of n, nil if there is none. away: it is for another process.
func (n *sharedNode) pick(away bool) *task {
	for i := 0; i < len(n.ready); {
		t := n.ready[i]
		if away && t.here && !t.taken {
			i++
			continue
		}
		n.ready = slices.Delete(n.ready, i, i+1)
		if !t.taken {
			return t
		}
	}
	return nil
}

func (t *task) bytes() int64 {
	return int64(unsafe.Sizeof(*t)) + int64(len(t.transitions))*int64(unsafe.Sizeof(hb.Transition{}))
}

// place determines the position of t, a candidate, in the order of a search by one worker: that search
// would have found t in the first merged task that found it.
func (t *task) place() {
	if !t.placed {
		t.placed = true
		t.node.tasks = append(t.node.tasks, t)
	}
}
