package optimal

import (
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/por/toys"
	"hbcheck.dev/hbcheck/trace"
)

// TestShareDeep: the nodes of a long path share the path and its frames, whose memory counts.
func TestShareDeep(t *testing.T) {
	const n = 2000
	lock, unlock := toys.Instr{Op: toys.Lock}, toys.Instr{Op: toys.Unlock}
	spin := []toys.Instr{{Op: toys.Go, A: 1}, lock, {Op: toys.Load}, unlock, {Op: toys.Jump, A: 1, B: 0}}
	toy := toys.New(spin, []toys.Instr{lock, {Op: toys.Store, B: 1}, unlock})
	p := newPool(toys.NewRecorder(toy, 0), por.Config{MaxSteps: n, Jobs: 2}, options{}, hb.Relation{}, nil)
	w := p.newWorker(replica{sys: toy})
	w.task = &task{placed: true}
	p.next, w.shared = w.task, -1
	w.searcher.Visitor = p.visitor
	w.runToEnd(trace.NoGID, -1)
	for i := range w.frames { // only a young frame has work left
		f := &w.frames[i]
		f.nextAlternative, f.nextCandidate = f.numAlternatives, len(f.candidates)
	}
	w.frames[len(w.frames)-2].numAlternatives++
	w.share(0)
	if len(w.nodes) < n/8 {
		t.Fatalf("%d nodes", len(w.nodes))
	}
	last := w.nodes[len(w.nodes)-1]
	for i, x := range w.nodes {
		if len(x.frames) != i+1 || len(x.nodes) != i+1 || x.nodes[i] != x || len(x.path) != x.frames[i].depth {
			t.Fatalf("node %d has %d frames and %d nodes", i, len(x.frames), len(x.nodes))
		}
		if &x.frames[0] != &last.frames[0] || &x.nodes[0] != &last.nodes[0] || len(x.path) > 0 && &x.path[0] != &last.path[0] {
			t.Fatalf("node %d has a copy of its own", i)
		}
	}
	size, all := p.nodeBytes, p.measureMemory()
	p.nodeBytes = 0
	if size < 100*int64(len(w.nodes)) || size > 1000*int64(len(w.nodes)) || p.measureMemory() != all-size {
		t.Errorf("%d nodes take %d bytes, of %d", len(w.nodes), size, all)
	}
	p.nodeBytes = size
	p.open = []*sharedNode{w.nodes[0]}
	w.nodes[0].merged = len(w.nodes[0].tasks)
	if p.nextTask(); p.nodeBytes != 0 {
		t.Errorf("%d bytes are left", p.nodeBytes)
	}
}
