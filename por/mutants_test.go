package por_test

import (
	"flag"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/mutation"
)

var mutantsFlag = flag.String("mutants", "", "build the mutants whose name contains this (all: every one) and see whether their tests fail")

// Tests that notice: of toys, of programs whose classes are counted by hand, of generated programs.
var (
	toys      = []string{"./por", "-run", "^(TestToys|TestToyClasses|TestAddsAndWait)$"}
	counted   = []string{"./internal/progen", "-run", "^TestExact$"}
	semantics = []string{"./internal/progen", "-run", "^TestSemantics$"}
	misused   = []string{"./internal/progen", "-run", "^TestMisuse$", "-args", "-programs", "300"}
	readers   = generated("1", "201", "600")    // with locks
	sending   = generated("8", "200001", "400") // with channels
	selecting = []string{"./internal/progen", "-run", "^TestSelects$"}
	timing    = []string{"./internal/progen", "-run", "^TestTimers$"}
	sleeping  = []string{"./internal/progen", "-run", "^TestSelectsSource$"}
	meeting   = []string{"./internal/progen", "-run", "^TestMeetings$"}
	mixing    = []string{"./internal/progen", "-run", "^TestSelects$", "-args", "-programs", "3000"}
	all       = generated("0", "300301", "100") // with everything
	twin      = []string{"./por", "-run", "^TestContext"}
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
//   - What ends the program is no different behind what is printed (optimal.past): 60,000 toys that print and exit do not notice, so the rule may not be needed.
//   - What is entangled by time is independent, or an RWMutex that is unlocked for a pending writer makes no difference (4000 programs of
//     TestMisuse), or lets readers come first (2800 of them): nothing notices yet.
//   - A send covers those before a receive: execution.covers is asked of operations about one thing, and those on channels are about two.
//   - What waits for two things is found when it arrives: of what is executed only selects do, and those are looked at apart.
//   - Behind more of a past (optimal.within) the sets offered contain what it has already (optimal.cuts): 30,000 dense programs do not notice. It may be that another frame offers them as well.
var mutants = []struct {
	mutation.Mutant
	test []string
}{
	// The relation.
	{mutation.Mutant{Name: "a read does not conflict with a write", File: "trace/op.go", Old: "(a.Write || b.Write) && a.Overlaps", New: "(a.Write && b.Write) && a.Overlaps"}, toys},
	{mutation.Mutant{Name: "overlapping additions commute", File: "trace/op.go", Old: " && o.Access[0] == p.Access[0]\n", New: "\n"}, counted},
	{mutation.Mutant{Name: "all that say something commute", File: "trace/op.go", Old: "o.Commutes == p.Commutes && o.Commutes < SubtractsLast", New: "o.Commutes == p.Commutes"}, misused},
	{mutation.Mutant{Name: "additions do not commute", File: "trace/op.go", Old: "	if o.CommutesWith(p) {\n", New: "	if false {\n"}, counted},
	{mutation.Mutant{Name: "outputs commute", File: "por/dependence.go", Old: "return !d.ignoreOutput", New: "return false"}, toys},
	{mutation.Mutant{Name: "misused readers commute", File: "por/dependence.go", Old: "return d.rude && a.Conflicts(&b.Op)", New: "return false"}, misused},
	{mutation.Mutant{Name: "readers do not commute", File: "por/dependence.go", Old: "return d.rude && a.Conflicts(&b.Op)", New: "return a.Conflicts(&b.Op)"}, counted},
	{mutation.Mutant{Name: "who leaves has always come", File: "por/dependence.go", Old: "return held <= 0", New: "return false"}, misused},
	{mutation.Mutant{Name: "a receive does not need the send", File: "por/queue.go", Old: "send.index == recv.index || ", New: ""}, sending},
	{mutation.Mutant{Name: "a send does not need the room", File: "por/queue.go", Old: " || send.index == recv.index+recv.room", New: ""}, sending},
	{mutation.Mutant{Name: "sends commute with sends", File: "por/queue.go", Old: "return !a.place.none || !b.place.none", New: "return false"}, sending},
	{mutation.Mutant{Name: "receives of nothing do not commute", File: "por/queue.go", Old: "return !a.place.none || !b.place.none", New: "return true"}, counted},
	{mutation.Mutant{Name: "what is received is not counted", File: "por/queue.go", Old: "index: x.received[op.Access[0].Obj]", New: "index: 0"}, sending},
	{mutation.Mutant{Name: "nobody makes the counter of a WaitGroup negative", File: "por/waitgroup.go", Old: "return e.adding.N >= 0 || x.match(int32(i))", New: "return true"}, semantics},
	{mutation.Mutant{Name: "no WaitGroup is used again", File: "por/waitgroup.go", Old: "	return slices.ContainsFunc(x.raises, apart)\n", New: "	return false\n"}, toys},

	{mutation.Mutant{Name: "an addition covers those before it", File: "por/dependence.go", Old: "|| a.amongOthers() ||", New: "||"}, counted},

	{mutation.Mutant{Name: "rf: readers commute", File: "por/readsfrom.go", Old: "s.rf, s.dep.rude = true, true", New: "s.rf = true"}, []string{"./internal/progen", "-run", "^TestReadsFrom$", "-args", "-seed", "101", "-programs", "100"}},

	// Happens-before.
	{mutation.Mutant{Name: "who is met does not take part", File: "por/execution.go", Old: "	if blocks(e.op.Kind) {\n		for _, q := range moved {\n			x.part(q, i)\n		}\n	}\n", New: ""}, sending},
	{mutation.Mutant{Name: "clocks do not know of dependence", File: "por/execution.go", Old: "	x.races = append(x.races, int32(j))\n	x.join(c, j)\n", New: "	x.races = append(x.races, int32(j))\n"}, toys},
	{mutation.Mutant{Name: "the end of the program does not depend on what is printed", File: "por/execution.go", Old: "		f.printed && op.Kind == trace.Output || printed && f.op.Kind == trace.Output ||\n", New: ""}, toys},

	// Operations that can be disabled.
	{mutation.Mutant{Name: "nobody waits for a lock", File: "por/dependence.go", Old: "return k.Blocks()", New: "return k.Blocks() && k != trace.Lock"}, toys},
	{mutation.Mutant{Name: "no reader waits", File: "por/dependence.go", Old: "return k.Blocks()", New: "return k.Blocks() && k != trace.RLock"}, readers},
	{mutation.Mutant{Name: "nobody waits for a WaitGroup", File: "por/dependence.go", Old: "return k.Blocks()", New: "return k.Blocks() && k != trace.WgWait"}, semantics},
	{mutation.Mutant{Name: "nobody waits for a Once", File: "por/dependence.go", Old: "return k.Blocks()", New: "return k.Blocks() && k != trace.OnceEnter"}, generated("2", "1", "600")},
	{mutation.Mutant{Name: "nobody waits to send", File: "por/dependence.go", Old: "return k.Blocks()", New: "return k.Blocks() && k != trace.Send"}, sending},
	{mutation.Mutant{Name: "nobody waits to receive", File: "por/dependence.go", Old: "return k.Blocks()", New: "return k.Blocks() && k != trace.Recv"}, sending},
	{mutation.Mutant{Name: "who stands before what is executed is not looked at", File: "por/optimal.go", Old: "		if s.pending[g].blocks() && int(s.last[g]) != e && ", New: "		if s.pending[g].blocks() && int(s.last[g]) < -1 && "}, toys},
	{mutation.Mutant{Name: "who arrives is not looked at", File: "por/optimal.go", Old: "		if !s.pending[m.g].blocks() || channel(s.pending[m.g].Kind) {\n			continue\n", New: "		if true {\n			continue\n"}, toys},
	{mutation.Mutant{Name: "source: who stands before what is executed is not looked at", File: "por/source.go", Old: "		if int(a) != n && s.x.known[q] && ", New: "		if int(a) < -1 && s.x.known[q] && "}, toys},
	{mutation.Mutant{Name: "source: who arrives is not looked at", File: "por/source.go", Old: "		if s.x.pending[m.g].blocks() {\n			s.arrived", New: "		if false {\n			s.arrived"}, toys},
	{mutation.Mutant{Name: "a writer depends on one reader", File: "por/optimal.go", Old: " && !s.events[x].op.amongOthers() && ", New: " && "}, readers},

	// Each class once.
	{mutation.Mutant{Name: "planned events do not matter", File: "por/pasts.go", Old: "		} else if s.planned[j] && it.q != trace.NoGID {\n", New: "		} else if false {\n"}, toys},
	{mutation.Mutant{Name: "heads come in any order", File: "por/pasts.go", Old: "		if s.elder(s.events[y].g, s.events[h].g) {\n			return false\n", New: "		if s.elder(s.events[y].g, s.events[h].g) {\n			return true\n"}, toys},
	{mutation.Mutant{Name: "heads are forgotten", File: "por/optimal.go", Old: "	s.head[y] = f.head\n", New: ""}, counted},
	{mutation.Mutant{Name: "a past need not have anything to do with the operation", File: "por/optimal.go", Old: "	if s.halted || goOn && !s.depends(f, y) || ", New: "	if s.halted || "}, all},
	{mutation.Mutant{Name: "a past is explored as often as it is found", File: "por/pasts.go", Old: "		if _, known := f.seen[key]; known {\n", New: "		if _, known := f.seen[key]; known && false {\n"}, readers},
	{mutation.Mutant{Name: "source: nobody goes on sleeping", File: "por/source.go", Old: "		case s.independent(e, &w):\n			sleep = append(sleep, w)\n", New: ""}, toys},
	{mutation.Mutant{Name: "source: nobody wakes up", File: "por/source.go", Old: "		case s.independent(e, &w):\n", New: "		default:\n"}, toys},

	// Operations on channels.
	{mutation.Mutant{Name: "nothing but the arrivals is needed", File: "por/meetings.go", Old: "	if several {\n", New: "	if false {\n"}, selectingFrom("5901")},
	{mutation.Mutant{Name: "who arrives before a channel is not looked at", File: "por/meetings.go", Old: "	if !some {\n		return\n", New: "	if true {\n		return\n"}, selecting},
	{mutation.Mutant{Name: "all that is possible behind a past needs it", File: "por/meetings.go", Old: "!s.whole(f, g, p):\n", New: "false:\n"}, selecting},
	{mutation.Mutant{Name: "a select is disabled in every way", File: "por/optimal.go", Old: " || s.lastEvent(f.g) != y && s.earlier(f, y) {\n", New: " {\n"}, selecting},
	{mutation.Mutant{Name: "a past contains parts of others", File: "por/optimal.go", Old: " || it.q == trace.NoGID && s.depends(f, len(s.events)-1) {\n", New: " {\n"}, selectingFrom("13401")},
	{mutation.Mutant{Name: "nobody waits in a select for what is sent", File: "por/selects.go", Old: "	if h.op.Kind != trace.Select {\n", New: "	if true {\n"}, meeting},
	{mutation.Mutant{Name: "one meets others only behind what one depends on oneself", File: "por/optimal.go", Old: "				if s.besides(int(x), e) {\n", New: "				if false {\n"}, meeting},
	{mutation.Mutant{Name: "what comes without x shows nothing new", File: "por/optimal.go", Old: "	case it.late:\n", New: "	case false:\n"}, meeting},
	{mutation.Mutant{Name: "any way stands for an operation", File: "por/optimal.go", Old: "		planned = f.labels[choice] != s.frames[f.of].labels[0]\n", New: ""}, mixing},
	{mutation.Mutant{Name: "the first way stands for an operation, even if it meets somebody", File: "por/meetings.go", Old: "		if _, met := s.sys.Partner(f.g, c); !met {\n			first = c\n", New: "		if _, met := s.sys.Partner(f.g, c); !met {\n			first = 0\n"}, meeting},
	{mutation.Mutant{Name: "all that comes behind a past is new", File: "por/meetings.go", Old: "	if e < f.depth || !s.dependentOp(&s.events[e], &f.met, false) {\n", New: "	if e < f.depth {\n"}, mixing},
	{mutation.Mutant{Name: "events have the names they have behind x", File: "por/pasts.go", Old: "		if s.before(x, clock) {\n", New: "		if false {\n"}, meeting},
	{mutation.Mutant{Name: "it does not matter what those wait for who are parked", File: "vm/step_schedule.go", Old: "		m.peerChannels(g, func(trace.Access) { v.op.Wide = true })\n", New: ""}, selecting},

	{mutation.Mutant{Name: "ended: optimal does not depend on who stops a timer", File: "por/pasts.go", Old: " || s.next(f.g).gone() {", New: " {"}, counted},
	{mutation.Mutant{Name: "ended: clockvector does not look at a timer that is stopped", File: "por/clockvector.go", Old: "		if q != a.G && ended(q, x.standing) {\n", New: "		if false {\n"}, timing},
	{mutation.Mutant{Name: "ended: graph does not look at a timer that is stopped", File: "por/graphsearch.go", Old: "			x.addScheduleFor(n, q)\n", New: ""}, timing},
	{mutation.Mutant{Name: "source: who is met could do nothing else", File: "por/source.go", Old: "p.with.Kind != trace.None && slices.Contains(f.enabled, p.mate)", New: "false"}, sleeping},
	{mutation.Mutant{Name: "source: nobody arrives before a channel", File: "por/source.go", Old: "		if s.x.pending[m.g].blocks() {\n			s.arrived", New: "		if s.x.pending[m.g].blocks() && !channel(s.x.pending[m.g].Kind) {\n			s.arrived"}, sleeping},
	{mutation.Mutant{Name: "source: nobody stands before a channel", File: "por/source.go", Old: "		if int(a) != n && s.x.known[q] && ", New: "		if int(a) != n && !channel(s.x.pending[q].Kind) && s.x.known[q] && "}, sleeping},

	// What changes places.
	{mutation.Mutant{Name: "context: any two events change places", File: "por/context.go", Old: "	return a.op.Kind == b.op.Kind && (memory", New: "	return true || a.op.Kind == b.op.Kind && (memory"}, twin},
	{mutation.Mutant{Name: "context: twins commute", File: "por/context.go", Old: " && named(s.sys, at) == state {", New: " && state == state {"}, twin},
	{mutation.Mutant{Name: "context: nothing changes places", File: "por/context.go", Old: "!c.cfg.CSS && (len(w) > 1 || !twins(&a, &b))", New: "!c.cfg.CSS"}, twin},

	{mutation.Mutant{Name: "pasts there is no memory for are dropped", File: "por/pasts.go", Old: "		s.due = append(s.due, due{i, it, slices.Clone(f.moves[it.lo:it.hi])})\n", New: ""}, toys},
	{mutation.Mutant{Name: "what was planned is not when the search comes back", File: "por/parsimonious.go", Old: "append(s.planned, a.planned...)", New: "append(s.planned, make([]bool, len(a.planned))...)"}, toys},

	// Executions that end.
	{mutation.Mutant{Name: "nothing comes behind the end of the program", File: "por/optimal.go", Old: "		goOn = !s.halted && s.revive()\n", New: "		goOn = false\n"}, toys},
	{mutation.Mutant{Name: "executions of alternatives that end are all there are", File: "por/ends.go", Old: "	if f.cut++; f.cut < f.n {\n		return false\n	}\n", New: "	if f.cut++; f.cut > 0 {\n		return false\n	}\n"}, toys},
}

// few are the mutants that are always built.
var few = []string{"readers do not commute", "planned events do not matter", "who arrives is not looked at"}

// TestMutants: every mutant is one of the present code; those that are built do
// not pass their tests.
func TestMutants(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range mutants {
		file, text, ok := x.Source(t, root)
		if !ok {
			continue
		}
		switch {
		case *mutantsFlag == "" && (testing.Short() || !slices.Contains(few, x.Name)),
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
