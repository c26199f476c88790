package mhb_test

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var mutantsFlag = flag.String("mutants", "", "build the mutants whose name contains this (all: every one) and see whether tests fail")

// mutants are single soundness conditions that are taken away: TestMicro, or the
// generated programs, have to notice.
var mutants = []struct {
	name, file, old, new string
}{
	{"two writes do not conflict", "fieldaccess/fieldaccess.go", "return (x.Write || l.Write ||", "return (x.Write != l.Write ||"},
	{"unlocking enables nobody", "mhb/ops.go", "		w.o.note(&w.eff.unlocks, m)\n	}", "	}"},
	{"TryLock waits", "mhb/ops.go", "		w.meets(trace.TryLock, r)\n", "		if known && w.locked(p) && w.blocked(stop{opLock, p}, \"lock\") {\n			return false\n		}\n"},
	{"a timer does not send", "mhb/ops.go", "	case tickOp:\n		w.o.note(&w.eff.sends, r)\n", "	case tickOp:\n"},
	{"Done does not count", "mhb/ops.go", "		v.dones.add(wg.p, int(-d))\n", ""},
	{"Done of unknown groups does not count", "mhb/ops.go", "		w.o.note(&v.dones, wg)\n", ""},
	{"Dones in loops count once", "mhb/walk.go", "		n = many\n", "		n = 1\n"},
	{"the counter is not compared", "mhb/closure.go", "&& !(st.op == opWgWait && counter(s, st.addr) > int64(n))", "&& st.op != opWgWait"},
	{"nobody recovers", "mhb/walk.go", "	return len(fn.Blocks) == 0 || fn.Synthetic != \"\"\n", "	return false\n"},
	{"recover is not looked for", "mhb/walk.go", "x.Name() == \"recover\"", "x.Name() == \"recovers\""},
	{"the running deferred call has not recovered", "mhb/walk.go", "recovered := i > 0 && fr.Again && mayRecover(w.v.s.Stack(g)[i-1].Fn)", "recovered := false"},
	{"callers are not unwound", "mhb/walk.go", "		case unwinding && !recovered:\n			continue\n", "		case unwinding:\n			return\n"},
	{"signals wake nobody", "mhb/ops.go", "		w.o.note(&w.eff.signals, r)\n", ""},
	{"a notified waiter sleeps", "mhb/ops.go", "		notified = byte(", "		_ = byte("},
	{"readers keep readers out", "mhb/ops.go", "	n, ok := w.word(p)\n	return ok", "	if r, ok := w.word(p + 16); ok && int32(r) == 1 {\n		return true\n	}\n	n, ok := w.word(p)\n	return ok"},
	{"leaving a Once enables nobody", "mhb/ops.go", "		w.o.note(&w.eff.leaves, r)\n", ""},
	{"sending enables nobody", "mhb/walk.go", "	r := w.ref(sc, ch, use)\n	w.o.note(&w.eff.sends, r)\n", "	r := w.ref(sc, ch, use)\n"},
	{"receiving enables nobody", "mhb/walk.go", "	r := w.ref(sc, ch, use)\n	w.o.note(&w.eff.recvs, r)\n", "	r := w.ref(sc, ch, use)\n"},
	{"closing enables nobody", "mhb/walk.go", "b.Name() != \"close\" {", "b.Name() != \"closes\" {"},
	{"select waits for its first case", "mhb/walk.go", "	goesOn := !x.Blocking\n", "	goesOn := false\n"},
	{"locks are not copied", "explore/hybrid.go", "c.CopiesLocks, c.Off = a.copies, off", "c.CopiesLocks, c.Off = false, off"},
	{"what is allocated was ahead", "mhb/eval.go", "	case *ssa.Alloc:\n		if w.executed(sc, x, use) == ahead {\n			return place{fresh: true}, true", "	case *ssa.Alloc:\n		if true {\n			return place{fresh: true}, true"},
	{"locks that were locked are ahead", "mhb/guards.go", "&& w.executed(sc, c, use) == ahead && f(off)", "&& f(off)"},
	{"locks on some ways are on all", "mhb/guards.go", "&& dominates(c, use) && w.executed", "&& w.executed"},
	{"memory is stable", "mhb/eval.go", "	if w.v.ask(question{kind: askStable, p: p}).ok {\n		return true", "	if true {\n		return true"},
	{"what is executed again was before", "mhb/eval.go", "	case through:\n		return maybe\n", "	case through:\n		return before\n"},
	{"registers are live", "vm/facts.go", "	if !known || !slices.Contains(live, uint16(r<<1)) && !slices.Contains(live, uint16(r<<1|1)) {\n", "	if _ = slices.Contains(live, 0); !known {\n"},
	{"a word is not asked for again", "mhb/state.go", "		a.x, a.ok = s.Word(q.p)\n", "		k := wordKey{o, q.p}\n		w, known := mutant[k]\n		if !known {\n			w.x, w.ok = s.Word(q.p)\n			mutant[k] = w\n		}\n		a = w\n"},
	{"nobody reaches what closures hold", "explore/reach.go", "obj.Global == nil && !loadable(obj.Site)", "false"},
	{"nobody has pointers", "explore/reach.go", "			r.f.m.Roots(id, visit)\n", ""},
	{"no package variables", "explore/reach.go", "	for _, id := range globals {\n		visit(", "	for _, id := range globals[:0] {\n		visit("},
	{"nobody is ignored", "por/dfs.go", "	if p.reduced {\n", "	if p.reduced && !s.cfg.AnyGoroutine {\n"},
	{"a search that starts again tells nobody", "por/dfs.go", "	s.rewind(root)", "	s.sys.Rewind(root)"},
	{"nobody meets", "por/lookahead.go", ", !own && meets(op.Kind):", ":"},
	{"nobody is started", "por/lookahead.go", "	if f.started != n {", "	if false {"},
	{"operations on locks do not meet", "mhb/conflict.go", "		return 1\n	case trace.CondWait", "		return 0\n	case trace.CondWait"},
	{"Adds commute", "mhb/conflict.go", "	if w.t.delta*sign <= 0 {", "	if false {"},
	{"counters below zero", "mhb/closure.go", "	return counter(s, p) < int64(n)-t.delta\n", "	return false\n"},
}

// TestMutants: every mutant is one of the present code; with -mutants, tests fail.
func TestMutants(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	survivors := 0
	for _, x := range mutants {
		file := filepath.Join(root, x.file)
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(src), x.old); n != 1 {
			t.Errorf("%s: %q is %d times in %s", x.name, x.old, n, x.file)
			continue
		}
		if *mutantsFlag == "" || *mutantsFlag != "all" && !strings.Contains(x.name, *mutantsFlag) {
			continue
		}
		text := strings.Replace(string(src), x.old, x.new, 1)
		if strings.Contains(x.new, "mutant[k]") {
			text += "\ntype wordKey struct {\n\to *Oracle\n\tp uint64\n}\n\nvar mutant = map[wordKey]answer{}\n"
		}
		killer := ""
		for _, args := range [][]string{
			{"./mhb", "-run", "TestMicro"},
			{"./internal/progen", "-run", "TestHybrid", "-programs", "500", "-skips"},
		} {
			if killer = kills(t, root, file, text, args); killer != "" {
				t.Logf("%s: %s", x.name, killer)
				break
			}
		}
		if killer == "" {
			survivors++
			t.Errorf("%s: survives", x.name)
		}
	}
}

// kills runs tests with file replaced by text, and returns what failed.
func kills(t *testing.T, root, file, text string, args []string) string {
	t.Helper()
	dir := t.TempDir()
	mutant, overlay := filepath.Join(dir, "mutant.go"), filepath.Join(dir, "overlay.json")
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{file: mutant}})
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{mutant: []byte(text), overlay: list} {
		if err := os.WriteFile(name, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	args = append([]string{"test", "-vet=off", "-count=1", "-overlay", overlay}, args...)
	c := exec.Command("go", args...)
	c.Dir = root
	out, err := c.CombinedOutput()
	if strings.Contains(string(out), "[build failed]") {
		t.Errorf("%s", out)
	}
	if err == nil {
		return ""
	}
	for l := range strings.Lines(string(out)) {
		if strings.Contains(l, "--- FAIL") && strings.Contains(l, "/") || strings.Contains(l, "seed ") || strings.Contains(l, "panic:") {
			return strings.TrimSpace(l)
		}
	}
	return "failed: " + string(out)
}
