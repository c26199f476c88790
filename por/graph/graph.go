package graph

import (
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/trace"
)

// Explore is the DPOR engine of Storey, Mercer and Parizek ("A Sound Dynamic Partial Order Reduction Engine
// for Java Pathfinder", 2020): dynamic partial order reduction over any set of events, whose program points
// need not be known in advance. A Marker decides which operations are scheduling points (Yes), may become
// scheduling points (Maybe), or are places to restart from (Replay). A Dependence decides which of them
// depend on each other. The nodes are the DPOR graph of section 3.1 (DPORGraph).
//
// A Maybe node that becomes a scheduling point had no choice generator. The paper then executes a region of
// the search again, from the Replay node above the Maybe node, so that the Maybe node gets a generator
// (section 3.4); that is Config.Restart. Without Restart the search returns to the node, and the node becomes
// a Yes node. This is possible for every operation, explores the same schedules, and executes nothing twice.
//
// The guarantee depends on the client. DataRaceBehavior and EveryAccess find every deadlock,
// every end of the program and every race. As in the paper no states are stored: "the DPOR
// Engine is only sound if state matching is disabled".
//
// Beyond the paper:
//
//   - Choosing a thread at a node executes its operation there. (The paper's engine makes another
//     node for it in the same state, whose choices can only repeat those of the first one.)
//   - Operations that are pending at the end of an execution are treated like those that are
//     executed: they may depend on something that disabled them forever.
//   - A client that continues to answer Maybe ("the search will never finish", section 6) is
//     overruled: the engine remembers where a Maybe node was a scheduling point.
func Explore(sys por.System, v por.Visitor, cfg por.Config, gc Config) por.Result {
	if gc.Client.Marker == nil {
		c := NewDataRaceBehavior()
		gc.Client = Client{Marker: c, Dependence: c}
	}
	rel := hb.PairwiseRelation(cfg.IgnoreOutput)
	rel.SyncOnly = true
	if c, ok := gc.Client.Marker.(*DataRaceBehavior); ok {
		_, leave := cfg.Enter(c)
		defer leave()
	}
	return hb.Refine(v, cfg, rel, func(rel hb.Relation) (por.Result, *hb.Execution) {
		x := newSearcher(sys, v, cfg, gc, rel)
		return x.run(), x.exec
	})
}

// Config has the options of Explore beyond por.Config.
type Config struct {
	Client Client // the zero value: DataRaceBehavior
	// Restart executes regions again, as in the paper.
	Restart bool
	// Emit, if set, gets the graph whenever a goroutine ends ("emit the DPOR Graph as a dot
	// file whenever a thread terminates"). It must not keep it. An error stops the search.
	Emit func(*DPORGraph) error
	_    struct{}
}

// A Client is an analysis that uses the engine (section 3.2). Reset may be nil.
type Client struct {
	Marker     Marker
	Dependence Dependence
	Reset      Resettable
}

// A Marking is a Marker's answer. It decides where the search has nodes, and to which of them it can
// return:
//
//	R ── · ── M ── · ── · ── Y ── · ── M ── Y        · is an operation marked No
//	┊                        ┊              ┊
//	generator                generator      generator         with Config.Restart
//	generator ─ M has one ── generator ──── each M has one    without
//
// If a dependence is found at a Maybe node (M) without a generator, everything from the Replay
// node (R) above it is executed again; on that path M is a Yes node.
type Marking uint8

// The markings. Nodes are of the last three types.
const (
	No     Marking = iota // not a scheduling point
	Maybe                 // the node may become a scheduling point
	Yes                   // the node is a scheduling point
	Replay                // not a scheduling point, but a place to restart from
)

// String returns the name of the paper.
func (m Marking) String() string { return [...]string{"No", "Maybe", "Yes", "Replay"}[m] }

// A Marker is the paper's DporInstructionMarker: "Before each instruction is executed, the DPOR
// Engine calls the mark method". Operations that have several alternatives are
// scheduling points in any case.
type Marker interface {
	Mark(op *Op) Marking
}

// A Dependence is the paper's DporDependenceRelation. Dependent "should return true if and only if
// the two associated scheduling points are dependent as defined by the given analysis, they can be
// co-enabled, and they are concurrent". p is an ancestor of n, and the operation of n has not been
// executed. Neither is a Replay node, and their goroutines differ.
type Dependence interface {
	Dependent(p, n *Node) bool
}

// Resettable is the paper's DporResettable: an analysis whose state is rewound with the search. State
// returns the current state, which must not change any more; Reset returns to it.
type Resettable interface {
	State() any
	Reset(state any)
}

// An Op is an operation for clients: with all its locations.
//
// Touches includes accesses that do not fit in trace.Op (a select on many channels), and hb.OutputAccess if
// it prints.
type Op struct {
	trace.Op
	Touches []trace.Access // valid only during the call, unless it belongs to a node
}

// A Node is a node of the DPOR graph: a state, and the operation that a goroutine is about
// to execute in it.
type Node struct {
	// Nodes are numbered in the order in which they are made, from 0.
	ID     int
	Type   Marking
	Op     Op    // empty in the root, a Replay node
	Parent *Node // the node executed before it
	// Children are the nodes executed after it, followed by the nodes in which another goroutine is
	// scheduled in its state, as in the paper's figures. They are kept only if Config.Emit is set.
	Children []*Node
	Info     any // the paper's DependenceInfo: data of the client

	at           *choiceSet
	x            *searcher
	event        int        // its event in the execution, if n is not 0
	n            uint32     // its number among those of its goroutine, from 1; 0: not executed
	replay       bool       // the paper's replayFlag
	next         *hb.NextOp // the operation for comparisons
	since        int        // the event by which its goroutine arrived at it; -1: none
	dependsOnAll bool
}

// Runnables returns the goroutines that are enabled in the node's state.
func (n *Node) Runnables() []trace.GID { return n.at.runnables }

// Choices returns the goroutines that have been or will be scheduled there.
func (n *Node) Choices() []trace.GID { return n.at.choices }

// Before reports whether the operation of n, an ancestor of m, happens before that of m, by the
// starts of goroutines and by synchronisation: accesses to ordinary memory order nothing.
//
// m may not have been executed. So n is compared with the clock of the arrival of m's goroutine at m, which
// is the clock after m.since.
func (n *Node) Before(m *Node) bool {
	return hb.Entry(n.x.exec.ClockAfter(m.since), n.Op.G) >= n.n
}

// CoEnabled reports whether the operations of n, an ancestor of m, and m may be co-enabled as far
// as the engine knows: see hb.Execution.MayBeCoEnabled.
//
// Example of two that may not be co-enabled: an Unlock, and the Lock of the same mutex that waits for it.
func (n *Node) CoEnabled(m *Node) bool {
	return n.x.exec.MayBeCoEnabled(n.event, m.since, m.Op.G, m.next, n.at.runnables)
}

// Conflicts reports whether the operations of n and m touch the same location, one of them may
// change it, and they do not commute.
//
// Operations that commute also conflict if the step of n has brought a goroutine to the Wait
// of m's WaitGroup (hb.Relation.Arrivals): happens-before orders them then, and ordered operations have to
// be reversed.
//
//	g0: load x; wg.Add(1); go ...; then at wg.Wait      g1: wg.Add(1); add to x
//
// g0's Add, with which it arrives, is ordered before g1's. The two operations on x are adjacent only where
// g1's Add comes first.
func (n *Node) Conflicts(m *Node) bool {
	if n.Op.CommutesWith(&m.Op.Op) {
		return n.n > 0 && hb.Overlap(n.x.exec.Arrivals(n.event), m.Op.Touches)
	}
	return n.Share(m, func(a, b trace.Access) bool { return a.Write || b.Write })
}

// Share reports whether the operations of n and m touch a common location for which
// f is true.
func (n *Node) Share(m *Node, f func(a, b trace.Access) bool) bool {
	for _, a := range n.Op.Touches {
		for _, b := range m.Op.Touches {
			if a.Overlaps(b) && f(a, b) {
				return true
			}
		}
	}
	return false
}

// A DPORGraph is the paper's DPOR graph: the nodes of all paths so far.
//
// Nodes that are not on the current path are reachable by Children only, which are kept for
// Config.Emit.
type DPORGraph struct {
	Root  *Node // a Replay node
	Last  *Node // the newest node of the current path
	Ended []trace.GID
	Nodes int
}
