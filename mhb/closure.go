package mhb

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/load/overlay"
	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/trace"
)

// summary is the result of the walk of one goroutine, given the operations that the others can enable.
type summary struct {
	conflict bool            // it can reach an operation that conflicts with the target, or unknown code
	witness  ssa.Instruction // instruction of the conflict; nil if it is not in the program's code
	reason   string          // the rarest kind of operation at which it is blocked
	reached  static.Set      // the accesses that it can make, if the target collects them,
	syncs    []syncEffect    // and the synchronising operations that it can execute
	eff      effects         // its operations that enable operations of others
	stops    []stop          // operations at which the goroutine is blocked

	// Of a function:
	returns bool
	raises  events // the amounts by which it has certainly incremented counters when it returns
	work    int    // what the walk took
}

// closure computes the fixed point for tc and t: everything that the other goroutines can do while tc
// waits. It returns their summaries, which are valid until the next call, and false if one of them
// conflicts or the computation takes too long. conflicts, if not nil, is a further test of whether a
// summary conflicts.
//
// Calls can be nested: the memory that a walk may read can depend on the writes of the others (askParked).
// depth says which buffers are in use.
//
// Claim: each round finds at least what the one before has found.
//
//  1. A walk depends on the round only in blocked: there it passes an operation if those of the
//     round before have been found to enable it (askEnabled).
//  2. So if that round found more than its own predecessor, every operation that was passed then is
//     passed now; and a walk that passes more reaches more and notes more.
//  3. The second round passes at least what the first one does, which passes nothing that is
//     disabled.
//  4. A walk that has not been blocked at an operation that is enabled now would find the same
//     again, by 1 and 2: so that goroutine is not walked again. The round in which no goroutine is
//     walked again is the last.
//
// The set of findings is finite, so a fixed point exists; maxRounds bounds the search for it.
func (o *Oracle) closure(s State, tc trace.GID, t *target, conflicts func(*summary) bool) (all []*summary, ok bool) {
	n := &o.now
	depth := n.depth
	if 2*depth == len(n.lists) {
		n.lists = append(n.lists, nil, nil)
	}
	n.depth++
	defer func() {
		if n.depth = depth; depth == 0 {
			o.looked(ok)
		}
	}()
	looked := func(h trace.GID, x *summary) bool {
		if x.conflict {
			o.Witness = x.witness
		} else if conflicts == nil || !conflicts(x) {
			return true
		}
		o.WitnessOf = h
		return false
	}
	if h := o.suspect(tc); h != tc && slices.Contains(n.live, h) {
		if !looked(h, o.summary(s, tc, h, t, nil, false)) {
			return nil, false
		}
	}
	var found []*summary               // findings of the round before
	for round := range maxRounds + 1 { // in the last round the findings are only compared
		buf := 2*depth + round%2
		list, same := n.lists[buf][:0], true
		for _, g := range n.live {
			if g == tc {
				continue
			}
			if round > 0 {
				//mutant: a walk that was blocked is the same [channels readyElsewhere]: true
				if x := found[len(list)]; !o.enables(s, x, found) {
					list = append(list, x)
					continue
				}
			}
			if o.over() || round == maxRounds {
				return nil, false
			}
			same = false
			x := o.summary(s, tc, g, t, found, round > 0)
			if !looked(g, x) {
				o.suspects[tc] = g
				return nil, false
			}
			list = append(list, x)
		}
		n.lists[buf] = list
		if same {
			return list, !o.refuted(s, list, t)
		}
		found = list // a walk that passes more operations has no fewer findings
	}
	return nil, false
}

// looked counts a question with the number of goroutines that had to be examined in one round. The number
// actually examined depends on remembered results, which differ between workers, and after a search has
// been resumed.
func (o *Oracle) looked(ok bool) {
	if !ok {
		o.Looked++ // usually the suspect
		return
	}
	o.Looked += uint64(len(o.now.live))
}

// treeKey is the key of a decision tree: the goroutine's stack, and whether this is the first round, in
// which nothing is enabled. The events with which a later round begins are not part of the key: they differ
// in nearly every state, and a walk depends on them only at the few operations that it finds disabled.
type treeKey struct {
	stack          [2]uint64
	canMove, later bool
}

// suspect returns the goroutine that was in conflict with tc the last time. That goroutine is examined first,
// because usually it is in conflict again. It can also do in all later rounds what it can do in the first
// one.
func (o *Oracle) suspect(tc trace.GID) trace.GID {
	for int(tc) >= len(o.suspects) {
		o.suspects = append(o.suspects, trace.NoGID)
	}
	return o.suspects[tc]
}

// summary returns the operations that g can execute, where t is the pending operation of tc, and found has
// the findings of the previous round, if this is a later one.
//
// There are three steps: the last answer may still be right (recent); a decision tree may have the answer;
// if not, the goroutine is walked, and the path of its questions is added to the tree.
func (o *Oracle) summary(s State, tc, g trace.GID, t *target, found []*summary, later bool) *summary {
	last := o.recentOf(t, g, later)
	canMove := s.CanMove(g)
	if x := o.again(s, tc, g, found, last, canMove); x != nil {
		return x
	}
	k := treeKey{s.StackFingerprint(g), canMove, later}
	n := t.trees[k]
	if n == nil {
		n = new(node)
		t.trees[k] = n
		o.nodes++
	}
	if x := o.recall(s, tc, g, found, n, last, canMove); x != nil {
		return x
	}
	w := &walk{
		o: o, t: t, tc: tc, later: later, canMove: k.canMove, memo: map[visitKey]*visit{},
		v: &view{o: o, s: s, tc: tc, g: g, found: found},
	}
	w.v.record(n)
	if stack := s.Stack(g); len(stack) > 0 {
		w.nextCall, _ = stack[0].Instr.(ssa.CallInstruction)
	}
	v := &visit{}
	w.frames(g, v)
	o.unite(&w.eff.dones, &v.dones, 1)
	w.eff.dones.any = w.eff.dones.any || w.uncounted
	x := w.summary
	w.v.recorded().leaf = &x
	return &x
}

// walk is the walk of one goroutine.
type walk struct {
	o  *Oracle
	v  *view
	tc trace.GID
	t  *target

	canMove  bool                // the goroutine is enabled
	nextCall ssa.CallInstruction // next instruction of the goroutine, if that is a call

	summary                   // summary of what has been found so far
	current   ssa.Instruction // what is being interpreted
	later     bool            // operations that others can enable do not count as disabled
	memo      map[visitKey]*visit
	recursive int  // how often memo had the answer
	uncounted bool // how often Done is called is not known
	buf       []byte
}

// events counts operations by object. Numbers are needed for WaitGroups only: a Wait is enabled if the
// others can decrement its counter to zero. All other blocking operations are enabled by one operation.
//
// Objects whose address is certain are counted one by one, up to many; all others are a set.
type events struct {
	list []event    // the events, in the order in which they were found
	any  bool       // on unknown objects
	objs static.Set // on objects of the points-to analysis
}

type event struct {
	at uint64
	n  int
}

// many is a number of times that is not known.
const many = 1 << 20

// Lists are short: operations on a few locks and channels.
func (e *events) add(p uint64, n int) {
	for i := range e.list {
		if e.list[i].at == p {
			e.list[i].n = min(many, e.list[i].n+n)
			return
		}
	}
	e.list = append(e.list, event{p, min(many, n)})
}

// note adds an operation on r to e.
func (o *Oracle) note(e *events, r ref) {
	switch {
	case r.known && r.p >= private:
	case r.known:
		e.add(r.p, 1)
	case r.objs == static.Empty:
		e.any = true
	default:
		e.objs = o.fut.F.Acc.Objs.Union(e.objs, r.objs)
	}
}

// count returns how many operations there can be on the object at p, which lies
// in objs.
//
// The tests go from the least precise to the most precise: an operation on an unknown object counts for
// each object.
func (o *Oracle) count(e *events, p uint64, objs static.Set) int {
	if e.any || e.objs != static.Empty && o.within(e.objs, objs) {
		return many
	}
	for i := range e.list {
		if e.list[i].at == p {
			return e.list[i].n
		}
	}
	return 0
}

// unite adds the events of f to e, n times each.
func (o *Oracle) unite(e, f *events, n int) {
	e.any = e.any || f.any
	e.objs = o.fut.F.Acc.Objs.Union(e.objs, f.objs)
	for _, x := range f.list {
		e.add(x.at, min(many, x.n*n))
	}
}

// effects are operations that can enable blocked operations.
type effects struct {
	unlocks events
	dones   events // counters of WaitGroups going down, by how much
	sends   events // channels sent to or closed
	recvs   events // received from or closed
	signals events // Conds
	leaves  events // Onces
}

// each calls f for the kinds of events.
func (e *effects) each() [6]*events {
	return [6]*events{&e.unlocks, &e.dones, &e.sends, &e.recvs, &e.signals, &e.leaves}
}

// stop is an operation the walk did not pass.
type stop struct {
	op   opKind
	addr uint64
}

// enabling returns the events that enable operations of kind op.
func (e *effects) enabling(op opKind) *events {
	switch op {
	case opLock:
		return &e.unlocks
	case opWgWait:
		return &e.dones
	case opRecv:
		return &e.sends
	case opSend:
		return &e.recvs
	case opWake:
		return &e.signals
	}
	return &e.leaves
}

// enables reports whether the goroutines of list together enable an operation at which x was blocked.
func (o *Oracle) enables(s State, x *summary, list []*summary) bool {
	for _, st := range x.stops {
		if o.enabled(s, st, list) {
			return true
		}
	}
	return false
}

// enabled reports whether the goroutines of list together enable x.
//
// A Wait needs them to decrement the counter to zero. All other operations are enabled by a single one.
func (o *Oracle) enabled(s State, x stop, list []*summary) bool {
	n, objs := 0, s.Objects(uint32(x.addr>>32))
	for _, y := range list {
		n = min(many, n+o.count(y.eff.enabling(x.op), x.addr, objs))
	}
	//mutant: the counter is not compared [micro extraDone]: "!(x.op == opWgWait && counter(s, x.addr) > int64(n))" -> "x.op != opWgWait"
	return n > 0 && !(x.op == opWgWait && counter(s, x.addr) > int64(n))
}

// counter returns the counter of the WaitGroup at p.
func counter(s State, p uint64) int64 {
	n, ok := s.Word(p)
	if !ok {
		return 0
	}
	return int64(int32(overlay.Uint32(n, overlay.WaitGroupCounter)))
}

// refuted reports whether t must not be executed at once, because the goroutines and t together can make a
// WaitGroup's counter negative. Then it matters which of them does.
//
// T_c's Add changes the counter from c to c + delta, and the others may subtract n. If c + delta - n < 0,
// and delta is negative, the last of them panics, and the order decides which one is the last. The order
// also matters if c - n < 0: one of the others can panic unless T_c's Add comes first.
func (o *Oracle) refuted(s State, list []*summary, t *target) bool {
	//mutant: taking away below zero before an Add [micro upAndDown]: ".delta =" -> ".delta >"
	if t.op.Kind != trace.WgAdd || t.op.N == 0 || t.delta == 0 {
		return false
	}
	p := uint64(t.op.Access[0].Obj)<<32 | uint64(t.op.Access[0].Off)
	n := 0
	for _, x := range list {
		n = min(many, n+o.count(&x.eff.dones, p, t.objs[0]))
	}
	//mutant: counters below zero [micro belowZero]: false
	return counter(s, p) < int64(n)-min(t.delta, 0)
}

// blocked reports whether the walk stops at x, an operation that is disabled in the
// present state.
//
// In the first round all disabled operations block. In later rounds operations that the previous round has
// found to be enabled do not count (askEnabled).
func (w *walk) blocked(x stop, reason string) bool {
	if x.addr >= private || w.v.ask(question{kind: askPrivate, p: x.addr}).ok {
		return false // see renaming
	}
	//mutant: locks that are waited for are not overwritten [micro structCopy]: false
	if w.o.copies() && x.op != opRecv && x.op != opSend && w.v.ask(question{kind: askCopied, p: x.addr}).ok {
		return false // the lock may be overwritten
	}
	if w.later && w.v.ask(question{kind: askEnabled, i: int(x.op), p: x.addr}).ok {
		return false
	}
	if !slices.Contains(w.stops, x) {
		w.stops = append(w.stops, x)
	}
	w.reason = rarer(w.reason, reason)
	return true
}

// rarer returns the reason to report if two apply. A join is the least interesting one, because nearly all
// goroutines are joined.
func rarer(a, b string) string {
	if a == "" || a == "join" && b != "" || b == "wait" {
		return b
	}
	return a
}

// top notes that something unknown may happen: the top element of the abstract domain. Every uncertain answer
// ends here, and so in a choice. Nothing has to be undone afterwards, because the summary only says that
// there is a conflict.
func (w *walk) top() { w.foundConflict() }

// foundConflict notes that the current instruction may be in conflict with the target.
func (w *walk) foundConflict() {
	if !w.conflict {
		w.conflict, w.witness = true, w.current
	}
}
