package optimal

import (
	"hbcheck.dev/hbcheck/por"
)

// Merging the findings of workers, in the order of one worker.

// finish is called when w has explored its task, or has been stopped in it.
//
// A task of an earlier epoch is dropped: it has been replaced by a copy (restartSequentially).
func (p *pool) finish(w *worker, t *task) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.finishLocked(w, t)
}

// finishLocked is finish, with the lock held.
func (p *pool) finishLocked(w *worker, t *task) {
	w.live, w.took = por.Stats{}, nil
	if w.epoch != p.epoch {
		return
	}
	if t.number > 0 {
		p.taskBytes -= t.bytes()
	}
	if !w.away {
		w.used = t.stats.PeakBytes
	}
	p.measureMemory()
	p.counted.Add(&t.stats)
	t.finished = true
	p.unmerged[t] = true
	if p.mergeFinished(); p.over {
		p.changed.Broadcast()
	} else {
		p.wake() // a worker may now merge another task
	}
}

// mergeFinished merges all tasks whose turn it is.
//
// The verdict of the search comes from the first task, in the order of one worker, that stops the search.
// Later tasks may have finished earlier; their results are dropped.
func (p *pool) mergeFinished() {
	for !p.over && p.next.finished {
		t := p.next
		// The bound lies in this task, at a place that depends on earlier tasks, which were not
		// known when it began.
		if most := p.cfg.MaxExecutions; most > 0 && !t.exact && p.stats.Done()+t.stats.Done() >= most {
			p.restartSequentially()
			return
		}
		delete(p.unmerged, t)
		p.stats.Add(&t.stats)
		proceed := p.visitor.Merge(t.results)
		p.wrong = t.wrong | p.commuting.Add(t.commuting)
		switch {
		case t.unsupported || p.wrong != 0:
			p.over, p.unsupported = true, true
		case t.byVisitor || !proceed:
			p.over, p.byVisitor = true, true
		case t.stop.Bound != "":
			p.over, p.stop = true, t.stop
		}
		// Now it is known that its candidates come after all tasks placed so far.
		for _, c := range t.found {
			c.place()
		}
		p.open = append(p.open, t.sharedNodes...)
		*t = task{placed: true, taken: true, finished: true} // sharedNode.known still has it
		p.next = p.nextTask()
		p.over = p.over || p.next == nil
	}
}

// nextTask takes the next task in the order of a search by one worker.
//
// The youngest node with tasks comes first: one worker backtracks to its youngest frame. A node
// without tasks is dropped, because its whole subtree has been merged: nothing finds a candidate of it
// any more.
func (p *pool) nextTask() *task {
	for len(p.open) > 0 {
		n := p.open[len(p.open)-1]
		if n.merged < len(n.tasks) {
			t := n.tasks[n.merged]
			n.tasks[n.merged] = nil
			n.merged++
			return t
		}
		p.open = p.open[:len(p.open)-1]
		p.nodeBytes -= n.size
	}
	return nil
}

// restartSequentially drops all unmerged tasks. From here on tasks are explored one after the other.
//
// Workers notice the new epoch at their next poll or when they finish; their additions until then are
// ignored (addCandidate, donate).
func (p *pool) restartSequentially() {
	p.sequential = true
	p.epoch++
	p.taskBytes, p.nodeBytes = 0, 0
	for _, n := range p.open {
		p.nodeBytes += n.size
	}
	p.available, p.unmerged, p.counted = nil, make(map[*task]bool), p.stats
	again := func(t *task) *task { // a worker may still be exploring t itself
		return &task{
			node: t.node, choice: t.choice, placed: true,
			candidate: t.candidate, transitions: t.transitions,
		}
	}
	p.next = again(p.next)
	for _, n := range p.open {
		for i := n.merged; i < len(n.tasks); i++ {
			n.tasks[i] = again(n.tasks[i])
		}
		for key, t := range n.known {
			if t != nil && !t.placed {
				// Only a dropped task has found the candidate. Another task will find the candidate again.
				delete(n.known, key)
			}
		}
	}
}
