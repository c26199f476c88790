package explorers_test

import (
	"flag"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/mutation"
)

var mutantsFlag = flag.String("mutants", "", "build the mutants whose name contains this (all: every one) and see whether their tests fail")

// Tests that notice: of toys, of programs whose classes are counted by hand, of generated programs.
var (
	toySystems   = []string{"./por/explorers", "-run", "^(TestToys|TestToyClasses|TestAddsAndWait)$"}
	counted      = []string{"./internal/progen", "-run", "^TestExact$"}
	semantics    = []string{"./internal/progen", "-run", "^TestSemantics$"}
	misused      = []string{"./internal/progen", "-run", "^TestMisuse$", "-args", "-programs", "300"}
	readers      = generated("1", "201", "600")    // with locks
	sending      = generated("8", "200001", "400") // with channels
	selecting    = []string{"./internal/progen", "-run", "^TestSelects$"}
	timing       = []string{"./internal/progen", "-run", "^TestTimers$"}
	sleeping     = []string{"./internal/progen", "-run", "^TestSelectsSource$"}
	meeting      = []string{"./internal/progen", "-run", "^TestMeetings$"}
	mixing       = []string{"./internal/progen", "-run", "^TestSelects$", "-args", "-programs", "3000"}
	all          = generated("0", "300301", "100") // with everything
	agreeing     = []string{"./explore", "-run", "^TestExplorersAgree$/^Test(Sum|NoReaders)$"}
	twin         = []string{"./por/explorers", "-run", "^TestContext"}
	partToys     = []string{"./por/explorers", "-run", "^(TestPersistentParts|TestOptimalParts.*|TestNoParts)$"}
	partTexts    = []string{"./internal/progen", "-run", "^TestPartTexts$"}
	partPrograms = []string{"./internal/progen", "-run", "^TestParts$"}
	quotients    = []string{"./por/stateful", "-run", "^TestSymmetry$"}
	equalOnes    = []string{"./vm", "-run", "^(TestOrbits|TestSymmetricEnds)$"}
	parkings     = []string{"./internal/progen", "-run", "^TestParking(Loops|Time)?$", "-args", "-programs", "500"}
	counting     = []string{"./internal/progen", "-run", "^TestCounting$", "-args", "-programs", "600"}
	resumed      = []string{"./por/explorers", "-run", "^TestResume$"}
	ahead        = []string{"./por/dpor", "-run", "^TestAhead$"}
	readAhead    = []string{"./por/readsfrom", "-run", "^TestAhead$"}
	graphAhead   = []string{"./por/graph", "-run", "^TestAhead$"}
	inRounds     = []string{"./por/stateful", "-run", "^TestRounds"}
	pieces       = []string{"./por/sample", "-run", "^TestPieces$"}
	readsFrom    = []string{"./por/explorers", "-run", "^TestReadsFrom"}
	tails        = []string{"./por/optimal", "-run", "^TestTails$"}
	inspecting   = []string{"./por/explorers", "-run", "^TestInspecting$"}
	branches     = []string{"./por/explorers", "-run", "^TestBranches$/^optimal$"}
)

func generated(features, seed, n string) []string {
	return []string{"./internal/progen", "-run", "^(TestOptimal|TestSource)$", "-args", "-features", features, "-seed", seed, "-programs", n}
}

func selectingFrom(seed string) []string {
	return append(slices.Clone(selecting), "-args", "-seed", seed, "-programs", "100")
}

// mutants are clauses of the dependence relation and rules of the explorers that rest on it, each taken
// away: a test has to notice. These are not among them:
//
//   - What ends the program depends on what is printed, if that has been reversed
//     (optimal.continueWithoutHead): 60,000 toys that print and exit do not notice, so the rule may
//     not be needed.
//   - What depends on all because of time is independent; or an RWMutex that is unlocked for a pending
//     writer makes no difference (4000 programs of TestMisuse), or lets readers come first (2800 of
//     them): nothing notices yet.
//   - A send overwrites those before a receive: NextOp.overwrites is asked of operations about one
//     thing, and those on channels are about two.
//   - What waits for two things is found when it arrives: of what is executed only selects do, and
//     those have rules of their own.
//   - Goroutines in queues, in bubbles, in loops that wait or look at the clock, and with inputs are in
//     spawn-path order in fingerprints (vm, exchangeable and sameButForNumbers): numbers in what these
//     are compared by may never be mistaken for others.
//   - After a longer prefix (optimal.exploreAfterPrefix) the sets scheduled contain what it has already
//     (optimal.scheduleIdeals): 30,000 dense programs do not notice. It may be that another frame
//     schedules them as well.
//   - Of two operations that may communicate it is enough if x conflicts with the one that has not just
//     arrived (optimal.scheduleRendezvous): 3000 programs of TestSelects do not notice. What x does to
//     the other one is found when the two do communicate, it seems, but that is not proven.
//   - Readers commute in package readsfrom (1303 of TestReadsFrom noticed): programs in which only locks are
//     contended have optimal's classes now, and of those that access memory in a race 2000 do not notice.
var mutants = []struct {
	mutation.Mutant
	test []string
}{
	// Tails of executions.
	{mutation.Mutant{Name: "a tail begins though a goroutine has something else to do", File: "por/hb/join.go", Old: "default:\n\t\t\treturn false\n\t\t}\n\t}\n\tif j.Waiter", New: "default:\n\t\t}\n\t}\n\tif j.Waiter"}, tails},
	{mutation.Mutant{Name: "a tail begins though a goroutine has ended that is not waited for", File: "por/hb/join.go", Old: "return x.endedBefore(j, wg) && ", New: "return "}, tails},
	{mutation.Mutant{Name: "a tail begins though an Add is not before Wait", File: "por/hb/join.go", Old: "if !x.arrivedAfter(j.Waiter, i) {\n\t\t\t\t\treturn false\n\t\t\t\t}\n\t\t\t}\n", New: "}\n"}, tails},
	{mutation.Mutant{Name: "a tail begins though a Done has no unit", File: "por/hb/join.go", Old: " && x.matches(j, wg)", New: ""}, tails},
	{mutation.Mutant{Name: "the Dones of a tail take one unit several times", File: "por/hb/join.go", Old: "x.Events[u].matchedUnits++\n\t\t\t\tj.units", New: "j.units"}, tails},
	{mutation.Mutant{Name: "a tail goes on though a goroutine continues after its Done", File: "por/optimal/tail.go", Old: "return s.Next(g).Kind == trace.None", New: "return true"}, tails},
	{mutation.Mutant{Name: "a tail goes on whatever its last goroutine does", File: "por/optimal/tail.go", Old: " !first && !inTail(x),", New: " first && false,"}, tails},
	{mutation.Mutant{Name: "what a tail that fails has counted stays", File: "por/optimal/tail.go", Old: "\t\ts.Stats = before\n", New: "\t\t_ = before\n"}, tails},
	// The relation.
	{mutation.Mutant{Name: "a read does not conflict with a write", File: "trace/op.go", Old: "(a.Write || b.Write) && a.Overlaps", New: "(a.Write && b.Write) && a.Overlaps"}, toySystems},
	{mutation.Mutant{Name: "overlapping additions commute", File: "trace/op.go", Old: " && o.Access[0] == p.Access[0]\n", New: "\n"}, counted},
	{mutation.Mutant{Name: "all that say something commute", File: "trace/op.go", Old: "o.Commutes == p.Commutes && o.Commutes < SubtractsLast", New: "o.Commutes == p.Commutes"}, misused},
	{mutation.Mutant{Name: "additions do not commute", File: "trace/op.go", Old: "\tif o.CommutesWith(p) {\n", New: "\tif false {\n"}, counted},
	{mutation.Mutant{Name: "additions commute though a loop waits for their sum", File: "por/hb/commuting.go", Old: "return Overlap(c.commuting.writes(), c.awaited.list)", New: "return false"}, agreeing},
	{mutation.Mutant{Name: "outputs commute", File: "por/hb/dependence.go", Old: "return !d.ignoreOutput", New: "return false"}, toySystems},
	{mutation.Mutant{Name: "misused readers commute", File: "por/hb/dependence.go", Old: "return d.readersDepend && a.Conflicts(&b.Op)", New: "return false"}, misused},
	{mutation.Mutant{Name: "readers do not commute", File: "por/hb/dependence.go", Old: "return d.readersDepend && a.Conflicts(&b.Op)", New: "return a.Conflicts(&b.Op)"}, counted},
	{mutation.Mutant{Name: "read locks are always balanced", File: "por/hb/dependence.go", Old: "return e.Op.N > 0 && x.readLocks(e.G, e.Op.Access[0], i) <= 0", New: "return false"}, misused},
	{mutation.Mutant{Name: "optimal: outcomes do not contradict each other", File: "por/optimal/optimal.go", Old: " && s.Next(f.g).Kind != trace.Branch", New: ""}, branches},
	{mutation.Mutant{Name: "optimal: workers do not know of another's outcomes", File: "por/optimal/eager.go", Old: "\t\ts.Repeat(a)\n\t\ts.noteBranch()\n", New: "\t\ts.Repeat(a)\n"}, []string{"./por/optimal", "-run", "^TestWorkersBranch$"}},
	{mutation.Mutant{Name: "optimal: a prefix forgets outcomes", File: "por/optimal/prefixes.go", Old: "f.transitions[c.lo+i] = ev.Transition", New: "tr := ev.Transition\n\t\tif ev.Op.Kind == trace.Branch {\n\t\t\ttr.Label = 0\n\t\t}\n\t\tf.transitions[c.lo+i] = tr"}, branches},
	{mutation.Mutant{Name: "optimal: outcomes show nothing twice", File: "por/optimal/prefixes.go", Old: "f.mayRepeat || s.branched", New: "f.mayRepeat"}, branches},
	{mutation.Mutant{Name: "a receive does not need the send", File: "por/hb/chanbuf.go", Old: "send.index == recv.index || ", New: ""}, sending},
	{mutation.Mutant{Name: "a send does not need the room", File: "por/hb/chanbuf.go", Old: " || send.index == recv.index+recv.Capacity", New: ""}, sending},
	{mutation.Mutant{Name: "sends commute with sends", File: "por/hb/chanbuf.go", Old: "return !a.Slot.Empty || !b.Slot.Empty", New: "return false"}, sending},
	{mutation.Mutant{Name: "receives of nothing do not commute", File: "por/hb/chanbuf.go", Old: "return !a.Slot.Empty || !b.Slot.Empty", New: "return true"}, counted},
	{mutation.Mutant{Name: "what is received is not counted", File: "por/hb/chanbuf.go", Old: "index: x.received[op.Access[0].Obj]", New: "index: 0"}, sending},
	{mutation.Mutant{Name: "no counter of a WaitGroup becomes negative", File: "por/hb/waitgroup.go", Old: "return e.change.N >= 0 || x.augment(int32(i))", New: "return true"}, semantics},
	{mutation.Mutant{Name: "no WaitGroup is used again", File: "por/hb/waitgroup.go", Old: "\treturn slices.ContainsFunc(x.positiveAdds, outside)\n", New: "\treturn false\n"}, toySystems},

	{mutation.Mutant{Name: "an addition covers those before it", File: "por/hb/operation.go", Old: "|| n.CommutesWithPeers() ||", New: "||"}, counted},

	{mutation.Mutant{Name: "rf: accesses in a race are ordered by what synchronises", File: "por/hb/readsfrom.go", Old: "if memory || x.Events[j].Op.Kind.Memory() {", New: "if x.Events[j].Op.Kind.Memory() && !memory {"}, readsFrom},
	{mutation.Mutant{Name: "rf: additions commute", File: "por/optimal/explorer.go", Old: "Synchronised: true}.Ordered()", New: "Synchronised: true, ReadersDepend: true}"}, readsFrom},
	{mutation.Mutant{Name: "rf: anything is supported if accesses are ordered", File: "por/hb/readsfrom.go", Old: "return r.ReadsFrom || r.Synchronised }", New: "return r.ReadsFrom }"}, readsFrom},
	{mutation.Mutant{Name: "rf: readers commute where accesses are ordered", File: "por/optimal/explorer.go", Old: "Synchronised: true}.Ordered()", New: "Synchronised: true, AdditionsDepend: true}"}, []string{"./internal/progen", "-run", "^TestReadsFrom$", "-args", "-seed", "1303", "-programs", "20"}},

	// Happens-before.
	{mutation.Mutant{Name: "a partner does not take part", File: "por/hb/execution.go", Old: "\tif blocks {\n\t\tfor _, q := range x.advanced {\n\t\t\tx.addParticipant(q, i)\n\t\t}\n\t}\n", New: ""}, sending},
	{mutation.Mutant{Name: "clocks do not know of dependence", File: "por/hb/races.go", Old: "\tx.Races = append(x.Races, int32(j))\n\tx.Join(c, j)\n", New: "\tx.Races = append(x.Races, int32(j))\n"}, toySystems},
	{mutation.Mutant{Name: "the end of the program does not depend on what is printed", File: "por/hb/dependence.go", Old: "\t\tf.DependsOnOutput && op.Kind == trace.Output || dependsOnOutput && f.Op.Kind == trace.Output ||\n", New: ""}, toySystems},

	// Operations that can be disabled.
	{mutation.Mutant{Name: "no operation waits for a lock", File: "por/hb/operation.go", Old: "return k.Blocks()", New: "return k.Blocks() && k != trace.Lock"}, toySystems},
	{mutation.Mutant{Name: "no reader waits", File: "por/hb/operation.go", Old: "return k.Blocks()", New: "return k.Blocks() && k != trace.RLock"}, readers},
	{mutation.Mutant{Name: "no operation waits for a WaitGroup", File: "por/hb/operation.go", Old: "return k.Blocks()", New: "return k.Blocks() && k != trace.WgWait"}, semantics},
	{mutation.Mutant{Name: "no operation waits for a Once", File: "por/hb/operation.go", Old: "return k.Blocks()", New: "return k.Blocks() && k != trace.OnceEnter"}, generated("2", "1", "600")},
	{mutation.Mutant{Name: "no operation waits to send", File: "por/hb/operation.go", Old: "return k.Blocks()", New: "return k.Blocks() && k != trace.Send"}, sending},
	{mutation.Mutant{Name: "no operation waits to receive", File: "por/hb/operation.go", Old: "return k.Blocks()", New: "return k.Blocks() && k != trace.Recv"}, sending},
	{mutation.Mutant{Name: "operations that wait are not reversed", File: "por/optimal/races.go", Old: "if y.Blocks() && int(s.Last[g]) != e && ", New: "if y.Blocks() && int(s.Last[g]) < -1 && "}, toySystems},
	{mutation.Mutant{Name: "arrivals are not reversed", File: "por/optimal/races.go", Old: "\t\tif !y.Blocks() || y.Kind.Channels() {\n\t\t\tcontinue\n\t\t}\n\t\tfor i", New: "\t\tif true {\n\t\t\tcontinue\n\t\t}\n\t\tfor i"}, toySystems},
	{mutation.Mutant{Name: "source: who stands before what is executed is not looked at", File: "por/dpor/source_races.go", Old: "\t\tif int(a) != n && s.exec.Exists[q] && ", New: "\t\tif int(a) < -1 && s.exec.Exists[q] && "}, toySystems},
	{mutation.Mutant{Name: "source: who arrives is not looked at", File: "por/dpor/source_races.go", Old: "\t\tif s.exec.Pending[m.G].Blocks() {\n\t\t\ts.reverseRacesOfPending", New: "\t\tif false {\n\t\t\ts.reverseRacesOfPending"}, toySystems},
	{mutation.Mutant{Name: "a writer depends on one reader", File: "por/optimal/races.go", Old: " && !op.CommutesWithPeers()\n", New: "\n"}, readers},

	// Each class once.
	{mutation.Mutant{Name: "what is in a reversal does not matter", File: "por/optimal/prefixes.go", Old: "\t\t} else if complete && s.inReversal[j] {\n", New: "\t\t} else if false {\n"}, toySystems},
	{mutation.Mutant{Name: "early order: what depends on the newest head is out of order", File: "por/optimal/prefixes.go", Old: " || s.Dependent(&s.Events[h], ev) {", New: " {"}, toySystems},
	{mutation.Mutant{Name: "early order: what comes after the newest head otherwise is out of order", File: "por/optimal/prefixes.go", Old: "if j != x && s.Before(h, s.Clock(j)) && s.Before(j, s.Clock(e)) {\n\t\t\treturn false", New: "if j != x && s.Before(h, s.Clock(j)) && s.Before(j, s.Clock(e)) {\n\t\t\tbreak"}, counted},
	{mutation.Mutant{Name: "early order: all goroutines are out of order", File: "por/optimal/prefixes.go", Old: "!s.Precedes(ev.G, s.Events[h].G) || s.Dep", New: "s.Dep"}, toySystems},
	{mutation.Mutant{Name: "early order: accesses are the same in other states", File: "por/optimal/prefixes.go", Old: "op.N == 1 && op.Commutes == 0 && ", New: "op.N == 1 && "}, counted},
	{mutation.Mutant{Name: "heads come in any order", File: "por/optimal/prefixes.go", Old: "\t\tif s.Precedes(s.Events[y].G, s.Events[h].G) {\n\t\t\treturn false\n", New: "\t\tif s.Precedes(s.Events[y].G, s.Events[h].G) {\n\t\t\treturn true\n"}, toySystems},
	{mutation.Mutant{Name: "heads are forgotten", File: "por/optimal/optimal.go", Old: "\ts.prevHead[y] = f.newestHead\n", New: ""}, counted},
	{mutation.Mutant{Name: "a head need not conflict with the operation", File: "por/optimal/optimal.go", Old: "\t\tok && !s.dependsOn(f, y),  // line 37\n", New: ""}, all},
	{mutation.Mutant{Name: "a candidate is explored as often as it is found", File: "por/optimal/prefixes.go", Old: "\t\tif _, known := f.known[key]; known {\n", New: "\t\tif _, known := f.known[key]; known && false {\n"}, readers},
	{mutation.Mutant{Name: "source: nobody goes on sleeping", File: "por/dpor/source_sleep.go", Old: "\t\tcase s.independent(e, &w):\n\t\t\tsleep = append(sleep, w)\n", New: ""}, toySystems},
	{mutation.Mutant{Name: "source: nobody wakes up", File: "por/dpor/source_sleep.go", Old: "\t\tcase s.independent(e, &w):\n", New: "\t\tdefault:\n"}, toySystems},

	// Operations on channels.
	{mutation.Mutant{Name: "nothing but the arrivals is needed", File: "por/optimal/rendezvous.go", Old: "\tif multiWay {\n", New: "\tif false {\n"}, selectingFrom("5901")},
	{mutation.Mutant{Name: "rendezvous: only what x ends conflicts with it", File: "por/optimal/rendezvous.go", Old: "s.MayBeReversed(&s.Events[x], q.op)", New: "q.until == x"}, selecting},
	{mutation.Mutant{Name: "rendezvous: intervals that x ends begin without it for selects only", File: "por/optimal/rendezvous.go", Old: "q.from < 0 || !s.Before(x, s.Clock(q.from))", New: "q.from < 0 || q.from < x"}, selecting},
	{mutation.Mutant{Name: "rendezvous: what arrives because of x would wait without it", File: "por/optimal/rendezvous.go", Old: "q.from < 0 || !s.Before(x, s.Clock(q.from))", New: "true"}, selecting},
	{mutation.Mutant{Name: "arrivals at channels are not reversed", File: "por/optimal/races.go", Old: "\tif s.concernsChannels(e) {\n", New: "\tif false {\n"}, selecting},
	{mutation.Mutant{Name: "all that is possible after a prefix needs it", File: "por/optimal/rendezvous.go", Old: "case !conflicts, !s.needsAll(f, g, p):\n", New: "case !conflicts:\n"}, selecting},
	{mutation.Mutant{Name: "a select is disabled by any set", File: "por/optimal/optimal.go", Old: "\t\ts.LastEvent(f.g) != y && s.disabledByProperSubset(f, y):\n", New: "\t\tfalse:\n"}, selecting},
	{mutation.Mutant{Name: "a prefix contains heads", File: "por/optimal/optimal.go", Old: " || c.q == trace.NoGID && s.dependsOn(f, len(s.Events)-1) {", New: " {"}, selectingFrom("13401")},
	{mutation.Mutant{Name: "no select receives what is sent", File: "por/optimal/selects.go", Old: "\tif h.op.Kind != trace.Select {\n", New: "\tif true {\n"}, meeting},
	{mutation.Mutant{Name: "an operation depends on nothing through its partner", File: "por/optimal/races.go", Old: "\t\t\tif s.dependsOnlyViaPartner(int(x), e) {\n", New: "\t\t\tif false {\n"}, meeting},
	{mutation.Mutant{Name: "what comes without x shows nothing new", File: "por/optimal/optimal.go", Old: "\tcase c.lastUnseen:\n", New: "\tcase false:\n"}, meeting},
	{mutation.Mutant{Name: "any alternative counts", File: "por/optimal/optimal.go", Old: "\t\tinReversal = f.alternatives[k] != s.frames[f.outer].alternatives[0]\n", New: ""}, mixing},
	{mutation.Mutant{Name: "the first alternative counts, even if it has a partner", File: "por/optimal/rendezvous.go", Old: "\t\tif _, hasPartner := s.Partner(f.g, c); !hasPartner {\n\t\t\tfirst = c\n", New: "\t\tif _, hasPartner := s.Partner(f.g, c); !hasPartner {\n\t\t\tfirst = 0\n"}, meeting},
	{mutation.Mutant{Name: "all that comes after a prefix is new", File: "por/optimal/rendezvous.go", Old: "\tif e < f.depth || !s.DependentOp(&s.Events[e], &f.firstPartnerOp, false) {\n", New: "\tif e < f.depth {\n"}, mixing},
	{mutation.Mutant{Name: "events have the fingerprints they have after x", File: "por/optimal/prefixes.go", Old: "\t\tif s.Before(x, row) {\n", New: "\t\tif false {\n"}, meeting},
	{mutation.Mutant{Name: "it does not matter what those wait for who are parked", File: "vm/step_schedule.go", Old: "\t\tm.peerChannels(g, func(trace.Access) { v.op.Wide = true })\n", New: ""}, selecting},

	{mutation.Mutant{Name: "ended: optimal does not depend on what stops a timer", File: "por/optimal/prefixes.go", Old: " || s.Next(f.g).Terminated() {", New: " {"}, counted},
	{mutation.Mutant{Name: "ended: clockvector does not look at a timer that is stopped", File: "por/dpor/clockvector.go", Old: "\t\tif q != a.G && hb.Ended(q, x.pending) {\n", New: "\t\tif false {\n"}, timing},
	{mutation.Mutant{Name: "ended: graph does not look at a timer that is stopped", File: "por/graph/search.go", Old: "\t\t\tx.addScheduleFor(n, q)\n", New: ""}, timing},
	{mutation.Mutant{Name: "source: who is met could do nothing else", File: "por/dpor/source_races.go", Old: "p.PartnerOp.Kind != trace.None && slices.Contains(f.enabled, p.Partner)", New: "false"}, sleeping},
	{mutation.Mutant{Name: "source: nobody arrives before a channel", File: "por/dpor/source_races.go", Old: "\t\tif s.exec.Pending[m.G].Blocks() {\n\t\t\ts.reverseRacesOfPending", New: "\t\tif s.exec.Pending[m.G].Blocks() && !s.exec.Pending[m.G].Kind.Channels() {\n\t\t\ts.reverseRacesOfPending"}, sleeping},
	{mutation.Mutant{Name: "source: nobody stands before a channel", File: "por/dpor/source_races.go", Old: "\t\tif int(a) != n && s.exec.Exists[q] && ", New: "\t\tif int(a) != n && !op.Kind.Channels() && s.exec.Exists[q] && "}, sleeping},

	// What changes places.
	{mutation.Mutant{Name: "context: any two events change places", File: "por/dpor/context.go", Old: "\treturn sameKind && sameAccess", New: "\treturn true || sameKind && sameAccess"}, twin},
	{mutation.Mutant{Name: "context: twins commute", File: "por/dpor/context.go", Old: " && por.IdentityHashOf(s.Sys, at) == state {", New: " && state == state {"}, twin},
	{mutation.Mutant{Name: "context: nothing changes places", File: "por/dpor/context.go", Old: "!c.cfg.CSS && (len(w) > 1 || !interchangeable(&a, &b))", New: "!c.cfg.CSS"}, twin},

	{mutation.Mutant{Name: "candidates there is no memory for are dropped", File: "por/optimal/prefixes.go", Old: "\t\ts.eager = append(s.eager, eagerReversal{i, c, slices.Clone(f.transitions[c.lo:c.hi])})\n", New: ""}, toySystems},
	{mutation.Mutant{Name: "what was in a reversal is not when the search resumes", File: "por/optimal/eager.go", Old: "append(s.inReversal[:n], p.inReversal...)", New: "append(s.inReversal[:n], make([]bool, len(p.inReversal))...)"}, toySystems},

	{mutation.Mutant{Name: "jpf: unlocking needs no choice though preemptions are bounded", File: "por/stateful/jpf.go", Old: "UnlockNeedsNoChoice: !cfg.LimitPreempt", New: "UnlockNeedsNoChoice: true"}, []string{"./por/explorers", "-run", "^TestPreemptionWhileLocked$"}},

	// Persistent sets of goroutines.
	{mutation.Mutant{Name: "parts: others are ignored on a cycle", File: "por/stateful/dfs.go", Old: "\t\ts.addOthersAlternatives(p.alt)\n", New: ""}, partToys},
	{mutation.Mutant{Name: "parts: without components", File: "por/stateful/expand.go", Old: "s.Cfg.Parts == nil || !s.noticesCycles()", New: "s.Cfg.Parts == nil"}, partToys},
	{mutation.Mutant{Name: "parts: optimal: what a part does is never mixed", File: "por/optimal/parts.go", Old: "if arrival < 0 || !s.Before(i, s.Clock(arrival)) {", New: "if arrival == -2 {"}, partToys},
	{mutation.Mutant{Name: "parts: optimal: what members have pending is never mixed", File: "por/optimal/parts.go", Old: "if g != m && s.hasPending(g) && s.apart.Apart(g) {", New: "if false {"}, partTexts},
	{mutation.Mutant{Name: "parts: optimal: others are ignored on a cycle", File: "por/optimal/parts.go", Old: " || slices.ContainsFunc(d.nodes, func(n partNode) bool { return n.state == state })", New: ""}, partToys},
	{mutation.Mutant{Name: "parts: optimal: members are never held", File: "por/optimal/parts.go", Old: "!(s.apart.Member(g) && s.apart.Apart(g))", New: "!s.apart.Member(g)"}, partToys},
	{mutation.Mutant{Name: "parts: optimal: nothing follows a part", File: "por/optimal/parts.go", Old: "case n.next < len(n.ends):", New: "case n.next < len(n.ends)-1:"}, partToys},
	{mutation.Mutant{Name: "parts: optimal: outsiders reach nothing", File: "oracle/separation.go", Old: "return s.p.needsOf(g, s.outside) == 0", New: "return s.p.needsOf(g, s.outside) != everyone"}, partTexts},
	{mutation.Mutant{Name: "parts: optimal: members obtain nothing", File: "oracle/separation.go", Old: "s.inside.By(a.Obj) != 0", New: "false"}, partTexts},
	{mutation.Mutant{Name: "parts: a member needs no members", File: "oracle/parts.go", Old: "\t\ttodo |= more &^ set\n", New: ""}, partPrograms},
	{mutation.Mutant{Name: "parts: a group needs what its last goroutine needs", File: "oracle/parts.go", Old: "|= p.needsOf(g, p.reach)", New: "= p.needsOf(g, p.reach)"}, partPrograms},
	{mutation.Mutant{Name: "parts: what a member touches can be obtained by none", File: "oracle/parts.go", Old: "\t\t\tset |= reach.By(a.Obj)\n", New: "\t\t\t_ = a\n"}, partTexts},
	{mutation.Mutant{Name: "parts: output depends on nothing", File: "oracle/parts.go", Old: "return r.Commutes == trace.Always || r.Commutes", New: "return r.Commutes == trace.Always || r.Commutes == trace.UnlessPrinted || r.Commutes"}, partPrograms},
	{mutation.Mutant{Name: "parts: the end of the program depends on nothing", File: "oracle/parts.go", Old: "return r.Commutes == trace.Always || r.Commutes", New: "return r.Commutes == trace.Always || r.Commutes == trace.Never || r.Commutes"}, partPrograms},
	{mutation.Mutant{Name: "parts: releasing a lock that is not held ends nothing", File: "oracle/parts.go", Old: "if p.m.Misuses(g) {", New: "if false {"}, partTexts},
	{mutation.Mutant{Name: "parts: a select is on two channels", File: "oracle/parts.go", Old: "p.touched = p.m.Touches(g, p.touched[:0])", New: "op := p.m.Next(g)\n\tp.touched = append(p.touched[:0], op.Access[:op.N]...)"}, partTexts},
	{mutation.Mutant{Name: "parts: what is in a closed channel is no difference", File: "oracle/parts.go", Old: " && c.Closed && c.Len == 0", New: " && c.Closed"}, partTexts},
	{mutation.Mutant{Name: "parts: an empty channel remains so", File: "oracle/parts.go", Old: " && c.Closed && c.Len == 0", New: " && c.Len == 0"}, partTexts},
	{mutation.Mutant{Name: "parts: timers fire in the order of their deadlines in every model", File: "vm/step_time.go", Old: "return timed(g) && m.bounded(g) && !m.isDue(g) &&", New: "return timed(g) && !m.isDue(g) &&"}, partTexts},
	{mutation.Mutant{Name: "parts: a timer that is due waits", File: "vm/step_time.go", Old: "return timed(g) && m.bounded(g) && !m.isDue(g) &&", New: "return timed(g) && m.bounded(g) &&"}, partTexts},
	{mutation.Mutant{Name: "parts: what fires next waits", File: "vm/step_time.go", Old: "m.bounded(g) && !m.isDue(g) && !m.passingNow().quiet", New: "m.bounded(g) && !m.isDue(g)"}, partTexts},
	{mutation.Mutant{Name: "parts: references lead nowhere", File: "vm/query_reach.go", Old: "func(w uint64) { r.add(w, by) }", New: "func(uint64) { _ = by }"}, partTexts},
	{mutation.Mutant{Name: "parts: variables refer to nothing", File: "vm/query_reach.go", Old: "func(w uint64) { r.add(w, ^uint64(0)) }", New: "func(w uint64) {}"}, partTexts},
	{mutation.Mutant{Name: "parts: none can access a variable", File: "vm/query_reach.go", Old: "\tcase id < r.m.heap.baseLimit:\n\t\treturn ^uint64(0)\n", New: ""}, partTexts},
	{mutation.Mutant{Name: "parts: an object is propagated once", File: "vm/query_reach.go", Old: "\t\tx.queued = false\n", New: ""}, partTexts},

	// Unfinished prefixes take turns.
	{mutation.Mutant{Name: "turns: a node that is put aside ignores the others", File: "por/stateful/turns.go", Old: "\t\t\ts.addOthersAlternatives(f.alt)\n", New: ""}, []string{"./por/stateful", "-run", "Turns|NoDive|LongEnds"}},
	{mutation.Mutant{Name: "turns: an alternative is lost", File: "por/stateful/turns.go", Old: "\t\tif f.next < f.end {\n\t\t\tif len", New: "\t\tif f.next+1 < f.end {\n\t\t\tif len"}, []string{"./por/stateful", "-run", "Turns|NoDive|LongEnds"}},
	{mutation.Mutant{Name: "turns: components are looked for out of order", File: "por/stateful/turns.go", Old: "s.frames, s.components, t.begun = s.frames[:0], nil, true", New: "s.frames, t.begun = s.frames[:0], true"}, []string{"./por/stateful", "-run", "Turns|NoDive|LongEnds"}},
	{mutation.Mutant{Name: "turns: preemptions are forgotten", File: "por/stateful/turns.go", Old: "\ts.Preempts = n.preempts\n", New: ""}, []string{"./por/stateful", "-run", "Turns|NoDive|LongEnds"}},
	{mutation.Mutant{Name: "turns: what is left of a stack is lost", File: "por/stateful/turns.go", Old: "\ts.queueAside(t.from)\n\ts.queueAside(x)", New: "\ts.queueAside(x)"}, []string{"./por/stateful", "-run", "Turns|NoDive|LongEnds"}},
	{mutation.Mutant{Name: "turns: livelocks are not looked for", File: "por/stateful/turns.go", Old: "\t\tcase s.turns.begun && cfg.Match", New: "\t\tcase false && cfg.Match"}, []string{"./por/stateful", "-run", "Turns|NoDive|LongEnds"}},
	{mutation.Mutant{Name: "turns: none begins at depth", File: "por/stateful/turns.go", Old: "t.deep = t.deepWork < s.effort()/2", New: "t.deep = false"}, []string{"./por/stateful", "-run", "MeetingPaths"}},
	{mutation.Mutant{Name: "turns: all begin at depth", File: "por/stateful/turns.go", Old: "t.deep = t.deepWork < s.effort()/2", New: "t.deep = true"}, []string{"./por/stateful", "-run", "NoDive|LongEnds"}},
	{mutation.Mutant{Name: "turns: there are none", File: "por/stateful/turns.go", Old: "\tcase t.never, ", New: "\tcase true, "}, []string{"./por/stateful", "-run", "Turns|NoDive|LongEnds"}},

	// Goroutines that change places.
	{mutation.Mutant{Name: "symmetry: a cycle may exchange goroutines", File: "por/stateful/symmetry.go", Old: "\tif s.symmetric.digest == s.components.nodes[num-firstOpen].order {\n", New: "\tif true {\n"}, quotients},
	{mutation.Mutant{Name: "symmetry: who moved last keeps its number", File: "por/stateful/dfs.go", Old: "cur = s.symmetric.number(s.Cur)", New: "cur = uint64(s.Cur)"}, quotients},
	{mutation.Mutant{Name: "symmetry: who moved last does not count", File: "por/stateful/dfs.go", Old: "cur = s.symmetric.number(s.Cur)", New: "cur = 0"}, quotients},
	{mutation.Mutant{Name: "symmetry: numbers are not shown", File: "vm/state_symmetry.go", Old: "return a.named.Load() && a.exchanged.Load()", New: "return a.named.Load() && false"}, equalOnes},
	{mutation.Mutant{Name: "symmetry: random bits are the same for all", File: "vm/state_symmetry.go", Old: "!m.cfg.RandFixed && ", New: ""}, equalOnes},
	{mutation.Mutant{Name: "symmetry: owners have numbers", File: "vm/state_regions.go", Old: "\t\t\t\tm.hideOwner(w, a)\n", New: ""}, equalOnes},
	{mutation.Mutant{Name: "symmetry: what goroutines have is in no order", File: "vm/state_symmetry.go", Old: "return m.compareHeaps(a.g, b.g) }", New: "return 0 }"}, equalOnes},
	{mutation.Mutant{Name: "symmetry: deadlines are in no order", File: "vm/state_symmetry.go", Old: "return cmp.Compare(a.g.label, b.g.label)", New: "return 0"}, equalOnes},
	{mutation.Mutant{Name: "symmetry: goroutines are in no order", File: "vm/state_symmetry.go", Old: "\tif a.key != b.key {\n", New: "\tif false {\n"}, equalOnes},
	{mutation.Mutant{Name: "symmetry: what is left out is not taken back", File: "por/stateful/symmetry.go", Old: "!s.components.onCycle(&f.tarjan)", New: "true"}, quotients},
	{mutation.Mutant{Name: "symmetry: the first state of a component is on no cycle", File: "por/stateful/components.go", Old: "return f.low < f.num || n > 0 && c.edges[n-1].from >= f.num", New: "_ = n; return f.low < f.num"}, quotients},
	{mutation.Mutant{Name: "symmetry: of equal alternatives any is explored", File: "por/stateful/symmetry.go", Old: "\t\t\tx.left = append(x.left, a)\n", New: "\t\t\tx.left = append(x.left, s.alts[kept-1])\n\t\t\ts.alts[kept-1] = a\n"}, quotients},
	{mutation.Mutant{Name: "symmetry: nothing refers to what equal goroutines have", File: "vm/state_orbits.go", Old: "\t\tif list[i+1].referred {", New: "\t\tif false {"}, equalOnes},
	{mutation.Mutant{Name: "symmetry: goroutines of all origins are equal", File: "vm/state_orbits.go", Old: "compareOrigins(m.gs[c.sorted[last]], m.gs[s]) == 0 && slices", New: "slices"}, equalOnes},
	{mutation.Mutant{Name: "symmetry: what is written down of equal goroutines differs", File: "vm/state_orbits.go", Old: " && slices.Equal(words(last), words(i)) {", New: " && slices.Equal(words(i), words(i)) {"}, equalOnes},
	{mutation.Mutant{Name: "symmetry: what looks equal is", File: "vm/state_orbits.go", Old: "same := m.hashInOrder(c.sorted) == before\n", New: "same := m.hashInOrder(c.sorted) == before || true\n"}, equalOnes},
	{mutation.Mutant{Name: "symmetry: the first one of several is equal to none", File: "vm/state_orbits.go", Old: "\tm.tryExchanging()\n", New: ""}, equalOnes},
	{mutation.Mutant{Name: "symmetry: all partners are equal", File: "vm/state_orbits.go", Old: "o.Partner = m.firstEqual(p)", New: "o.Partner = 0"}, equalOnes},
	{mutation.Mutant{Name: "symmetry: no partners are equal", File: "vm/state_orbits.go", Old: "o.Partner = m.firstEqual(p)", New: "o.Partner = p.id"}, equalOnes},
	{mutation.Mutant{Name: "symmetry: all who park and are met are equal", File: "vm/step_parking.go", Old: "Partner: m.firstEqual(q), ", New: "Partner: 0, "}, parkings},
	{mutation.Mutant{Name: "parking: nobody parks when all wait", File: "vm/step_parking.go", Old: "\t\tif slices.Contains(busy, b) {\n", New: "\t\tif slices.Contains(busy, b) || len(enabled) > 1 {\n"}, parkings},
	{mutation.Mutant{Name: "parking: who is outside holds up a bubble", File: "vm/step_parking.go", Old: "\t\tif slices.Contains(busy, b) {\n", New: "\t\tif len(busy) > 0 {\n"}, parkings},
	{mutation.Mutant{Name: "parking: who waits for time holds up others", File: "vm/step_parking.go", Old: "\t\tcase timed(g) && !m.isDue(g), g.system", New: "\t\tcase g.system"}, parkings},
	{mutation.Mutant{Name: "parking: nobody is met", File: "por/stateful/expand.go", Old: "\ts.alts = s.parking.addMeetings(g, s.alts)\n", New: ""}, parkings},
	{mutation.Mutant{Name: "parking: no select is met", File: "vm/step_parking.go", Old: "return q.pending.Kind == trace.Select || slices", New: "return q.pending.Kind != trace.Select && slices"}, parkings},
	{mutation.Mutant{Name: "parking: who is met has one alternative", File: "vm/step_parking.go", Old: "\t\t\t\tf(q, choice, a)\n", New: "\t\t\t\tf(q, choice, a)\n\t\t\t\tbreak\n"}, parkings},
	{mutation.Mutant{Name: "parking: who is met need not be", File: "por/stateful/dfs.go", Old: "\t\t\ts.components.noteEnabled(x.Park.G)\n", New: "\t\t\t_ = x\n"}, parkings},
	{mutation.Mutant{Name: "jpf: no counter becomes negative", File: "por/stateful/jpf.go", Old: "\tcase a.Underruns():\n\t\treturn true\n", New: "\tcase a.Underruns():\n\t\treturn false\n"}, counting},
	{mutation.Mutant{Name: "jpf: no counter is raised while a goroutine waits", File: "por/stateful/jpf.go", Old: "return w.Kind == trace.WgWait && w.N > 0 && ", New: "return false && "}, counting},
	{mutation.Mutant{Name: "symmetry: all cases are equal", File: "vm/state_orbits.go", Old: "Case: a.caseIndex, ", New: ""}, equalOnes},
	{mutation.Mutant{Name: "symmetry: all alternatives are equal", File: "vm/state_orbits.go", Old: "Case: choice}", New: "Case: choice * 0}"}, equalOnes},
	{mutation.Mutant{Name: "lookahead: what waits along a cycle is not noted", File: "por/lookahead/search.go", Old: "\t\t\ts.noteAwaited() // an", New: "\t\t\t// an"}, []string{"./internal/progen", "-run", "^TestEqual$", "-args", "-programs", "1"}},

	// Searches in rounds.
	{mutation.Mutant{Name: "rounds: cycles are not looked for in the end", File: "por/stateful/rounds.go", Old: "\tif !s.Halted && r.numbered {\n\t\tr.look()\n\t}\n", New: ""}, inRounds},
	{mutation.Mutant{Name: "rounds: no edge leads to a state that is known", File: "por/stateful/walker.go", Old: "n > 0 && x.numbered && word < closed {", New: "n > 0 && !known && x.numbered && word < closed {"}, inRounds},
	{mutation.Mutant{Name: "rounds: edges between states that were open are forgotten", File: "por/stateful/rounds.go", Old: "\t\t\tr.graph.connect(e.from, e.to)\n", New: "\t\t\t_ = e\n"}, inRounds},
	{mutation.Mutant{Name: "rounds: what a walker has stored is taken from it, too", File: "por/stateful/rounds.go", Old: "\t\t\tif own.met[n-ownFrom].taken {\n", New: "\t\t\tif true {\n"}, inRounds},
	{mutation.Mutant{Name: "rounds: the last alternative of a node is not put aside", File: "por/stateful/turns.go", Old: "\t\tif f.next < f.end {\n\t\t\tx.nodes", New: "\t\tif f.next+1 < f.end {\n\t\t\tx.nodes"}, inRounds},
	{mutation.Mutant{Name: "rounds: preemptions are forgotten", File: "por/stateful/walker.go", Old: "\t\tw.Preempts = n.preempts\n", New: ""}, inRounds},
	{mutation.Mutant{Name: "rounds: what a walker refutes is assumed by the others", File: "por/stateful/rounds.go", Old: "\t\t\tp.Violated, p.Miscounted = w.policy.Violated, w.policy.Miscounted\n", New: ""}, inRounds},
	{mutation.Mutant{Name: "rounds: what comes after a cycle is on it", File: "por/stateful/acyclic.go", Old: "return len(free) < n // 3", New: "return false"}, inRounds},
	{mutation.Mutant{Name: "rounds: half of what is given away is lost", File: "por/stateful/walker.go", Old: "\t\tfrom.alts = slices.Clone(from.alts[len(from.alts)-took:])\n", New: "\t\tfrom.alts = slices.Clone(from.alts[len(from.alts)-(took+1)/2:])\n"}, inRounds},

	// Goroutines that are forgotten.
	{mutation.Mutant{Name: "forgotten: variables remember nothing", File: "vm/query_forgotten.go", Old: "\tseen.statics()\n", New: ""}, []string{"./vm", "-run", "TestForgotten|TestRefersToWhatWakes"}},
	{mutation.Mutant{Name: "forgotten: coroutines remember nothing", File: "vm/query_forgotten.go", Old: "g.status != gEnded && !m.waits(g)", New: "g.status == gReady && !m.waits(g)"}, []string{"./vm", "-run", "TestForgotten|TestRefersToWhatWakes"}},
	{mutation.Mutant{Name: "forgotten: who is remembered remembers nothing", File: "vm/query_forgotten.go", Old: "\t\t\t\tseen.goroutine(g)\n\t\t\t\tagain = true", New: ""}, []string{"./vm", "-run", "TestForgotten|TestRefersToWhatWakes"}},
	{mutation.Mutant{Name: "forgotten: what is enabled waits", File: "vm/query_forgotten.go", Old: "m.viewOf(g).n > 0 ||", New: "m.viewOf(g).n > 9 ||"}, []string{"./vm", "-run", "TestForgotten|TestRefersToWhatWakes"}},
	{mutation.Mutant{Name: "forgotten: panics remember nothing", File: "vm/query_left.go", Old: "\tx.add(g.panics)\n", New: ""}, []string{"./vm", "-run", "TestForgotten|TestRefersToWhatWakes"}},

	// Several workers. (Those of package pool are explored: TestDogfood of cmd/hbcheck.)
	{mutation.Mutant{Name: "jobs: clockvector: what is left of a piece is dropped", File: "por/dpor/clockvector_ahead.go", Old: "\tif len(p.open) > 0 && !x.Halted {", New: "\tif false {"}, ahead},
	{mutation.Mutant{Name: "jobs: clockvector: pieces know who has accessed what", File: "por/dpor/clockvector_ahead.go", Old: "\t\tif x.accessed[obj] != who {", New: "\t\tif x.accessed[obj] != who && false {"}, ahead},
	{mutation.Mutant{Name: "jobs: ahead: a piece does not know of races that were found", File: "por/search/ahead.go", Old: " && !stale(p.races, p.known, s.KnownRaces)", New: ""}, ahead},
	{mutation.Mutant{Name: "jobs: clockvector: what a piece notes comes in another order", File: "por/dpor/clockvector_ahead.go", Old: "\tfor _, c := range p.notes {", New: "\tfor _, c := range slices.Backward(p.notes) {"}, []string{"./por/dpor", "-run", "^TestAhead$"}},
	{mutation.Mutant{Name: "jobs: a bound on executions is that of a piece", File: "por/search/ahead.go", Old: "(most == 0 || s.Stats.Done()+c.Stats.Done() < most)", New: "(most != 1)"}, ahead},
	{mutation.Mutant{Name: "jobs: a bound on states is that of a piece", File: "por/search/ahead.go", Old: "(states == 0 || s.Stats.States+c.Stats.States < states)", New: "states != 1"}, ahead},
	{mutation.Mutant{Name: "jobs: clockvector: what was added for a piece's path is lost", File: "por/dpor/clockvector_ahead.go", Old: "\t\tp.notes = append(p.notes, n)\n", New: ""}, ahead},
	{mutation.Mutant{Name: "jobs: ahead: the search goes on after a piece that was stopped", File: "por/search/ahead.go", Old: "more && !p.control.StoppedByVisitor", New: "more"}, ahead},
	{mutation.Mutant{Name: "jobs: source: what is left of a piece is dropped", File: "por/dpor/source_ahead.go", Old: "\tif len(p.open) > 0 && !s.Halted {", New: "\tif false {"}, ahead},
	{mutation.Mutant{Name: "jobs: source: the step that is being explored does not sleep", File: "por/dpor/source_ahead.go", Old: "append(slices.Clone(f.sleep), sleepElem{steps: []hb.Event{f.done}})", New: "slices.Clone(f.sleep)"}, ahead},
	{mutation.Mutant{Name: "jobs: source: what a piece notes is lost", File: "por/dpor/source_ahead.go", Old: "\t\tp.notes = append(p.notes, sourceNote{node: f.number, gs: slices.Clone(gs)})\n", New: ""}, ahead},
	{mutation.Mutant{Name: "jobs: source: what was taken does not sleep", File: "por/dpor/source_ahead.go", Old: "\tf.sleep = append(f.sleep, p.sleep...) // line 18, and what commutes\n", New: ""}, ahead},
	{mutation.Mutant{Name: "jobs: context: a piece is one of source", File: "por/dpor/source_ahead.go", Old: "\tif whole.ctx != nil {", New: "\tif false {"}, ahead},
	{mutation.Mutant{Name: "jobs: rf: what is left of a piece is dropped", File: "por/readsfrom/ahead.go", Old: "\tif len(p.open) > 0 {", New: "\tif false {"}, readAhead},
	{mutation.Mutant{Name: "jobs: rf: events that are left have no stamps", File: "por/readsfrom/ahead.go", Old: "\t\t\ts.setStamp(len(s.graph) - 1)\n", New: ""}, readAhead},
	{mutation.Mutant{Name: "jobs: rf: goroutines that have ended the execution move again", File: "por/readsfrom/ahead.go", Old: "\ts.frames = append(s.frames, p.open...)\n\t\ts.dropped = append(s.dropped[:0], p.openDropped...)\n", New: "\ts.frames = append(s.frames, p.open...)\n"}, readAhead},
	{mutation.Mutant{Name: "jobs: rf: revisits that a piece finds are lost", File: "por/readsfrom/ahead.go", Old: "\t\ts.piece.notes = append(s.piece.notes, note{i, it})\n", New: ""}, readAhead},
	{mutation.Mutant{Name: "jobs: rf: they come in another order", File: "por/readsfrom/ahead.go", Old: "\tfor _, n := range p.notes {", New: "\tfor _, n := range slices.Backward(p.notes) {"}, readAhead},
	{mutation.Mutant{Name: "jobs: rf: alternatives are given away before the ones that come first", File: "por/readsfrom/ahead.go", Old: "ok = it.revisit && it.n < len(f.revisits)", New: "ok = it.revisit && it.n < len(f.revisits) || !it.revisit && it.n < max(f.alternatives, len(f.writes))"}, readAhead},
	{mutation.Mutant{Name: "jobs: rf: where a frame's operation is in the graph is not noted", File: "por/readsfrom/ahead.go", Old: "done.prints, done.stamp", New: "done.prints, f.stamp"}, readAhead},
	{mutation.Mutant{Name: "jobs: rf: what is executed in another order is counted", File: "por/readsfrom/graph.go", Old: "\t\ts.Again(step)", New: "\t\ts.Step(step)"}, readAhead},
	{mutation.Mutant{Name: "jobs: graph: what is left of a piece is dropped", File: "por/graph/ahead.go", Old: "\tif len(q.open) > 0 && !x.Halted {", New: "\tif false {"}, graphAhead},
	{mutation.Mutant{Name: "jobs: ahead: a piece that refutes the relation is taken", File: "por/search/ahead.go", Old: "!p.Refuted && ", New: ""}, graphAhead},
	{mutation.Mutant{Name: "jobs: graph: what a piece notes comes in another order", File: "por/graph/ahead.go", Old: "\tfor _, c := range q.notes {", New: "\tfor _, c := range slices.Backward(q.notes) {"}, graphAhead},
	{mutation.Mutant{Name: "jobs: graph: what a piece notes is lost", File: "por/graph/ahead.go", Old: "\t\tp.notes = append(p.notes, n)\n", New: ""}, graphAhead},
	{mutation.Mutant{Name: "jobs: graph: what ends the program in a piece is not noted", File: "por/graph/schedule.go", Old: "\t\tx.piece.note(note{at: at.number, what: what, g: g})\n", New: "\t\t_ = what\n"}, graphAhead},
	{mutation.Mutant{Name: "jobs: graph: a replay that a piece arranges is lost", File: "por/graph/schedule.go", Old: "\t\tx.piece.note(note{at: r.at.number, what: noteReplay, prefix: prefix})\n", New: ""}, graphAhead},
	{mutation.Mutant{Name: "jobs: graph: a piece does not stop where a replay is to", File: "por/graph/ahead.go", Old: "known: maps.Clone(x.known), all", New: "known: maps.Clone(map[uint64]bool{}), all"}, graphAhead},
	{mutation.Mutant{Name: "jobs: graph: a piece does not know that its step is to be a node", File: "por/graph/ahead.go", Old: " && x.known[p.prefix] == q.here", New: ""}, graphAhead},
	{mutation.Mutant{Name: "jobs: graph: a piece does not know that an operation depends on all", File: "por/graph/ahead.go", Old: "\tif q.all {", New: "\tif false {"}, graphAhead},
	{mutation.Mutant{Name: "jobs: graph: the search does not know that one of a piece does", File: "por/graph/ahead.go", Old: "\tif q.nowAll {", New: "\tif false {"}, graphAhead},
	{mutation.Mutant{Name: "jobs: graph: a piece may have been begun before one did", File: "por/graph/ahead.go", Old: "return x.exec.SomeDependsOnAll() == q.all && ", New: "return "}, graphAhead},
	{mutation.Mutant{Name: "jobs: graph: alternatives of a step that was taken are forgotten", File: "por/graph/ahead.go", Old: "p.alts, p.alt, p.node = q.alts, p.alt+1, q.node", New: "p.alts, p.alt, p.node = p.alt+1, p.alt+1, q.node"}, graphAhead},
	{mutation.Mutant{Name: "jobs: graph: the node of a step that was taken is forgotten", File: "por/graph/ahead.go", Old: "p.alts, p.alt, p.node = q.alts, p.alt+1, q.node", New: "p.alts, p.alt = q.alts, p.alt+1"}, graphAhead},
	{mutation.Mutant{Name: "jobs: graph: the node of a step remains another worker's", File: "por/graph/ahead.go", Old: "n.Parent, n.at, n.x = p.parent, p.choiceSet, x", New: "n.at, n.x = p.choiceSet, x"}, graphAhead},
	{mutation.Mutant{Name: "jobs: graph: what is left remains below another worker's nodes", File: "por/graph/ahead.go", Old: "o.node.Parent, o.node.x = x.node, x", New: "o.node.x = x"}, graphAhead},
	{mutation.Mutant{Name: "jobs: graph: nodes that are left ask another worker's execution", File: "por/graph/ahead.go", Old: "o.node.Parent, o.node.x = x.node, x", New: "o.node.Parent = x.node"}, graphAhead},
	{mutation.Mutant{Name: "jobs: graph: what is left is not below the step", File: "por/graph/ahead.go", Old: "\tif p.node != nil {\n\t\tx.node = p.node\n\t}\n", New: ""}, graphAhead},
	{mutation.Mutant{Name: "jobs: graph: another choice is the node of the one before", File: "por/graph/ahead.go", Old: "\tif last.next != s.next {", New: "\tif false {"}, graphAhead},
	{mutation.Mutant{Name: "jobs: graph: a piece does not know who has ended the program", File: "por/graph/ahead.go", Old: "at.choices, at.ended = slices.Clone(at.choices), slices.Clone(at.ended)", New: "at.choices, at.ended = slices.Clone(at.choices), nil"}, graphAhead},
	{mutation.Mutant{Name: "jobs: graph: graphs of a piece are not counted", File: "por/result.go", Old: "\ts.Graphs += t.Graphs\n", New: ""}, graphAhead},
	{mutation.Mutant{Name: "jobs: the newest piece of a sample is merged first", File: "por/sample/workers.go", Old: "\t\tc := open[0]\n\t\topen = open[1:]\n", New: "\t\tc := open[len(open)-1]\n\t\topen = open[:len(open)-1]\n"}, pieces},
	{mutation.Mutant{Name: "jobs: a piece does not know of races that were found meanwhile", File: "por/sample/workers.go", Old: "\t\tif c.stale(x.KnownRaces) {\n", New: "\t\tif false {\n"}, pieces},
	{mutation.Mutant{Name: "jobs: executions are as long as the longest so far", File: "por/sample/sample.go", Old: "\tif x.number&(x.number-1) == 0 {\n", New: "\tif true {\n"}, pieces},
	{mutation.Mutant{Name: "jobs: random numbers go on", File: "por/sample/sample.go", Old: "\tx.random.Seed(x.Cfg.Seed, x.number*distance)\n", New: "\t_ = uint64(distance)\n"}, pieces},
	{mutation.Mutant{Name: "jobs: what stops a piece does not stop the search", File: "por/sample/workers.go", Old: "goOn && !c.control.StoppedByVisitor", New: "goOn"}, pieces},

	// Executions that end.
	{mutation.Mutant{Name: "an end with a timer pending cuts off what others print", File: "por/hb/execution.go", Old: "e.EndsExecution && x.sys.Aborted() || ", New: "e.EndsExecution || "}, []string{"./internal/progen", "-run", "^TestPassing$", "-args", "-programs", "1"}},
	{mutation.Mutant{Name: "nothing follows the end of the program", File: "por/optimal/optimal.go", Old: "\t\treturn !s.Halted && s.continueWithout()\n", New: "\t\treturn false\n"}, toySystems},
	{mutation.Mutant{Name: "executions of alternatives that end are all there are", File: "por/optimal/endings.go", Old: "\tif f.endedAlternatives++; f.endedAlternatives < f.numAlternatives {\n\t\treturn false\n\t}\n", New: "\tif f.endedAlternatives++; f.endedAlternatives > 0 {\n\t\treturn false\n\t}\n"}, toySystems},

	// What is saved of a search, each component of it left out. No toy misses these: what begins anew with each
	// execution of a sample (pct) or is another name of what is saved (the sampler's numbers); what only
	// counts memory (retained, suspended, turns.bytes); and, which nothing notices yet, revisited, branched,
	// dropped and eager of optimal, dropped and ctx of source, pending of clockvector, graph and known of
	// graph, dropped of readsfrom, Width of hb, and the driver's Cur and pending.
	{mutation.Mutant{Name: "saved: optimal without frames", File: "por/optimal/optimal.go", Old: "\tframes    []frame", New: "\tframes    []frame `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: optimal without inReversal", File: "por/optimal/optimal.go", Old: "\tinReversal []bool", New: "\tinReversal []bool `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: optimal without frameOf", File: "por/optimal/optimal.go", Old: "\tframeOf    []int32", New: "\tframeOf    []int32 `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: optimal without prevHead", File: "por/optimal/optimal.go", Old: "\tprevHead   []int32", New: "\tprevHead   []int32 `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: optimal without ideals", File: "por/optimal/optimal.go", Old: "\tideals     int", New: "\tideals     int `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: optimal without reversings", File: "por/optimal/optimal.go", Old: "\treversings []*reversing", New: "\treversings []*reversing `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: source without nodes", File: "por/dpor/source.go", Old: "\tnodes   []*sourceNode", New: "\tnodes   []*sourceNode `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: clockvector without nodes", File: "por/dpor/clockvector.go", Old: "\tnodes []cvNode", New: "\tnodes []cvNode `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: clockvector without accessed", File: "por/dpor/clockvector.go", Old: "\taccessed map[uint32]accessor", New: "\taccessed map[uint32]accessor `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: graph without points", File: "por/graph/search.go", Old: "\tpoints []generator", New: "\tpoints []generator `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: readsfrom without marks", File: "por/readsfrom/readsfrom.go", Old: "\tmarks     []por.Mark", New: "\tmarks     []por.Mark `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: readsfrom without graph", File: "por/readsfrom/readsfrom.go", Old: "\tgraph     []graphEvent", New: "\tgraph     []graphEvent `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: readsfrom without positions", File: "por/readsfrom/readsfrom.go", Old: "\tpositions [][]int32", New: "\tpositions [][]int32 `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: readsfrom without stamps", File: "por/readsfrom/readsfrom.go", Old: "\tstamps    [][]int32", New: "\tstamps    [][]int32 `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: readsfrom without frames", File: "por/readsfrom/readsfrom.go", Old: "\tframes    []frame", New: "\tframes    []frame `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: happens before without Events", File: "por/hb/execution.go", Old: "\tEvents []Event", New: "\tEvents []Event `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: happens before without keys", File: "por/hb/execution.go", Old: "\tkeys   []eventKey", New: "\tkeys   []eventKey `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: happens before without clocks", File: "por/hb/execution.go", Old: "\tclocks []uint32", New: "\tclocks []uint32 `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: happens before without Count", File: "por/hb/execution.go", Old: "\tCount    []uint32", New: "\tCount    []uint32 `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: happens before without Last", File: "por/hb/execution.go", Old: "\tLast     []int32", New: "\tLast     []int32 `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: happens before without Exists", File: "por/hb/execution.go", Old: "\tExists   []bool", New: "\tExists   []bool `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: happens before without Pending", File: "por/hb/execution.go", Old: "\tPending  []NextOp", New: "\tPending  []NextOp `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: happens before without MayBlock", File: "por/hb/execution.go", Old: "\tMayBlock []bool", New: "\tMayBlock []bool `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: happens before without undoLog", File: "por/hb/execution.go", Old: "\tundoLog  []Participant", New: "\tundoLog  []Participant `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: happens before without Order", File: "por/hb/execution.go", Old: "\tOrder    []trace.GID", New: "\tOrder    []trace.GID `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "inspected: what accesses nothing is private", File: "por/search/driver.go", Old: "return !s.inspected && Unobservable(", New: "return Unobservable("}, inspecting},
	{mutation.Mutant{Name: "inspected: jpf knows what is private", File: "por/stateful/expand.go", Old: "!s.Inspected() && ", New: ""}, inspecting},
	{mutation.Mutant{Name: "inspected: graph marks what its client does", File: "por/graph/search.go", Old: "case x.Inspected(), ", New: "case "}, inspecting},
	{mutation.Mutant{Name: "inspected: looking ahead passes it", File: "por/lookahead/search.go", Old: " || op.InspectsAll(); s.stopped", New: "; s.stopped"}, inspecting},
	{mutation.Mutant{Name: "saved: driver without Path", File: "por/search/driver.go", Old: "\tPath    trace.Schedule", New: "\tPath    trace.Schedule `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: driver without Preempts", File: "por/search/driver.go", Old: "\tPreempts   int", New: "\tPreempts   int `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: driver without PreemptCut", File: "por/search/driver.go", Old: "\tPreemptCut bool", New: "\tPreemptCut bool `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: stateful without states", File: "por/stateful/dfs.go", Old: "\tstates     *visited", New: "\tstates     *visited `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: stateful without frames", File: "por/stateful/dfs.go", Old: "\tframes []frame", New: "\tframes []frame `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: stateful without components", File: "por/stateful/dfs.go", Old: "\tcomponents *components", New: "\tcomponents *components `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: stateful without alts", File: "por/stateful/dfs.go", Old: "\talts   []trace.Step", New: "\talts   []trace.Step `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: stateful without turns", File: "por/stateful/dfs.go", Old: "\tturns   turns", New: "\tturns   turns `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: turns without dived", File: "por/stateful/turns.go", Old: "\tdived bool", New: "\tdived bool `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: turns without queue", File: "por/stateful/turns.go", Old: "\tqueue []*aside", New: "\tqueue []*aside `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: turns without from", File: "por/stateful/turns.go", Old: "\tfrom     *aside", New: "\tfrom     *aside `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: turns without ends", File: "por/stateful/turns.go", Old: "\tends     uint64", New: "\tends     uint64 `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: turns without fresh", File: "por/stateful/turns.go", Old: "\tfresh    uint64", New: "\tfresh    uint64 `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: turns without base", File: "por/stateful/turns.go", Old: "\tbase     int", New: "\tbase     int `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: turns without deep", File: "por/stateful/turns.go", Old: "\tdeep     bool", New: "\tdeep     bool `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: turns without deepWork", File: "por/stateful/turns.go", Old: "\tdeepWork uint64", New: "\tdeepWork uint64 `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: turns without began", File: "por/stateful/turns.go", Old: "\tbegan    uint64", New: "\tbegan    uint64 `saved:\"-\"`"}, resumed},
	{mutation.Mutant{Name: "saved: driver without KnownRaces", File: "por/search/driver.go", Old: "\tKnownRaces RaceSet\n", New: "\tKnownRaces RaceSet `saved:\"-\"`\n"}, resumed},
}

// few are the mutants that are always built: that one is noticed says that the others would be.
var few = []string{"readers do not commute"}

// TestMutants: every mutant is one of the present code; those that are built do
// not pass their tests.
func TestMutants(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range mutants {
		file, text, ok := x.Source(t, root)
		if !ok {
			continue
		}
		switch {
		case *mutantsFlag == "" && (deep.Quick() || !slices.Contains(few, x.Name)),
			*mutantsFlag != "" && *mutantsFlag != "all" && !strings.Contains(x.Name, *mutantsFlag):
			continue
		}
		if killer := mutation.Kills(t, root, file, text, x.test...); killer != "" {
			t.Logf("%s: %s", x.Name, killer)
		} else {
			t.Errorf("%s: survives", x.Name)
		}
	}
}
