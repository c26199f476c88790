package mhb_test

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

// mutants are single soundness conditions that are taken away: the test has to
// notice, a program of one of the tables in tables.
var mutants = []struct {
	name, file, old, new, test string
}{
	{"two writes do not conflict", "fieldaccess/fieldaccess.go", "return (x.Write || l.Write ||", "return (x.Write != l.Write ||", "micro writeWriteJoin"},
	{"unlocking enables nothing", "mhb/ops.go", "\t\tw.o.note(&w.eff.unlocks, m)\n\t}", "\t}", "micro foreignUnlock"},
	{"TryLock waits", "mhb/ops.go", "\t\tw.mayExecute(trace.TryLock, r)\n", "\t\tif known && w.locked(p) && w.blocked(stop{opLock, p}, \"lock\") {\n\t\t\treturn false\n\t\t}\n", "micro tryLock"},
	{"a timer does not send", "mhb/ops.go", "\tcase tickOp:\n\t\tw.o.note(&w.eff.sends, r)\n", "\tcase tickOp:\n", "micro selectTimer"},
	{"Done does not count", "mhb/ops.go", "\t\tv.dones.add(wg.p, int(-d))\n", "", "micro extraDone"},
	{"Done of unknown groups does not count", "mhb/ops.go", "\t\tw.o.note(&v.dones, wg)\n", "", "micro unknownDone"},
	{"Dones in loops count once", "mhb/counters.go", "\t\tn = many\n", "\t\tn = 1\n", "micro doneInLoop"},
	{"the counter is not compared", "mhb/closure.go", "n > 0 && !(x.op == opWgWait && counter(s, x.addr) > int64(n))", "n > 0 && x.op != opWgWait", "micro extraDone"},
	{"Adds on some ways are on all", "mhb/walk.go", "\t\t\tv.credit = events{}\n", "", "micro addOnOneWay"},
	{"an Add pays for all", "mhb/counters.go", "p.n, d.n = p.n-n, d.n-n", "d.n -= n", "micro addPaysOnce"},
	{"functions that recover have come to their Adds", "mhb/counters.go", "fn.Recover != nil", "false", "micro addNotReached"},
	{"panics come after Adds", "mhb/frames.go", "unwinding, v.raises = false, events{}", "unwinding = false", "micro unwoundBeforeAdd"},
	{"the Adds of all functions pay", "mhb/counters.go", "\tcase !c.only:\n", "", "micro addOfAnother"},
	{"recursive calls count once", "mhb/counters.go", "v.assumed != nil && !v.dones.within(v.assumed)", "false", "micro doneInRecursion"},
	{"no variable has its address taken", "mhb/eval.go", "\t\tdefault:\n\t\t\treturn false\n\t\t}\n\t}\n\treturn true\n", "\t\t}\n\t}\n\treturn true\n", "micro variableChanged"},
	{"no goroutine recovers", "mhb/frames.go", "\treturn len(fn.Blocks) == 0 || fn.Synthetic != \"\"\n", "\treturn false\n", "micro recoveringWrapper"},
	{"recover is not looked for", "mhb/frames.go", "x.Name() == \"recover\"", "x.Name() == \"recovers\"", "micro recoveredAlready"},
	{"the running deferred call has not recovered", "mhb/frames.go", "recovered := i > 0 && fr.Unwinding && (w.v.s.Stack(g)[i-1].Recovered || mayRecover(w.v.s.Stack(g)[i-1].Fn))", "recovered := false", "micro recoveredAlready"},
	{"those before the running deferred call have not recovered", "mhb/frames.go", "w.v.s.Stack(g)[i-1].Recovered || ", "", "micro recoveredBefore"},
	{"callers are not unwound", "mhb/frames.go", "\t\tcase unwinding && !recovered:\n\t\t\tcontinue\n", "\t\tcase unwinding:\n\t\t\treturn\n", "micro unwoundTwice"},
	{"signals wake no goroutine", "mhb/ops.go", "\t\tw.o.note(&w.eff.signals, r)\n", "", "micro signalledByThird"},
	{"a notified waiter sleeps", "mhb/ops.go", "\t\tnotified = a.x != 0", "\t\t_ = a.x != 0", "micro notified"},
	{"readers keep readers out", "mhb/ops.go", "\tn, ok := w.word(p)\n\treturn ok", "\tif r, ok := w.word(p + overlay.RWMutexReaders); ok && int32(r) == 1 {\n\t\treturn true\n\t}\n\tn, ok := w.word(p)\n\treturn ok", "micro readers"},
	{"leaving a Once enables nothing", "mhb/ops.go", "\t\tw.o.note(&w.eff.leaves, r)\n", "", "micro onceOfThird"},
	{"sending enables nothing", "mhb/walk.go", "\tr := w.ref(act, ch, use)\n\tw.o.note(&w.eff.sends, r)\n", "\tr := w.ref(act, ch, use)\n", "micro sentByThird"},
	{"receiving enables nothing", "mhb/walk.go", "\tr := w.ref(act, ch, use)\n\tw.o.note(&w.eff.recvs, r)\n", "\tr := w.ref(act, ch, use)\n", "micro receivedByThird"},
	{"closing enables nothing", "mhb/walk.go", "\tw.o.note(&w.eff.sends, r)\n\tw.o.note(&w.eff.recvs, r)\n\tw.comesTo", "\tw.comesTo", "micro closedLater"},
	{"deferred closing enables nothing", "mhb/frames.go", "\t\tw.closes(ref{p: d.Args[0], known: true})\n", "", "micro closedDeferred"},
	{"closing now enables nothing", "mhb/frames.go", "\t\t\tw.closes(ref{p: a.x, known: a.ok})\n", "\t\t\t_ = a\n", "micro closedDeferred"},
	{"which channel is closed does not matter", "mhb/state.go", "\t\ta.x, a.ok = uint64(op.Access[0].Obj)<<32, true\n", "\t\ta.ok = true\n", "micro closedDeferred"},
	{"select waits for its first case", "mhb/walk.go", "\treturn able > 0 || !x.Blocking\n", "\treturn able > 0\n", "micro selectDefault"},
	{"locks are not copied", "oracle/oracle.go", "c.Copied, c.AnyCopied, c.Off = a.copied, a.anyCopied, off", "c.Off = off", "micro structCopy"},
	{"locks that are waited for are not overwritten", "mhb/closure.go", "w.o.copies() && ", "false && ", "micro structCopy"},
	{"locks that are taken are not copied", "mhb/mhb.go", "!op.Kind.Memory() && slices.ContainsFunc(t.objs[:op.N], o.mayBeCopied)", "false && slices.ContainsFunc(t.objs[:op.N], o.mayBeCopied)", "micro lockCopied"},
	{"elements are not copied", "static/callgraph.go", "range i.Call.Args {", "range i.Call.Args[:0] {", "micro elementsCopied"},
	{"channels: two that send commute", "mhb/channels.go", "\t\treturn k == trace.Select || same\n", "\t\treturn k == trace.Select\n", "channels secondSender"},
	{"channels: no goroutine sends", "mhb/walk.go", "\tw.comesTo(trace.Send, r)\n", "", "channels secondSender"},
	{"channels: no goroutine receives", "mhb/walk.go", "\tw.comesTo(trace.Recv, r)\n", "", "channels secondReceiver"},
	{"channels: no goroutine closes", "mhb/walk.go", "\tw.comesTo(trace.Close, r)\n", "", "channels closeAndSend"},
	{"channels: a channel that is not certain is none", "mhb/channels.go", " || !e.on.known && o.within(e.on.objs, m.channels[k])", "", "channels unknownSender"},
	{"channels: what a select has ready does not matter", "mhb/channels.go", "\t\treturn k == trace.Select || same\n", "\t\treturn same\n", "channels readyElsewhere"},
	{"channels: one other case that can be executed is none", "mhb/walk.go", "able == 1 && last != i:", "able == 1 && last == i:", "channels readyElsewhere"},
	{"channels: several other cases that can be executed are none", "mhb/walk.go", "case able > 1 || able == 1 && last != i:", "case able == 1 && last != i:", "channels unknownReady"},
	{"channels: closing makes no select ready", "mhb/channels.go", "\t\treturn k != trace.Recv\n", "\t\treturn k != trace.Recv && k != trace.Select\n", "channels closedElsewhere"},
	{"channels: closing and sending commute", "mhb/channels.go", "\t\treturn k != trace.Recv\n", "\t\treturn k != trace.Recv && k != trace.Send\n", "channels closeAndSend"},
	{"channels: closing twice commutes", "mhb/channels.go", "\t\treturn k != trace.Recv\n", "\t\treturn k != trace.Recv && k != trace.Close\n", "channels closeTwice"},
	{"channels: sending and closing commute", "mhb/channels.go", "\t\treturn c.Send || c.Len == 0\n", "\t\treturn c.Len == 0\n", "channels sendAndClose"},
	{"channels: closing an empty channel changes nothing", "mhb/channels.go", "\t\treturn c.Send || c.Len == 0\n", "\t\treturn c.Send\n", "channels closedMeanwhile"},
	{"channels: no partner comes", "mhb/channels.go", "\treturn k != trace.Select && !same\n", "\treturn false\n", "channels partnerComes"},
	{"channels: an empty channel has something", "mhb/channels.go", "!c.Send && c.Len > 0:", "!c.Send && c.Room > 0:", "channels sentMeanwhile"},
	{"channels: a full channel has room", "mhb/channels.go", "\tcase c.Send && c.Len < c.Room,", "\tcase c.Send && c.Room > 0,", "channels receivedMeanwhile"},
	{"channels: timers are other goroutines", "oracle/state.go", "\t\tok = ok && !ofTimer\n", "\t\t_ = ofTimer\n", "channels timerMeanwhile"},
	{"channels: partners have no timers", "mhb/channels.go", "if !ok || s.CanMove(h) {", "if s.CanMove(h) {", "channels timerOfPartner"},
	{"channels: there is no competitor", "mhb/channels.go", "if !ok || s.CanMove(h) {", "if !ok {", "channels competitor"},
	{"channels: partners have no cases", "mhb/channels.go", "\t\t\tm.cases = append(m.cases, m.buf...)\n", "", "channels competitorComes"},
	{"channels: those that try see nothing", "mhb/channels.go", "\tcase k == trace.TrySelect:\n\t\treturn true\n", "", "channels tried"},
	{"channels: no goroutine tries", "mhb/walk.go", "\t\t\tw.comesTo(trace.TrySelect, w.ref(act, st.Chan, x))\n", "", "channels tried"},
	{"channels: no goroutine takes the length", "mhb/walk.go", "\t\tw.comesTo(trace.TrySelect, w.ref(act, c.Args[0], x))\n", "", "channels length"},
	{"channels: the length is of no concern", "static/access.go", "\t\t\t\tf(Access{Key: a.SyncKey()}) // the channel's\n", "", "channels lengthOnly"},
	{"channels: no goroutine looks at them by reflection", "mhb/channels.go", "\treturn o.fa.Inspects(x.reached) || o.reflects(x.reached)\n", "\treturn false\n", "reflected lengthLater"},
	{"recent: goroutines stay", "mhb/recent.go", "\tif r.stamp != s.Stamp(g) {\n", "\tif false {\n", "micro foreignUnlock"},
	{"recent: words stay", "mhb/recent.go", "k.moment != now && !o.holds(s, tc, g, found, k.deps)", "false", "micro recovers"},
	{"recent: others stay", "mhb/recent.go", "if o.holds(s, tc, g, found, k.others) {", "if true {", "micro pointerChangesLater"},
	{"a walk that was blocked is the same", "mhb/closure.go", "!o.enables(s, x, found)", "true", "channels readyElsewhere"},
	{"channels: classes are states", "por/search/driver.go", "|| !s.ByState && onChannels(op.Kind)", "", "classes hybrid"},
	{"what is allocated was ahead", "mhb/eval.go", "\tcase *ssa.Alloc:\n\t\tif w.executed(act, x, use) == ahead {\n\t\t\treturn place{fresh: true}, true", "\tcase *ssa.Alloc:\n\t\tif true {\n\t\t\treturn place{fresh: true}, true", "micro allocatedBefore"},
	{"locks that were locked are ahead", "mhb/guards.go", "&& w.executed(act, c, use) == ahead && f(off)", "&& f(off)", "micro lockedInLoop"},
	{"locks on some ways are on all", "mhb/guards.go", "&& dominates(c, use) && w.executed", "&& w.executed", "micro conditionalLock"},
	{"memory is stable", "mhb/eval.go", "\tif w.v.ask(question{kind: askStable, p: p}).ok {\n\t\treturn true", "\tif true {\n\t\treturn true", "micro pointerChanges"},
	{"what is executed again was before", "mhb/eval.go", "\tcase through:\n\t\treturn maybe\n", "\tcase through:\n\t\treturn before\n", "micro lockedElements"},
	{"a word is not asked for again", "mhb/state.go", "\t\ta.x, a.ok = s.Word(q.p)\n", "\t\tk := wordKey{o, q.p}\n\t\tw, known := mutant[k]\n\t\tif !known {\n\t\t\tw.x, w.ok = s.Word(q.p)\n\t\t\tmutant[k] = w\n\t\t}\n\t\ta = w\n", "micro foreignUnlock"},
	{"no goroutine reaches what closures hold", "oracle/reach.go", "obj.Global == nil && !loadable(obj.Site)", "false", "micro published"},
	{"no goroutine has pointers", "oracle/reach.go", "\t\t\tr.s.Roots(id, visit)\n", "", "micro published"},
	{"no package variables", "oracle/reach.go", "\tfor _, id := range globals {\n\t\tvisit(", "\tfor _, id := range globals[:0] {\n\t\tvisit(", "micro inGlobal"},
	{"no goroutine is ignored", "por/stateful/dfs.go", "\tif p.reduced {\n", "\tif p.reduced && !s.Cfg.AnyGoroutine {\n", "micro endless"},
	{"a search that starts again does not notify", "por/search/position.go", "\ts.Rewind(root)", "\ts.Sys.Rewind(root)", "micro startsAgain"},
	{"no operation moves another goroutine", "por/lookahead/lookahead.go", "\t\t\tf.known = !movesAnother(op.Kind)\n", "", "micro met"},
	{"overwriting a lock enables nothing", "por/lookahead/lookahead.go", ", f.overwritesAwaited(op):", ":", "micro overwritten"},
	{"no goroutine is started", "por/lookahead/lookahead.go", "\tif f.started != n {", "\tif false {", "micro startedMeanwhile"},
	{"natives that write unlock nothing", "mhb/ops.go", "(x.Objs == static.Empty || w.o.prog.HasLocks(x.Objs))", "x.Objs == static.Empty", "reflected unsafelyAtomic"},
	{"locks in arrays are none", "static/locks.go", "			return IsSync(types.NewPointer(t.Elem()))\n", "			return false\n", "reflected unsafelyAtomic"},
	{"lengths of channels are of the library", "mhb/conflict.go", "&& o.opOf(c.StaticCallee()) == libraryOp", "", "reflected length"},
	{"operations on locks are independent", "mhb/ops.go", "\t\tw.mayExecute(trace.Lock, r)\n\tcase tryOp:", "\tcase tryOp:", "micro lockedForGood"},
	{"what is collected is independent", "mhb/mhb.go", "(op.Kind.Memory() || !o.dependsOnOne(s, t))", "true", "micro lockedForGood"},
	{"Adds commute with Waits", "mhb/conflict.go", "return m.kind != trace.WgAdd || m.sign == 0 ||", "return false &&", "micro addBesideWait"},
	{"taking away below zero before an Add", "mhb/closure.go", "t.delta == 0 {", "t.delta >= 0 {", "micro upAndDown"},
	{"atomic Adds are loads", "fieldaccess/fieldaccess.go", "x.Adds && l.Adds &&", "l.Adds &&", "micro addAndLoad"},
	{"atomic Adds whose result is used", "static/natives.go", " && unused(site)", "", "micro addAndUse"},
	{"atomic operations are Adds", "mhb/conflict.go", " && op.Commutes == trace.Increments", "", "micro addAndStore"},
	{"counters below zero", "mhb/closure.go", "\treturn counter(s, p) < int64(n)-min(t.delta, 0)\n", "\treturn false\n", "micro belowZero"},
	{"a register holds a variable for good", "mhb/eval.go", "\t\tif w.executed(act, use, use) != ahead {\n\t\t\treturn 0, false\n\t\t}\n\t\treturn w.register(act, v)", "\t\treturn w.register(act, v)", "micro capturedMap"},
	{"no goroutine looks at locks", "mhb/conflict.go", "\t\tif x.Key == 0 && o.within(", "\t\tif false && o.within(", "reflected once"},
	{"reading a lock changes nothing", "por/stateful/jpf.go", "\tcase k.Memory():\n", "\tcase k.Memory() && k != trace.Read:\n", "reflected counter"},
	{"operations on a test do not matter", "mhb/ops.go", "fn.Pkg.Pkg.Path() == \"time\"", "fn.Pkg.Pkg.Path() != \"sync\"", "testing failed"},
	{"patterns: no goroutine unlocks", "mhb/patterns/view.go", "\t\treturn locked(w) && !v.released(p)\n", "\t\treturn locked(w)\n", "patterns globalLockForeign"},
	{"patterns: a lock is its holder's", "mhb/patterns/view.go", " && !v.o.foreign && !v.released(p)\n", "\n", "patterns thisLockForeign"},
	{"patterns: readers keep readers out", "mhb/patterns/view.go", "\t\treturn locked(w) && !v.released(p)\n", "\t\tr, _ := v.s.Word(p + overlay.RWMutexReaders)\n\t\treturn (uint32(w) != 0 || int32(r) == 1) && !v.released(p)\n", "micro readers"},
	{"patterns: no goroutine sends", "mhb/patterns/view.go", "!v.notified(p, static.SendEvent, static.CloseEvent)", "!v.notified(p, static.CloseEvent)", "patterns receiveThird"},
	{"patterns: no goroutine closes", "mhb/patterns/view.go", "!v.notified(p, static.SendEvent, static.CloseEvent)", "!v.notified(p, static.SendEvent)", "patterns receiveClosed"},
	{"patterns: no goroutine receives", "mhb/patterns/view.go", "!v.notified(p, static.RecvEvent, static.CloseEvent)", "!v.notified(p, static.CloseEvent)", "patterns sendThird"},
	{"patterns: a notified waiter sleeps", "mhb/patterns/view.go", "!th.woken() && !v.notified", "!v.notified", "patterns waitNotified"},
	{"patterns: no goroutine signals", "mhb/patterns/view.go", " && !v.notified(p, static.SignalEvent)", "", "patterns waitNotifyThird"},
	{"patterns: counters stay", "mhb/patterns/view.go", "\t\treturn v.counted(p, int64(int32(overlay.Uint32(w, overlay.WaitGroupCounter))))\n", "\t\treturn int32(overlay.Uint32(w, overlay.WaitGroupCounter)) > 0\n", "patterns joinTooEarly"},
	{"patterns: locks are not copied", "oracle/oracle.go", "\t\tif a.copied == static.Empty && !a.anyCopied && ", "\t\tif ", "micro structCopy"},
	{"a lock may be unlocked by its holder only", "static/foreignunlock.go", "\tcase UnlockEvent, ReleaseEvent, OnceEndEvent:", "\tcase ReleaseEvent, OnceEndEvent:", "patterns globalLockForeign"},
	{"Wait does not unlock", "static/foreignunlock.go", "\tcase UnlockEvent, ReleaseEvent, OnceEndEvent:", "\tcase UnlockEvent, OnceEndEvent:", "micro condUnlocksForGood"},
	{"leaving a Once is of no concern to the others", "static/foreignunlock.go", "\tcase UnlockEvent, ReleaseEvent, OnceEndEvent:", "\tcase UnlockEvent, ReleaseEvent:", "micro onceOfThird"},
	{"goroutines that are started unlock nothing", "static/foreignunlock.go", "\treturn Unlocks{Foreign: d.least(d.sets.Union(v.Unlocked, v.Foreign)), Exits: true}", "\treturn d.Skip()", "patterns startedUnlocks"},
	{"timers send nothing", "static/event.go", "\tcase trace.Send:\n\t\treturn SendEvent, true\n", "\tcase trace.Send:\n", "patterns receiveOrTimeout"},
	{"unknown numbers are none", "static/minprefix.go", "\tcase e.Kind == AnyEvent || e.Kind == AddEvent && !e.Known:", "\tcase e.Kind == AnyEvent:", "patterns joinUnknown"},
	{"addresses are not taken", "static/access.go", "\t\tadd(Key{Kind: Deref, Type: t})\n", "", "micro addressTaken"},
	{"what is passed on some paths is on all", "static/before.go", "		return d.sets.Inter(a, b)\n", "		return d.sets.Union(a, b)\n", "micro conditionalLock"},
	{"channels are not allocated", "static/event.go", "	case *ssa.MakeChan, *ssa.MakeSlice", "	case *ssa.MakeSlice", "patterns startedUnlocks"},
	{"all goroutines wait", "static/mustwait.go", "			return May{b.Sets.Of(e.N), true}\n", "			return May{Empty, true}\n", "micro guarded"},
	{"deferred calls run in their order", "static/engine.go", "			for i := len(list) - 1; i >= 0; i-- {", "			for i := range list {", "micro deferOrder"},
	{"no deferred function recovers", "static/defers.go", "	return fn.Synthetic != \"\"\n", "	return false\n", "micro recoveringWrapper"},
	{"recover is not looked for by analyses", "static/defers.go", "x.Name() == \"recover\"", "x.Name() == \"recovers\"", "micro recoveredCaller"},
	{"goroutines that are started access nothing", "static/before.go", "Before { return Before{First: v.First, Exits: true} }", "Before { return d.Skip() }", "patterns startedAccesses"},
}

// few are the mutants that are always built.
var few = []string{"two writes do not conflict", "unlocking enables nothing", "a lock may be unlocked by its holder only", "no goroutine looks at locks"}

// tables are the tests that have subtests by the names of programs.
var tables = map[string][2]string{
	"micro":     {"./mhb", "TestMicro"},
	"channels":  {"./mhb", "TestChannels"},
	"reflected": {"./mhb", "TestReflected"},
	"patterns":  {"./mhb/patterns", "TestPatterns"},
	"testing":   {"./mhb", "TestFailed"},                         // which has no subtests,
	"classes":   {"./internal/progen", "TestKnownClassesHybrid"}, // and neither has this one
}

// TestMutants: every mutant is one of the present code; those that are built do
// not pass their tests.
func TestMutants(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range mutants {
		file, text, ok := (&mutation.Mutant{Name: x.name, File: x.file, Old: x.old, New: x.new}).Source(t, root)
		if !ok {
			continue
		}
		switch *mutantsFlag {
		case "all":
		case "":
			if deep.Quick() || !slices.Contains(few, x.name) {
				continue
			}
		default:
			if !strings.Contains(x.name, *mutantsFlag) {
				continue
			}
		}
		if strings.Contains(x.new, "mutant[k]") {
			text += "\ntype wordKey struct {\n\to *Oracle\n\tp uint64\n}\n\nvar mutant = map[wordKey]answer{}\n"
		}
		table, program, _ := strings.Cut(x.test, " ")
		pkg, test := tables[table][0], tables[table][1]
		if killer := mutation.Kills(t, root, file, text, pkg, "-run", "^"+test+"$/^"+program+"$"); killer != "" {
			t.Logf("%s: %s", x.name, killer)
		} else {
			t.Errorf("%s: survives", x.name)
		}
	}
}
