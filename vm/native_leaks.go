package vm

import (
	"fmt"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/trace"
)

// The profiles of goroutines (runtime/pprof), and of leaked ones (Go 1.27). Go's collector finds
// the same goroutines as Forgotten: those that wait for channels, locks, WaitGroups and Conds to
// which no goroutine that can move refers. A goroutine between two operations, which has not begun
// to wait yet, is in the profile here but not natively: an assumption, as for runtime.Stack.

var leakNatives = []Native{
	// hbLeaked(debug int) (n int, text string): with debug 2 all stacks, otherwise those of the leaked
	// goroutines.
	{Name: "runtime/pprof.hbLeaked", Peek: peekProfile, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		leaked := slices.DeleteFunc(m.forgotten(), func(q *goroutine) bool { return q.system })
		if m.showsProgram(g) {
			m.assume(g, LeaksShown)
		}
		debug := r.U(0)
		r.Set(0, uint64(len(leaked)))
		if debug < 2 {
			leaked = slices.DeleteFunc(leaked, func(q *goroutine) bool { return servesForever(q, m.waitReason(q)) })
			return m.setString(g, r, 1, m.countText(leaked))
		}
		m.observeNumbers()
		var b strings.Builder
		b.WriteString(m.goroutineText(g, "running")[1:])
		for _, s := range m.order {
			if q := m.gs[s]; q != g && q.status != gEnded && !q.system {
				wait := m.waitReason(q)
				if slices.Contains(leaked, q) && !servesForever(q, wait) {
					wait += " (leaked)"
				}
				b.WriteString(m.goroutineText(q, wait))
			}
		}
		return m.setString(g, r, 1, b.String())
	}},
	// hbGoroutines() (n int, text string): the stacks of all goroutines.
	{Name: "runtime/pprof.hbGoroutines", Peek: peekProfile, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		var list []*goroutine
		for _, s := range m.order {
			if q := m.gs[s]; q.status != gEnded && q.inCount() {
				list = append(list, q)
			}
		}
		if m.showsProgram(g) {
			m.assume(g, StacksShown)
		}
		m.assumeEnded(g)
		n, tester := len(list), []string(nil)
		if m.testOnMain() {
			n, tester = n+1, []string{testerCounted}
		}
		r.Set(0, uint64(n))
		return m.setString(g, r, 1, m.countText(list, tester...))
	}},
}

// peekProfile is the Peek of a profile, which shows where all goroutines are.
func peekProfile(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
	//mutant: profiles show nothing of others [env TestPrograms/profile]: "m.multi" -> "false"
	if m.multi {
		op.Kind = trace.Inspect
	}
	return 1
}

// testerCounted is testerText in a profile.
const testerCounted = `@ 0x1 0x1 0x1
#	0x1	testing.(*T).Run+0x1	$hbcheck/testing/main.go:61
#	0x1	testing.(*M).Run+0x1	$hbcheck/testing/main.go:82
#	0x1	main.main+0x1	_testmain.go:46
`

// servesForever reports whether g is the main goroutine in a select without cases, which is no leak.
func servesForever(g *goroutine, wait string) bool { return g.ID == 0 && wait == "select (no cases)" }

// countText prints stacks, such as those of goroutines, in the form of a profile, the most frequent one
// first.
func (m *Machine) countText(list []*goroutine, texts ...string) string {
	count := map[string]int{}
	for _, text := range texts {
		count[text]++
	}
	for _, g := range list {
		var at, lines strings.Builder
		for _, f := range m.Report().Stack(g.ID) {
			fmt.Fprintf(&at, " %#x", f.PC)
			fmt.Fprintf(&lines, "#\t%#x\t%s+%#x\t%s:%d\n", f.PC, f.Func, f.PC, m.prog.Recorded(f.Pos.Filename), f.Pos.Line)
		}
		text := "@" + at.String() + "\n" + lines.String()
		if count[text]++; count[text] == 1 {
			texts = append(texts, text)
		}
	}
	slices.SortFunc(texts, func(a, b string) int {
		if d := count[b] - count[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	var b strings.Builder
	for _, text := range texts {
		fmt.Fprintf(&b, "%d %s\n", count[text], text)
	}
	return b.String()
}
