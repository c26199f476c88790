package graph

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/por/toys"
	"hbcheck.dev/hbcheck/trace"
)

// The programs of Table 1 of Storey et al., whose sources are lost: reconstructions that fit
// all eight of its numbers. x, y and z are variables 0, 1 and 2.
var (
	dporGraphExample = [][]toys.Instr{{{Op: toys.Go, A: 1}, {Op: toys.Write, A: 0, B: 2}}, {{Op: toys.Write, A: 0, B: 1}}} // Figure 2
	maybeExample     = [][]toys.Instr{{{Op: toys.Go, A: 1}, {Op: toys.Go, A: 2}}, {{Op: toys.Write, A: 0, B: 1}}, {{Op: toys.Write, A: 0, B: 2}}}
	moreSimple       = [][]toys.Instr{{{Op: toys.Write, A: 0}, {Op: toys.Go, A: 1}, {Op: toys.Go, A: 2}},
		{{Op: toys.Write, A: 0, B: 1}}, {{Op: toys.Read, A: 0}, {Op: toys.Inc}, {Op: toys.WriteReg, A: 0}}}
	lessSimple = [][]toys.Instr{{{Op: toys.Go, A: 1}, {Op: toys.Go, A: 2}, {Op: toys.Go, A: 3}},
		{{Op: toys.Write, A: 0, B: 1}, {Op: toys.Read, A: 0}}, {{Op: toys.Write, A: 1, B: 1}}, {{Op: toys.Write, A: 0, B: 1}, {Op: toys.Read, A: 0}}}
	dporEngineExample = [][]toys.Instr{{{Op: toys.Write, A: 0}, {Op: toys.Go, A: 1}, {Op: toys.Go, A: 2}},
		{{Op: toys.Write, A: 1, B: 1}, {Op: toys.Read, A: 0}, {Op: toys.Read, A: 2}, {Op: toys.WriteReg, A: 0}},
		{{Op: toys.Write, A: 1, B: 2}, {Op: toys.Read, A: 0}, {Op: toys.Read, A: 2}, {Op: toys.WriteReg, A: 0}}}
)

// graphClients are the clients shipped.
func graphClients() []struct {
	name   string
	client func() Client
} {
	return []struct {
		name   string
		client func() Client
	}{
		{"DataRaceBehavior", func() Client { c := NewDataRaceBehavior(); return Client{Marker: c, Dependence: c} }},
		{"EveryAccess", func() Client { return Client{Marker: EveryAccess{}, Dependence: EveryAccess{}} }},
	}
}

// TestGraphTable1: "For DRB and EA we include the number of graphs emitted as it gives a measure of
// how many schedules were enumerated." One is emitted for every goroutine that ends, on every
// branch of the search and in every replay.
func TestGraphTable1(t *testing.T) {
	for _, tt := range []struct {
		name               string
		prog               [][]toys.Instr
		graphs, executions [2]uint64 // DataRaceBehavior, EveryAccess
		replays            uint64
	}{
		{"DporGraphExample", dporGraphExample, [2]uint64{6, 4}, [2]uint64{3, 2}, 1},
		{"MaybeExample", maybeExample, [2]uint64{8, 5}, [2]uint64{3, 2}, 1},
		{"MoreSimple", moreSimple, [2]uint64{7, 7}, [2]uint64{3, 3}, 0},
		{"LessSimple", lessSimple, [2]uint64{17, 19}, [2]uint64{5, 6}, 1},
		{"DporEngineExample", dporEngineExample, [2]uint64{62, 125}, [2]uint64{30, 62}, 1},
	} {
		for i, c := range graphClients() {
			emitted := uint64(0)
			f, r := toys.Explore(t, toys.New(tt.prog...), graphOf(Config{Client: c.client(), Restart: true, Emit: func(*DPORGraph) error { emitted++; return nil }}), por.Config{})
			replays := tt.replays
			if i == 1 {
				replays = 0 // there are no Maybe nodes
			}
			if emitted != tt.graphs[i] || r.Graphs != emitted || r.Executions != tt.executions[i] || r.Replays != replays {
				t.Errorf("%s, %s: %d graphs, %d executions, %d replays; want %d, %d, %d", tt.name, c.name,
					emitted, r.Executions, r.Replays, tt.graphs[i], tt.executions[i], replays)
			}
			g, r := toys.Explore(t, toys.New(tt.prog...), graphOf(Config{Client: c.client()}), por.Config{})
			if fmt.Sprint(toys.Keys(f.Leaves)) != fmt.Sprint(toys.Keys(g.Leaves)) || r.Replays != 0 {
				t.Errorf("%s, %s: rewinding finds %v with %d replays, restarting %v", tt.name, c.name, toys.Keys(g.Leaves), r.Replays, toys.Keys(f.Leaves))
			}
			t.Logf("%s, %s: %d graphs by rewinding, %d executions", tt.name, c.name, r.Graphs, r.Executions)
		}
	}
}

// TestGraphFigure1 draws the DPOR graph of the paper's Figure 1: "Each DPOR Graph has a Replay node
// as its root node"; Node 1 is the Maybe node of the write in line 5, Node 2 the Yes node of that
// in line 8; "Node 3 and Node 1 both correspond to line 5 of the program but on the replay Node 3
// has two children indicating that two schedules were executed".
func TestGraphFigure1(t *testing.T) {
	var text strings.Builder
	toys.Explore(t, toys.New(dporGraphExample...), graphOf(Config{Restart: true, Emit: func(g *DPORGraph) error {
		text.Reset()
		return g.WriteDOT(&text, nil)
	}}), por.Config{})
	const want = `digraph dpor {
	node [shape=box];
	n0 [label="0 Replay\nrunnables {0}\nchoices {}", style=bold];
	n0 -> n1;
	n0 -> n3;
	n1 [label="1 Maybe\ng0: write\nrunnables {0, 1}\nchoices {0, 1}"];
	n1 -> n2;
	n2 [label="2 Yes\ng1: write\nrunnables {1}\nchoices {1}"];
	n3 [label="3 Yes\ng0: write\nrunnables {0, 1}\nchoices {0, 1}"];
	n3 -> n4;
	n3 -> n5;
	n4 [label="4 Yes\ng1: write\nrunnables {1}\nchoices {1}"];
	n5 [label="5 Yes\ng1: write\nrunnables {0, 1}\nchoices {0, 1}", style=bold];
	n5 -> n6;
	n6 [label="6 Yes\ng0: write\nrunnables {0}\nchoices {0}", style=bold];
}
`
	if text.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &text, want)
	}
}

// regions is DataRaceBehavior that answers Replay before every start of a goroutine.
type regions struct{ *DataRaceBehavior }

func (c regions) Mark(op *Op) Marking {
	if op.Kind == trace.Go {
		return Replay
	}
	return c.DataRaceBehavior.Mark(op)
}

// TestGraphRegions: "Instead of restarting the search from the beginning to insert choice
// generators, a smaller section of the search can be replayed from that point."
func TestGraphRegions(t *testing.T) {
	var main []toys.Instr
	for range 20 {
		main = append(main, toys.Instr{Op: toys.Write, A: 1})
	}
	prog := [][]toys.Instr{append(main, maybeExample[0]...), maybeExample[1], maybeExample[2]}
	c := NewDataRaceBehavior()
	f, whole := toys.Explore(t, toys.New(prog...), graphOf(Config{Restart: true, Client: Client{Marker: c, Dependence: c}}), por.Config{})
	c = NewDataRaceBehavior()
	g, part := toys.Explore(t, toys.New(prog...), graphOf(Config{Restart: true, Client: Client{Marker: regions{c}, Dependence: c}}), por.Config{})
	if whole.Replays != 1 || part.Replays != 1 || fmt.Sprint(f.Leaves) != fmt.Sprint(g.Leaves) {
		t.Errorf("%d and %d replays, endings %v and %v", whole.Replays, part.Replays, f.Leaves, g.Leaves)
	}
	if part.Transitions != whole.Transitions-21 { // the writes, and the first start
		t.Errorf("%d steps with a region, %d without", part.Transitions, whole.Transitions)
	}
}

// stubborn answers Maybe always.
type stubborn struct{ EveryAccess }

func (stubborn) Mark(*Op) Marking { return Maybe }

// TestGraphStubborn: "If it continues to return Maybe for instructions that are scheduling points,
// the DPOR Engine will simply continue to replay those sections and the search will never finish."
// Here the search finishes.
func TestGraphStubborn(t *testing.T) {
	for _, restart := range []bool{true, false} {
		f, r := toys.Explore(t, toys.New(dporEngineExample...), graphOf(Config{Restart: restart, Client: Client{Marker: stubborn{}, Dependence: stubborn{}}}), por.Config{})
		g, _ := toys.Explore(t, toys.New(dporEngineExample...), stateful.Full, por.Config{})
		if fmt.Sprint(toys.Keys(f.Leaves)) != fmt.Sprint(toys.Keys(g.Leaves)) || restart != (r.Replays > 0) {
			t.Errorf("restart %v: %d replays, %d endings; want %d", restart, r.Replays, len(f.Leaves), len(g.Leaves))
		}
	}
}

// lockOrder is a client as a researcher would write one: it schedules over acquisitions of locks only, and
// collects in which order locks are held together. When the search returns to a state, so do the locks
// held.
type lockOrder struct {
	held   [toys.MaxGoroutines][]uint32 // by goroutine
	orders map[[2]uint32]bool
}

func (c *lockOrder) Mark(op *Op) Marking {
	switch op.Kind {
	case trace.Lock:
		l := op.Touches[0].Off
		for _, m := range c.held[op.G] {
			c.orders[[2]uint32{m, l}] = true
		}
		c.held[op.G] = append(slices.Clip(c.held[op.G]), l)
		return Yes
	case trace.Unlock:
		c.held[op.G] = slices.DeleteFunc(slices.Clone(c.held[op.G]), func(l uint32) bool { return l == op.Touches[0].Off })
	}
	return No
}

func (c *lockOrder) Dependent(p, n *Node) bool { return p.Conflicts(n) && !p.Before(n) }

func (c *lockOrder) State() any { return c.held }

func (c *lockOrder) Reset(state any) { c.held = state.([toys.MaxGoroutines][]uint32) }

// TestGraphClient: "The DporResettable can then use the state object to reset its data to the match
// the program state."
func TestGraphClient(t *testing.T) {
	c := &lockOrder{orders: make(map[[2]uint32]bool)}
	f, _ := toys.Explore(t, toys.Started(toys.Crossed...), graphOf(Config{Client: Client{c, c, c}}), por.Config{})
	if !c.orders[[2]uint32{0, 1}] || !c.orders[[2]uint32{1, 0}] || len(c.orders) != 2 || len(f.Leaves) != 2 {
		t.Errorf("orders %v, %d endings; want both orders of two locks and 2 endings, one of them a deadlock", c.orders, len(f.Leaves))
	}
}

// graphOf returns Explore with the configuration gc.
func graphOf(gc Config) por.Search {
	return func(sys por.System, v por.Visitor, cfg por.Config) por.Result { return Explore(sys, v, cfg, gc) }
}
