package environment

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/mutation"
)

var (
	mutants = flag.Bool("mutants", false, "execute the tests on each mutant")
	every   = flag.Bool("every", false, "explore with every explorer and all static facts, and execute each program 200 times")
)

// A mutant is one that the test has to notice.
type mutant struct {
	mutation.Mutant
	test string
}

// TestMutants takes away one choice of the environment, or one word about what is not tried, at a time.
// Without -mutants it sees only that the fragments are of the present code.
func TestMutants(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range append([]mutant{
		{mutation.Mutant{Name: "one order", File: "vm/step_order.go", Old: "case n <= maxOrdered && m.tryOrders", New: "case false && m.tryOrders"}, "TestPrograms/maporder"},
		{mutation.Mutant{Name: "one order is not named", File: "vm/step_order.go", Old: "		m.assume(g, MapOrder)\n", New: ""}, "TestPrograms/mapmany"},
		{mutation.Mutant{Name: "starting points are not named", File: "vm/step_order.go", Old: "		m.assume(g, MapStarts)\n", New: ""}, "TestPrograms/mapstarts"},
		{mutation.Mutant{Name: "what is inserted is not visited", File: "vm/step_order.go", Old: "w[orMode/8]&orderMode == orderAll {\n		e, s", New: "false {\n		e, s"}, "TestPrograms/mapinserted"},
		{mutation.Mutant{Name: "a loop may end when entries follow", File: "vm/step_order.go", Old: "case any && w[orMust/8] == 0 && w[orMay/8] > 0:", New: "case any && w[orMay/8] > 0:"}, "TestPrograms/mapinsertedearly"},
		{mutation.Mutant{Name: "entries are numbered anew during a loop", File: "vm/step_order.go", Old: "		m.iterated(mp)\n", New: ""}, "TestPrograms/mapdeleted$"},
		{mutation.Mutant{Name: "entries are numbered anew during a loop without order", File: "vm/step_map.go", Old: "			m.iterated(*b)\n", New: ""}, "TestPrograms/mapdeletedin"},
		{mutation.Mutant{Name: "entries of empty maps are numbered anew during a loop", File: "vm/step_map.go", Old: "	hd[mpCount/8], hd[mpUsed/8] = 0, 0\n	if m.heap.objs[mp>>32].flags&objIterated == 0 || m.small(hd, t) {", New: "	hd[mpCount/8], hd[mpUsed/8] = 0, 0\n	if true {"}, "TestPrograms/mapcleared"},
		{mutation.Mutant{Name: "entries are numbered anew during a loop when the map grows", File: "vm/step_map.go", Old: "	if h.objs[mp>>32].flags&objIterated == 0 {", New: "	if true {"}, "TestPrograms/mapgrown"},
		{mutation.Mutant{Name: "deleted entries keep their slots", File: "vm/step_slots.go", Old: "	i := 0\n	for *", New: "	i := int(hd[mpUsed/8]) % minMapCap\n	for *"}, "TestSlots/TestAgain"},
		{mutation.Mutant{Name: "clones have no slots", File: "vm/native_reflect_maps.go", Old: "	if m.small(hd, t) {\n", New: "	if false {\n"}, "TestSlots/TestCloned"},
		{mutation.Mutant{Name: "full maps stay small", File: "vm/step_slots.go", Old: "		m.mapGrow(g, mp, t, 2*(minMapCap+1))\n		return false\n", New: "		return true\n"}, "TestSlots/TestLargeGrown"},
		{mutation.Mutant{Name: "the order of insertion is that of slots", File: "vm/step_slots.go", Old: "m.cfg.InTurn && m.cfg.Maps != MapsInsertion", New: "m.cfg.InTurn"}, "TestSlots/TestDeleted"},
		{mutation.Mutant{Name: "a loop begins in a slot with an entry", File: "vm/step_slots.go", Old: "minMapCap - 1 - sure}", New: "0}"}, "TestSlots"},
		{mutation.Mutant{Name: "loops that insert have no order", File: "vm/link_order.go", Old: "	if k.m.hasSlots() && compile.Inserts(r, k.bodies) {", New: "	if false {"}, "TestSlots"},
		{mutation.Mutant{Name: "orders are no matter of gc", File: "vm/step_order.go", Old: "		m.ranged = &Ranging{g.id, pos}\n", New: "		_ = pos\n"}, "./cmd/hbcheck TestScripts/slots"},
		{mutation.Mutant{Name: "map literals are in the order of the source", File: "load/check.go", Old: "		p.orderMapLits()\n", New: ""}, "TestPrograms/maplit"},
		{mutation.Mutant{Name: "nil is not static", File: "load/maplit.go", Old: "	if tv.IsNil() {\n		return true\n	}\n", New: ""}, "TestPrograms/maplit"},
		{mutation.Mutant{Name: "what becomes an interface is static", File: "load/maplit.go", Old: "!ok && types.IsInterface(t)", New: "!ok && false"}, "TestPrograms/maplit"},
		{mutation.Mutant{Name: "constants of type parameters become interfaces", File: "load/maplit.go", Old: "!ok && types.IsInterface(t)", New: "(ok || !ok) && types.IsInterface(t)"}, "TestPrograms/maplit"},
		{mutation.Mutant{Name: "structs are not static", File: "load/maplit.go", Old: "	case *types.Struct:\n", New: "	case *types.Struct:\n		if len(lit.Elts) >= 0 {\n			return false\n		}\n"}, "TestPrograms/maplit"},
		{mutation.Mutant{Name: "sizes of type parameters are not static", File: "load/maplit.go", Old: "return ok && (b.Name()", New: "return false && (b.Name()"}, "TestPrograms/maplit"},
		{mutation.Mutant{Name: "literals of type parameters are in the order of the source", File: "load/maplit.go", Old: "		return termOf(tp.Constraint())\n", New: "		return tp\n"}, "TestPrograms/maplit"},
		{mutation.Mutant{Name: "goroutines that wait in turn have names", File: "vm/state_symmetry.go", Old: "!m.cfg.RandFixed && !m.Symbolic()", New: "!m.cfg.RandFixed && !m.cfg.InTurn && !m.tracking"}, "./explore TestQueuesOfMany"},
		{mutation.Mutant{Name: "any loop may end early", File: "vm/compile/order.go", Old: "return len(l.early) == 0 || l.exits()", New: "return true"}, "TestOrderMatters"},
		{mutation.Mutant{Name: "slices need not be sorted", File: "vm/compile/order_fold.go", Old: "		if !l.sorted(p) {\n			return false\n		}\n", New: ""}, "TestOrderMatters"},
		{mutation.Mutant{Name: "panics do not count", File: "vm/compile/order.go", Old: "if l.panics || !l.nilFirst()", New: "if !l.nilFirst()"}, "TestOrderMatters"},
		{mutation.Mutant{Name: "folds are mixed", File: "vm/compile/order_fold.go", Old: "return a.fold.op == f.op && ", New: "return "}, "TestOrderMatters"},
		{mutation.Mutant{Name: "signals do not arrive", File: "vm/native_signal.go", Old: "r.SetBool(0, !m.auto && n < maxSignals)", New: "r.SetBool(0, false)"}, "TestPrograms/signalbug"},
		{mutation.Mutant{Name: "waiting for a signal is a deadlock", File: "explore/bugs.go", Old: "return g.Signal })", New: "return false })"}, "TestPrograms/signalwait"},
		{mutation.Mutant{Name: "pools keep everything", File: "vm/native_sync.go", Old: "tries := !m.auto && ", New: "tries := false && "}, "TestPrograms/pool"},
		{mutation.Mutant{Name: "when finalizers run is not named", File: "vm/query_assumed.go", Old: "		m.assume(g, what)\n	}\n}\n\n// Assumed", New: "		_ = what\n	}\n}\n\n// Assumed"}, "TestPrograms/finalizer"},
		{mutation.Mutant{Name: "== does not look at times", File: "vm/step_value.go", Old: "		m.timesCompared(l, a, b)\n", New: ""}, "TestPrograms/clocksame"},
		{mutation.Mutant{Name: "== at a moment is not named", File: "vm/step_sametime.go", Old: "		m.equalOnce(g, apart)\n", New: ""}, "TestPrograms/clockonce"},
		{mutation.Mutant{Name: "Equal at a moment is not named", File: "vm/native_time.go", Old: "		m.equalTimes(g, r)\n", New: ""}, "TestPrograms/clockequal"},
		{mutation.Mutant{Name: "texts of times are not named", File: "vm/step_sametime.go", Old: "case timeTexts[name]:\n			used = true", New: "case timeTexts[name]:\n			used = false"}, "TestPrograms/clocktext"},
		{mutation.Mutant{Name: "dates of times are not named", File: "vm/step_sametime.go", Old: `"Date": true, `, New: ""}, "TestPrograms/clockpart"},
		{mutation.Mutant{Name: "texts of durations are not named", File: "vm/compile/spans.go", Old: "	if number {\n		how |= bytecode.ClockNumber | bytecode.ClockLater\n	}\n", New: ""}, "TestPrograms/clockpassed"},
		{mutation.Mutant{Name: "rests are not counted", File: "vm/state_time.go", Old: "a.observed.Load() || a.rests.Load() && !m.cfg.CountRests", New: "a.observed.Load()"}, "./vm TestRests"},
		{mutation.Mutant{Name: "sleepers commute where the clock is read", File: "vm/system_effects.go", Old: "		return m.link.clockUsed\n", New: "		return false\n"}, "TestPrograms/clocksleepers"},
		{mutation.Mutant{Name: "deadlines are no part of states", File: "vm/state_serialise.go", Old: "g.label != 0 && (m.link.clockUsed || m.timeOrdered(g))", New: "g.label != 0 && m.timeOrdered(g)"}, "TestPrograms/clockdeadline"},
		{mutation.Mutant{Name: "ticks are exact", File: "vm/native_time.go", Old: "	m.tickShown(g, w[0], w[1])\n", New: ""}, "TestPrograms/clocktick"},
		{mutation.Mutant{Name: "what lies before ticks is exact", File: "vm/step_look.go", Old: "	m.link.sinceTick(x, y)\n", New: "	_ = y\n"}, "TestPrograms/clocktick$"},
		{mutation.Mutant{Name: "what is printed is named", File: "vm/compile/clock.go", Old: "ok && !printed(x, captured)", New: "ok"}, "TestPrograms/clockprinted"},
		{mutation.Mutant{Name: "dates are not named", File: "vm/step_look.go", Old: "	m.comparesDate(g, a, b)\n", New: ""}, "TestPrograms/clockdate$"},
		{mutation.Mutant{Name: "the time until a date is not named", File: "vm/step_look.go", Old: "	if aged {\n", New: "	if aged && false {\n"}, "TestPrograms/clockdateage"},
		{mutation.Mutant{Name: "numbers of dates are not named", File: "vm/step_look.go", Old: "	m.comparesUnix(g, x, y, float64(unit), in.C)\n", New: ""}, "TestPrograms/clockdatenumber"},
		{mutation.Mutant{Name: "what is computed is a date", File: "vm/step_date.go", Old: " && m.link.date(instant(w[0], w[1]), true)", New: ""}, "TestPrograms/clockdatesonly"},
		{mutation.Mutant{Name: "what is added to a date is none", File: "vm/step_look.go", Old: "	if m.isDate(from) {\n", New: "	if false {\n"}, "TestPrograms/clockdateadd"},
		{mutation.Mutant{Name: "dates are taken for the clock", File: "vm/step_date.go", Old: " && !m.link.date(at, false)", New: ""}, "TestPrograms/clockdatesonly"},
		{mutation.Mutant{Name: "numbers of dates are taken for the clock's", File: "vm/step_date.go", Old: "(!left || !m.dateNumber(a, unit))", New: "true"}, "TestPrograms/clockdatesonly"},
		{mutation.Mutant{Name: "Stop empties channels of early timers", File: "load/overlay/_src/time/sleep.go", Old: "r.c != nil && !r.early && hbDrain", New: "r.c != nil && hbDrain"}, "TestPrograms/timerearly"},
		{mutation.Mutant{Name: "timers are never early", File: "vm/native_runtime.go", Old: "		list = p.Settings", New: "		list = \"\""}, "TestPrograms/timerearly"},
		{mutation.Mutant{Name: "panic(nil) is always an error", File: "vm/step_slowpath.go", Old: `*a == 0 && m.setting("panicnil") != "1"`, New: "*a == 0"}, "TestPrograms/panicnil"},
		{mutation.Mutant{Name: "settings are those of the start", File: "load/overlay/_src/internal/godebug/godebug.go", Old: "{ text, changed = to, true }", New: "{}"}, "TestPrograms/godebugset"},
		{mutation.Mutant{Name: "asking for a setting is no operation", File: "load/overlay/_src/internal/godebug/godebug.go", Old: "HbEnvs != nil && hbSets()", New: "false"}, "TestPrograms/godebugset"},
		{mutation.Mutant{Name: "nothing is on its way", File: "load/overlay/_src/time/sleep.go", Old: "if r.early && !r.send {", New: "if false {"}, "TestPrograms/timerflight"},
		{mutation.Mutant{Name: "that a test has failed is no part of states", File: "vm/state_hash.go", Old: "if m.failed != 0 {", New: "if false {"}, "./cmd/hbcheck TestScripts/several"},
		{mutation.Mutant{Name: "a loop that looks only waits", File: "vm/await_eliminate.go", Old: " || m.clockReads != d.clock {", New: " {"}, "./cmd/hbcheck TestScripts/looks"},
		{mutation.Mutant{Name: "output is not read", File: "vm/compile/shown.go", Old: "!captured && (hasPrefix", New: "(hasPrefix"}, "TestPrograms/captured"},
		{mutation.Mutant{Name: "logs are not read", File: "vm/link_constant.go", Old: "	if k.logs {", New: "	if false {"}, "TestPrograms/capturedlog"},
		{mutation.Mutant{Name: "sources with seeds from the clock are like others", File: "vm/native_choice.go", Old: "r.SetBool(0, m.link.seeded(r.U(0)))", New: "r.SetBool(0, false)"}, "TestPrograms/clockseed$"},
		{mutation.Mutant{Name: "a perhaps other number is not from the clock", File: "vm/compile/clock.go", Old: "		list = phi.Edges\n", New: "		list = phi.Edges[:0]\n"}, "TestPrograms/clockseedidle"},
		{mutation.Mutant{Name: "a seed is kept nowhere", File: "vm/compile/clock.go", Old: "			default:\n				return false\n			}\n		}\n		return true\n	}\n	return false\n}\n\n// seededBy", New: "			}\n		}\n		return true\n	}\n	return false\n}\n\n// seededBy"}, "TestPrograms/clockseedkept"},
		{mutation.Mutant{Name: "any function takes a seed", File: "vm/compile/clock.go", Old: "return seededBy(x) != nil", New: "return true"}, "TestPrograms/clocknumber"},
		{mutation.Mutant{Name: "all orders end soon", File: "explore/orders.go", Old: "if !s.answers(&found) {", New: "if false {"}, "./cmd/hbcheck TestScripts/orders"},
		{mutation.Mutant{Name: "all orders are no more than some", File: "vm/step_order.go", Old: "	cfg.Maps = MapsAll\n", New: ""}, "./cmd/hbcheck TestScripts/orders"},
		{mutation.Mutant{Name: "schedules of all orders are replayed with some", File: "cmd/hbcheck/explore.go", Old: "if r.AllOrders {", New: "if false {"}, "./cmd/hbcheck TestScripts/orders"},
		{mutation.Mutant{Name: "durations that leave a function are not kept", File: "vm/step_look.go", Old: "			m.noteSpan(int64(*a), 1)\n", New: ""}, "TestPrograms/spanstored"},
		{mutation.Mutant{Name: "a conversion to int64 makes no number", File: "vm/compile/emit.go", Old: "		c.clocked(v, func() { c.into(v.X, c.dst(v)) })\n", New: "		c.into(v.X, c.dst(v))\n		c.clockSpan(v)\n"}, "TestPrograms/spanconverted"},
		{mutation.Mutant{Name: "sums of durations are not kept", File: "vm/step_spans.go", Old: "		m.noteSpan(a+b, x+y)\n", New: ""}, "TestPrograms/spansum"},
		{mutation.Mutant{Name: "a number that is a duration again is none", File: "vm/compile/clock.go", Old: "	return !sure && spanUsed(v, captured)\n", New: "	return false\n"}, "TestPrograms/spanscaled"},
		{mutation.Mutant{Name: "texts of durations in memory are not named", File: "load/overlay/_src/time/apart.go", Old: "	hbText(d)\n", New: ""}, "TestPrograms/spantext"},
		{mutation.Mutant{Name: "what fmt makes of a duration is not looked at", File: "vm/compile/emit.go", Old: "		c.clockFormatted(v)\n", New: ""}, "TestPrograms/spanformat"},
		{mutation.Mutant{Name: "durations do not leave in interfaces", File: "vm/compile/spans.go", Old: "	return t.use == TextShown\n}\n\n// clockFormatted", New: "	return true\n}\n\n// clockFormatted"}, "TestPrograms/spanpassed"},
		{mutation.Mutant{Name: "durations are no keys", File: "vm/compile/emit.go", Old: "		c.clockKey(v.Index)\n", New: ""}, "TestPrograms/spankey"},
		{mutation.Mutant{Name: "remainders of durations are durations", File: "vm/step_spans.go", Old: "	if how&bytecode.ClockNumber != 0 && !m.exactUnits(g, a, b, x, y, op, unit) {\n		if ctl := m.counts(g, how); ctl != Next {\n			return ctl\n		}\n	}\n", New: "	_ = unit\n"}, "TestPrograms/spantimes"},
		{mutation.Mutant{Name: "quotients of durations are looked up", File: "vm/compile/spans.go", Old: "ok && !ofClock(x) {", New: "ok && x == nil {"}, "TestPrograms/spanprinted"},
		{mutation.Mutant{Name: "what is rounded is compared as a duration", File: "vm/step_spans.go", Old: "(n == maxSum || !m.reaches(d))", New: "!m.reaches(d)"}, "./cmd/hbcheck TestScripts/durations"},
		{mutation.Mutant{Name: "sums are compared as one duration", File: "vm/step_look.go", Old: "		m.comparesSums(g, int64(*a), int64(b))\n", New: ""}, "./cmd/hbcheck TestScripts/durations"},
		{mutation.Mutant{Name: "numbers of sums are as exact as those of one duration", File: "vm/step_exact.go", Old: " * float64(n)\n", New: "\n"}, "./cmd/hbcheck TestScripts/durations"},
		{mutation.Mutant{Name: "numbers are exact however often all have waited", File: "vm/step_exact.go", Old: "same(times + int(m.rests))", New: "same(times)"}, "./cmd/hbcheck TestScripts/durations"},
		{mutation.Mutant{Name: "numbers made of ticks are as exact as others", File: "vm/step_exact.go", Old: "		times++\n", New: ""}, "./cmd/hbcheck TestScripts/durations"},
		{mutation.Mutant{Name: "numbers of what is rounded are exact", File: "vm/step_exact.go", Old: "n >= maxSum || ", New: ""}, "./cmd/hbcheck TestScripts/durations"},
		{mutation.Mutant{Name: "numbers are exact in loops that look", File: "vm/step_exact.go", Old: " || m.loopsBack(g)", New: ""}, "./cmd/hbcheck TestScripts/durations"},
		{mutation.Mutant{Name: "Times that durations were added to are as exact as others", File: "vm/step_look.go", Old: "		m.link.note(&m.link.moved)\n", New: ""}, "./cmd/hbcheck TestScripts/durations"},
		{mutation.Mutant{Name: "only quotients of numbers are used", File: "vm/compile/units.go", Old: "			return 1\n		case *ssa.Convert, *ssa.ChangeType:", New: "			continue\n		case *ssa.Convert, *ssa.ChangeType:"}, "./cmd/hbcheck TestScripts/durations"},
		{mutation.Mutant{Name: "floats are integers", File: "vm/compile/units.go", Old: "				if !isInteger(y) {\n					return 1\n				}\n", New: ""}, "./cmd/hbcheck TestScripts/durations"},
		{mutation.Mutant{Name: "any number is exact", File: "vm/step_exact.go", Old: "&& f(d-int64(u)) == f(d+int64(u))", New: ""}, "./cmd/hbcheck TestScripts/durations"},
		{mutation.Mutant{Name: "any duration is one of the clock's", File: "vm/step_look.go", Old: "n > 0 && !m.exactNumber(", New: "!m.exactNumber("}, "TestPrograms/spanprinted"},
		{mutation.Mutant{Name: "texts that are printed are named", File: "vm/step_spans.go", Old: " && !m.onlyShown(g)", New: ""}, "TestPrograms/spanprinted"},
		{mutation.Mutant{Name: "what lies between two times is not of the clock", File: "vm/step_look.go", Old: "	m.noteElapsed(g)\n	wall, from", New: "	wall, from"}, "TestPrograms/clockelapsed$"},
		{mutation.Mutant{Name: "numbers of times are not of the clock", File: "vm/native_time.go", Old: "		m.noteElapsed(g)\n		m.takenApart", New: "		m.takenApart"}, "TestPrograms/clockelapsednumber"},
		{mutation.Mutant{Name: "what is configured is of the clock", File: "vm/step_look.go", Old: "m.auto || !m.comparesElapsed() {", New: "m.auto {"}, "./cmd/hbcheck TestScripts/looks"},
		{mutation.Mutant{Name: "comparisons that were passed over are not repeated", File: "vm/step_elapsed.go", Old: "return !m.cfg.Elapsed && a.elapsed.Load() && a.passed.Load()", New: "return false && a.passed.Load()"}, "TestPrograms/clockelapsedlate"},
		{mutation.Mutant{Name: "the clock stands still between looks", File: "vm/step_look.go", Old: "max(m.clock, m.shown) + 1", New: "max(m.clock, m.shown)"}, "TestPrograms/clockmoves"},
		{mutation.Mutant{Name: "the store of an atomic.Value does not read", File: "vm/system_effects.go", Old: "return op.Access[0].Size == value", New: "return op.Access[0].Size == value && false"}, "./cmd/hbcheck TestScripts/outcomes"},
		{mutation.Mutant{Name: "rand.Seed does nothing", File: "load/overlay/_src/math/rand/hb_global.go", Old: "if randseednop.Value() != \"0\" {", New: "if true {"}, "TestPrograms/seeded$"},
		{mutation.Mutant{Name: "a seed from the clock is known", File: "load/overlay/_src/math/rand/hb_global.go", Old: "		globalRandGenerator.Store(nil)\n		return\n", New: ""}, "TestPrograms/seedednow"},
		{mutation.Mutant{Name: "no program seeds", File: "load/nonblocking.go", Old: "fn.FullName() == \"math/rand.Seed\"", New: "false"}, "TestPrograms/seeded$"},
		{mutation.Mutant{Name: "addresses are not named", File: "vm/link_address.go", Old: "!addressAsNumber(i) || ", New: "true || "}, "TestPrograms/address"},
		{mutation.Mutant{Name: "drawn values that are compared are not looked at", File: "vm/drawn_exec.go", Old: "			if _, ok := certain(compared[in.Op], s.boundOf(g, A, integer), s.boundOf(g, B, integer)); !ok {\n				s.look(sh[A], sh[B])\n			}\n", New: ""}, "TestDraws/TestLook(Switch|Float)$"},
		{mutation.Mutant{Name: "nor with a constant", File: "vm/drawn_exec.go", Old: "			if _, ok := certain(compared[in.Op], x, y); !ok {\n				s.look(sh[A])\n			}\n", New: "			_, _ = x, y\n"}, "TestDraws/TestLook(Branch|Part)"},
		{mutation.Mutant{Name: "nor are conditions", File: "vm/drawn_exec.go", Old: "	case JT, JF, ChkShift:\n		s.look(sh[A])\n", New: "	case JT, JF, ChkShift:\n"}, "TestDraws/TestLook(Switch|Float)$"},
		{mutation.Mutant{Name: "drawn indices are not looked at", File: "vm/drawn_exec.go", Old: "		s.look(sh[B], sh[B+1], sh[C])\n		if i := *g.reg(uint32(C))", New: "		if i := *g.reg(uint32(C))"}, "TestDraws/TestLookIndex"},
		{mutation.Mutant{Name: "nor are those of arrays", File: "vm/drawn_exec.go", Old: "		s.look(sh[B], sh[C])\n		sh[A] = nil\n	case RIdx", New: "		sh[A] = nil\n	case RIdx"}, "TestDraws/TestLookArray"},
		{mutation.Mutant{Name: "nor are drawn lengths", File: "vm/drawn_exec.go", Old: "	case MkSlice:\n		s.look(sh[B], sh[C])\n", New: "	case MkSlice:\n"}, "TestDraws/TestLookMake"},
		{mutation.Mutant{Name: "nor are drawn keys", File: "vm/drawn_exec.go", Old: "		s.lookWords(g, key, t.key.Words())\n", New: "		_ = key\n"}, "TestDraws/TestLookKey"},
		{mutation.Mutant{Name: "nor are drawn texts", File: "vm/drawn_exec.go", Old: "		s.lookMemory(*g.reg(uint32(B)), *g.reg(uint32(B) + 1))\n		s.lookMemory(*g.reg(uint32(C)), *g.reg(uint32(C) + 1))\n", New: ""}, "TestDraws/TestLookString"},
		{mutation.Mutant{Name: "nor are structs that are compared", File: "vm/drawn_exec.go", Old: "			s.lookWords(g, i, n)\n", New: "			_, _ = i, n\n"}, "TestDraws/TestLook(Struct|Interface)"},
		{mutation.Mutant{Name: "natives do not look", File: "vm/drawn_native.go", Old: "	s.look(words[:params]...)\n	if len(s.memory) > 0 {", New: "	if false {"}, "TestDraws/TestLook(Bytes|Text)"},
		{mutation.Mutant{Name: "what is computed of drawn values is not drawn", File: "vm/drawn_exec.go", Old: "	g.shadow[g.fp+uint32(i)] = s.joined(known, x, y)\n", New: "	g.shadow[g.fp+uint32(i)] = nil\n"}, "TestDraws/TestLookHashed"},
		{mutation.Mutant{Name: "swaps of drawn values do not look", File: "vm/symbolic_atomic.go", Old: "		s.look(s.at(r.U(0), w.size), r.sym(s.m, g, 1))\n", New: ""}, "TestDraws/TestLookSwapped"},
		{mutation.Mutant{Name: "labels are no part of states", File: "vm/state_serialise.go", Old: "		if m.tracking {\n			t.words =", New: "		if m.Symbolic() {\n			t.words ="}, "TestDraws/TestLookMatched"},
		{mutation.Mutant{Name: "nor are those in memory", File: "vm/state_regions.go", Old: "	if m.tracking && len(", New: "	if m.Symbolic() && len("}, "TestDraws/TestLookMatched"},
		{mutation.Mutant{Name: "labels of goroutines that wait are those of before", File: "vm/symbolic.go", Old: "		g.serial.valid = false // shadows", New: "		// shadows"}, "./internal/modeltest TestOperations"},
		{mutation.Mutant{Name: "of equal goroutines with labels one counts", File: "vm/state_hash.go", Old: "	for _, s := range slots {\n		if g :=", New: "	for n, s := range slots {\n		if n > 0 && c.exchanging && m.labeled() && m.gs[s].origin == m.gs[slots[n-1]].origin {\n			s = slots[n-1]\n		}\n		if g :="}, "TestFlows"},
		{mutation.Mutant{Name: "numbers of the clock have no labels", File: "vm/drawn_clock.go", Old: "		g.shadow[g.fp+uint32(i)] = m.sym.label(", New: "		_ = m.sym.label("}, "TestDraws/TestLookOfClock"},
		{mutation.Mutant{Name: "nor have registers then", File: "vm/drawn_clock.go", Old: "		g.unlabeled = false\n", New: ""}, "TestDraws/TestLookOfClock"},
		{mutation.Mutant{Name: "nor has the clock of the runtime", File: "vm/native_time.go", Old: "		r.setLabel(m, g, 0, label)\n		return Next\n	}},\n	{Name: \"time.runtimeNano\"", New: "		_ = label\n		return Next\n	}},\n	{Name: \"time.runtimeNano\""}, "TestDraws/TestLookOfClockNanotime"},
		{mutation.Mutant{Name: "what was looked at of the clock has labels still", File: "vm/drawn_clock.go", Old: "	case !m.labelsDrawn(a):\n		m.assumeCounted(g)\n", New: "	case !m.labelsDrawn(a):\n"}, "TestDraws/TestLookOfClock"},
		{mutation.Mutant{Name: "bounds do not wrap around", File: "vm/drawn_bounds.go", Old: "	return c, c/b == a && (a", New: "	return c, true || (a"}, "TestDraws/TestLookWrapped"},
		{mutation.Mutant{Name: "negative numbers are small", File: "vm/drawn_bounds.go", Old: "		if unsigned && (x.lo < 0 || y.lo < 0) {", New: "		if false && unsigned {"}, "TestDraws/TestLookUnsigned"},
		{mutation.Mutant{Name: "narrow numbers are as large as wide ones", File: "vm/drawn_bounds.go", Old: "		return integers(lo, hi)\n	}\n	switch op {\n	case ExtS8", New: "		return x\n	}\n	switch op {\n	case ExtS8"}, "TestDraws/TestLookNarrow"},
		{mutation.Mutant{Name: "parts of drawn bytes are not drawn", File: "vm/symbolic_memory.go", Old: "		if s.drawn && lo < hi {\n			list = append(list, cell{lo, hi - lo, s.joined(bound{}, c.term)})\n			return\n		}", New: "		if s.drawn {\n			return\n		}"}, "TestDraws/TestLookRest"},
		{mutation.Mutant{Name: "what is looked at has labels still", File: "vm/drawn.go", Old: "		m.noteAssumed(what, pos)\n		return nil, false\n	}\n	if !m.tracking", New: "		return nil, false\n	}\n	if !m.tracking"}, "TestDraws/TestLookBranch"},
		{mutation.Mutant{Name: "what goroutines of the program draw again is not looked at", File: "vm/native_choice.go", Old: "m.labeled() && r.U(1)&1 != 0", New: "m.labeled()"}, "TestDraws/TestLookCounted"},
		{mutation.Mutant{Name: "what is passed to a deferred function has no label", File: "vm/symbolic_slow.go", Old: "		g.unlabeled = false\n		copy(g.shadow[fp:]", New: "		copy(g.shadow[fp:]"}, "TestFlows"},
		{mutation.Mutant{Name: "nor has what a native gives", File: "vm/drawn.go", Old: "		g.unlabeled = g.unlabeled && t == nil\n", New: ""}, "TestDraws/TestLookRestedDraw"},
		{mutation.Mutant{Name: "nor what is loaded", File: "vm/symbolic_exec.go", Old: "		g.unlabeled = false\n		if n, ok", New: "		if n, ok"}, "TestDraws/TestLookRestedLoad"},
		{mutation.Mutant{Name: "nor what is found in a map", File: "vm/symbolic_slow.go", Old: "	g.unlabeled = false\n	for k, t", New: "	for k, t"}, "TestDraws/TestLookRestedMap"},
		{mutation.Mutant{Name: "registers have no labels after a while", File: "vm/drawn_skip.go", Old: "g.unlabeled = !tainted(g.shadow[:min(int(top), len(g.shadow))])", New: "g.unlabeled = true"}, "TestFlows"},
		{mutation.Mutant{Name: "memory has no labels where registers have none", File: "vm/drawn_skip.go", Old: "return s.held[obj>>6%uint32(len(s.held))]>>(obj&63)&1 != 0", New: "return false"}, "TestDraws/TestLookRestedLoad"},
		{mutation.Mutant{Name: "a timer that is due might not be", File: "vm/drawn_time.go", Old: "		if here <= 0 && most > 0 { // it is due, and might not be\n", New: "		if false {\n"}, "TestDraws/TestLookJitterNow|TestDraws/TestLookJitterLater"},
		{mutation.Mutant{Name: "nor may one that is not due", File: "vm/drawn_time.go", Old: "		if here > 0 && !p.quiet && least <= m.cfg.Slack-m.debt {", New: "		if false {"}, "TestDraws/TestLookJitter(Now|Later|Short)$"},
		{mutation.Mutant{Name: "timers fire in one order", File: "vm/drawn_time.go", Old: "(g.due != nil || q.due != nil) && other <= most {", New: "false && other <= most {"}, "TestDraws/TestLookJitterStop"},
		{mutation.Mutant{Name: "debt may be kept", File: "vm/drawn_time.go", Old: "	if least == 0 && m.debt > 0 {", New: "	if false {"}, "TestDraws/TestLookJitterDebt"},
		{mutation.Mutant{Name: "a drawn duration says nothing of queues", File: "vm/drawn_time.go", Old: "		case m.cfg.InTurn && waitsInQueue(q) && least <= m.cfg.Slack:\n			m.sym.look(u.label)\n", New: ""}, "TestDraws/TestLookJitterQueue"},
		{mutation.Mutant{Name: "nor of ticks that are missed", File: "vm/drawn_time.go", Old: "tmPeriod) != 0 {\n				m.sym.look(u.label)\n", New: "tmPeriod) != 0 {\n"}, "TestDraws/TestLookJitterTicker"},
		{mutation.Mutant{Name: "nor of what remains to other timers", File: "vm/drawn_time.go", Old: "			q.due = v\n", New: "			_ = v\n"}, "TestDraws/TestLookJitterShifted"},
		{mutation.Mutant{Name: "bounds of drawn durations do not add up", File: "vm/drawn_time.go", Old: "q.due.lo + v.lo, q.due.hi + v.hi}", New: "v.lo, v.hi}"}, "TestDraws/TestLookJitterSum"},
		{mutation.Mutant{Name: "the clock does not drift", File: "vm/drawn_time.go", Old: "	m.drift = m.sym.joined(integers(lo, hi), m.drift, t)\n", New: "	_, _ = lo, hi\n"}, "TestDraws/TestLookJitterElapsed"},
		{mutation.Mutant{Name: "time that drifts is drawn as often as one likes", File: "vm/drawn_time.go", Old: "		if m.drifted++; m.drifted > maxDrifts {\n", New: "		if false {\n"}, "TestDraws/TestLookJitterOften"},
		{mutation.Mutant{Name: "so may a bubble", File: "vm/drawn_time.go", Old: " || !m.bounded(g) || m.cfg.Run ||", New: " || m.cfg.Run ||"}, "TestDraws/TestLookJitterBubble"},
		{mutation.Mutant{Name: "ticks do not drift", File: "vm/step_chan.go", Old: "			if m.labeled() && m.drift != nil {", New: "			if false {"}, "TestDraws/TestLookJitterTick$"},
		{mutation.Mutant{Name: "a timer has no label", File: "vm/native_time.go", Old: "			n.shadow[n.fp+1] = r.sym(m, g, 2)\n", New: "			_ = n\n"}, "TestDraws/TestLookJitter(Order|Func|Reset)$"},
		{mutation.Mutant{Name: "drawn panics are not looked at", File: "vm/drawn_exec.go", Old: "		s.lookWords(g, A, 2)\n", New: ""}, "TestDraws/TestLookCrash"},
		{mutation.Mutant{Name: "the clock compares drawn values", File: "vm/drawn_exec.go", Old: "		if s.m.clockRead() && (sh[A] != nil", New: "		if false && (sh[A] != nil"}, "TestDraws/TestLookClock"},
	}, orderMutants...) {
		t.Run(x.Name, func(t *testing.T) {
			file, text, ok := x.Source(t, root)
			if !ok || !*mutants {
				return
			}
			pkg, run, elsewhere := strings.Cut(x.test, " ")
			if !elsewhere {
				pkg, run = "./internal/environment", x.test
			}
			if mutation.Kills(t, root, file, text, pkg, "-run", run) == "" {
				t.Error("no test has noticed")
			}
		})
	}
}
