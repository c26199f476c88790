package oracle

import (
	"math/bits"
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// A Partition finds, in the present state of a machine, goroutines with which the others cannot interfere
// before they have moved: parallel subtests, subsystems that share no memory. It implements por.Parts.
//
// It needs no static facts. A part is closed: a goroutine that can obtain a pointer to an object that the
// pending operation of a member touches is a member, too.
//
//	g1: a.mu.Lock()  ─▶ a ◀─ g2: a.mu.Lock()      g3: <-c ─▶ c ◀─ g4: c <- 1
//	                    part {g1, g2}                          part {g3, g4}
//
// Claim. The steps that members can take now are a persistent set (Godefroid 1996): no operation that the
// others can execute as long as no member moves depends on one of them.
//
//  1. Let w be a sequence of steps in which no member takes part, and x a step of w or one that can
//     follow w without a member. x touches no object that a pending operation of a member touches: its
//     goroutine would need a pointer to the object, which only members can obtain (see vm.Reach). All
//     goroutines can obtain the variables, and the objects that existed when the program began.
//  2. The objects that an operation of a kind in byAccess touches (por.Effects.Touches) decide whether
//     and how it can be executed, and contain all of its changes that others notice. So do the objects
//     touched by goroutines that wait there: a rendezvous depends on the partners that are ready. A
//     goroutine that waits at an object refers to it, so it is a member, and x touches none of its
//     objects. No operation changes a closed and empty channel any more, even if a member touches it.
//  3. So x and the steps of members do not change each other's alternatives and effects: they commute.
//  4. The first step after w in which a member takes part is executed by a member: if another goroutine
//     executed the member's operation along with its own, in a rendezvous, it would touch the member's
//     objects. By 3 this step could be taken now, so it is one of the steps of the claim. No such step
//     ends the program, on which all operations depend: crashing and exiting are not in byAccess, and
//     the release of a lock that is not held is excluded (Misuses).
//  5. Time passes, and the collector acts, only while no goroutine is enabled, but a member is enabled;
//     no step inspects the positions of goroutines (Overtakes). So w has no step that depends on all
//     (Effects.DependsOnAll). Operations on other things than memory (the clock, goroutines, output,
//     bubbles) concern all goroutines: members have no such operations (byAccess), and a program with
//     bubbles has no parts.
//  6. A goroutine that waits for time to pass (Machine.AwaitsTime) takes no step now, and by 5 none in
//     w, unless its timer is reset there. A goroutine that resets a timer has a pointer to it, and so to
//     all objects of the timer's goroutine: it is x in 1. So a waiting timer does not make others
//     members. The same holds for the collector (Machine.Collector).
//
// Parts are small if memory is not shared. Goroutines that can lock the same mutex are in one part; only
// Oracle.Skip uses facts about when they can lock it.
//
// Sets are sets of groups of goroutines, with a bit for each group. A group is a single goroutine as long
// as there are enough bits. If there are more goroutines, those that are about to touch the same object are
// a group, such as a hundred that wait in a channel. By claim 2 they are in one part anyway, except for
// goroutines that wait for time to pass. If there are still too many groups, the last ones are one group. A
// group is in a part as a whole, so a set closed under groups is closed under goroutines, and the claim
// holds for it.
type Partition struct {
	m       *vm.Machine
	reach   *vm.Reach
	most    int // groups
	live    []trace.GID
	groups  []uint64          // by live goroutine: the bit of its group
	touches map[uint32]uint64 // the groups of goroutines that touch an object
	needs   []uint64          // by group: the groups that it needs directly in its part
	touched []trace.Access
	cases   []por.Case
	part    []trace.GID
	apart   separation
}

// NewPartition returns a Partition of m's goroutines, in at most vm.MaxReach-1 groups.
func NewPartition(m *vm.Machine) *Partition { return NewPartitionOf(m, vm.MaxReach-1) }

// NewPartitionOf is NewPartition with at most the given number of groups, at least one.
func NewPartitionOf(m *vm.Machine, most int) *Partition {
	return &Partition{m: m, reach: m.StaticView().NewReach(), most: most, touches: make(map[uint32]uint64)}
}

// byAccess are the kinds of operations that depend only on operations that touch the same object.
var byAccess = trace.KindsWhere(func(r *trace.Row) bool {
	return r.On.Row().Placed && r.Commutes == trace.ByAccess && !r.Ends
})

// private are the kinds that depend on nothing if they touch nothing.
var private = trace.KindsWhere(func(r *trace.Row) bool {
	//mutant: parts: output depends on nothing [partPrograms]: "| r.Commutes" -> "| r.Commutes == trace.UnlessPrinted || r.Commutes"
	//mutant: parts: the end of the program depends on nothing [partPrograms]: "| r.Commutes" -> "| r.Commutes == trace.Never || r.Commutes"
	return r.Commutes == trace.Always || r.Commutes == trace.UnlessCounted
})

// everyone is a set that no part has.
const everyone = ^uint64(0)

// Part implements por.Parts. It chooses the smallest part, and among equals the first. The choice depends
// only on the state, so the search continues with the same part in all states in which only others have
// moved.
func (p *Partition) Part(enabled []trace.GID) []trace.GID {
	part, able := p.find(enabled)
	if part == 0 {
		return nil
	}
	p.part = p.part[:0]
	p.each(enabled, func(g trace.GID, group uint64, enabled bool) {
		if enabled && group&part&able != 0 {
			p.part = append(p.part, g)
		}
	})
	return p.part
}

// find returns the groups of the smallest part, and those that are able to move; 0: there is no part.
func (p *Partition) find(enabled []trace.GID) (part, able uint64) {
	p.live = p.live[:0]
	p.m.Live(func(g trace.GID) { p.live = append(p.live, g) })
	if p.m.Overtakes() || p.m.StaticView().InBubbles() {
		return 0, 0
	}
	n := p.group()
	p.reach.Find(p.live, p.groups)
	p.needs = append(p.needs[:0], make([]uint64, n)...)
	p.each(enabled, func(g trace.GID, group uint64, enabled bool) {
		//mutant: parts: a group needs what its last goroutine needs [partPrograms]: "group)] |" -> "group)] "
		p.needs[bits.TrailingZeros64(group)] |= p.needsOf(g, p.reach)
		if enabled {
			able |= group
		}
	})
	best := able
	for rest := able; rest != 0 && best&(best-1) != 0; rest &= rest - 1 {
		if closed := p.close(rest & -rest); closed != everyone && bits.OnesCount64(closed&able) < bits.OnesCount64(best) {
			part, best = closed, closed&able
		}
	}
	return part, able
}

// each calls f for all live goroutines, with their groups and whether they are enabled. enabled is
// in the same order as the live goroutines.
func (p *Partition) each(enabled []trace.GID, f func(g trace.GID, group uint64, enabled bool)) {
	for i, g := range p.live {
		is := len(enabled) > 0 && enabled[0] == g
		if is {
			enabled = enabled[1:]
		}
		f(g, p.groups[i], is)
	}
}

// group puts each live goroutine into a group, and returns how many there are.
func (p *Partition) group() (n int) {
	p.groups = p.groups[:0]
	clear(p.touches)
	for _, g := range p.live {
		bit := uint64(1) << n
		if len(p.live) > p.most {
			bit = p.groupOf(g, bit)
		}
		if bit>>n != 0 && n == p.most {
			bit >>= 1 // the last group
		} else if bit>>n != 0 {
			n++
		}
		p.groups = append(p.groups, bit)
	}
	return n
}

// groupOf returns the bit of the group that touches the first object that g is about to touch; if there is
// none, bit, for a new group.
func (p *Partition) groupOf(g trace.GID, bit uint64) uint64 {
	list := p.m.Touches(g, p.touched[:0])
	p.touched = list
	if len(list) == 0 {
		return bit
	}
	old, ok := p.touches[list[0].Obj]
	if !ok {
		old, p.touches[list[0].Obj] = bit, bit
	}
	return old
}

// needsOf returns the goroutines that a part with g must have because of g's pending operation, as far as
// reach has found them.
func (p *Partition) needsOf(g trace.GID, reach *vm.Reach) uint64 {
	if p.m.StaticView().AwaitsTime(g) || p.m.StaticView().Collector(g) {
		return 0
	}
	kind := p.m.Next(g).Kind
	//mutant: parts: a select is on two channels [partTexts]: "p.touched = p.m.Touches(g, p.touched[:0]" -> "op := p.m.Next(g)\n\tp.touched = append(p.touched[:0], op.Access[:op.N]..."
	p.touched = p.m.Touches(g, p.touched[:0])
	switch {
	case byAccess.Has(kind) && len(p.touched) > 0:
	case private.Has(kind) && len(p.touched) == 0:
		return 0
	default:
		return everyone
	}
	//mutant: parts: releasing a lock that is not held ends nothing [partTexts]: false
	if p.m.StaticView().Misuses(g) {
		return everyone
	}
	if kind.Communicates() {
		p.cases, _ = p.m.Cases(g, p.cases[:0])
	} else {
		p.cases = p.cases[:0]
	}
	set := uint64(0)
	for _, a := range p.touched {
		//mutant: parts: what is in a closed channel is no difference [partTexts]: " && c.Len == 0" -> ""
		//mutant: parts: an empty channel remains so [partTexts]: "Closed && c." -> ""
		if !slices.ContainsFunc(p.cases, func(c por.Case) bool { return c.Chan == a.Obj && c.Closed && c.Len == 0 }) {
			//mutant: parts: what a member touches can be obtained by none [partTexts]
			set |= reach.By(a.Obj)
		}
	}
	return set
}

// close returns the smallest part that has the groups of set; everyone, if there is none.
func (p *Partition) close(set uint64) uint64 {
	for todo := set; todo != 0; {
		more := p.needs[bits.TrailingZeros64(todo)]
		todo &= todo - 1
		if more == everyone {
			return everyone
		}
		//mutant: parts: a member needs no members [partPrograms]
		todo |= more &^ set
		set |= more
	}
	return set
}
