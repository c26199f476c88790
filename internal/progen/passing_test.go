package progen_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// How time passes (vm/step_time.go) is written down a second time here, for programs of straight
// lines, and explored state by state. Generated programs have the same outcomes in the machine, with every
// explorer and every slack.

// A tempo is one operation of such a program. The next print shows the result of a Stop, a Reset or a load.
type tempo struct {
	op string // arm, wake, after, recv, stop, reset, lock, unlock, add, load, say, print, go, join
	i  int    // timer, goroutine, or the printed text
	d  int64
}

// tempos are the operations of a statement.
func tempos(stmt tempo) []tempo {
	switch stmt.op {
	case "sleep":
		return []tempo{{"arm", 0, stmt.d}, {"wake", 0, 0}}
	case "stop", "reset", "load":
		return []tempo{stmt, {"say", 0, 0}}
	}
	return []tempo{stmt}
}

// text is the statement in Go.
func (s tempo) text() string {
	switch s.op {
	case "sleep":
		return fmt.Sprintf("time.Sleep(%d)", s.d)
	case "after":
		return fmt.Sprintf("time.AfterFunc(%d, func() { x.Add(1) })", s.d)
	case "recv":
		return fmt.Sprintf("<-t%d.C", s.i)
	case "stop":
		return fmt.Sprintf("fmt.Println(t%d.Stop())", s.i)
	case "reset":
		return fmt.Sprintf("fmt.Println(t%d.Reset(%d))", s.i, s.d)
	case "lock":
		return "mu.Lock()"
	case "unlock":
		return "mu.Unlock()"
	case "add":
		return "x.Add(1)"
	case "load":
		return "fmt.Println(x.Load())"
	}
	return fmt.Sprintf("fmt.Println(\"%c\")", 'a'+rune(s.i))
}

// A timedProg is a program: goroutine 0 makes the timers, starts the others, and waits for them at
// its end.
type timedProg struct {
	timers []timedTimer
	bodies [][]tempo // statements
}

type timedTimer struct{ d, period int64 }

// randomTimed generates a program.
func randomTimed(r *rand.Rand) *timedProg {
	p := &timedProg{}
	dur := func() int64 { return []int64{1, 2, 2, 3, 5}[r.IntN(5)] }
	for range r.IntN(3) {
		t := timedTimer{d: dur()}
		if r.IntN(4) == 0 {
			t.period = t.d
		}
		p.timers = append(p.timers, t)
	}
	for g := range 2 + r.IntN(2) {
		var body []tempo
		locked := false
		for k := range 1 + r.IntN(3) {
			s := tempo{"print", g*3 + k, 0}
			switch n := r.IntN(12); {
			case n < 4:
				s = tempo{"sleep", 0, dur()}
			case n < 8 && len(p.timers) > 0:
				s.i = r.IntN(len(p.timers))
				switch {
				case n < 6:
					s.op = "recv"
				case p.timers[s.i].period > 0:
					s = tempo{"load", 0, 0}
				case n == 6:
					s.op = "stop"
				default:
					s.op, s.d = "reset", dur()
				}
			case n == 8:
				s = tempo{"after", 0, dur()}
			case n == 9:
				s = tempo{"load", 0, 0}
			case n == 10 && !locked:
				s, locked = tempo{"lock", 0, 0}, true
			}
			body = append(body, s)
		}
		if locked {
			body = append(body, tempo{"unlock", 0, 0})
		}
		p.bodies = append(p.bodies, append(body, tempo{"print", g*3 + 2, 0}))
	}
	return p
}

// source is the program in Go.
func (p *timedProg) source(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package main\n\nimport (\n\"fmt\"\n\"sync\"\n\"sync/atomic\"\n\"time\"\n)\n\nfunc %s() {\n", name)
	b.WriteString("var mu sync.Mutex\n_ = &mu\n_ = time.Second\nvar x atomic.Int64\n_ = &x\nvar wg sync.WaitGroup\n")
	for i, t := range p.timers {
		if t.period > 0 {
			fmt.Fprintf(&b, "t%d := time.NewTicker(%d)\n_ = t%d\n", i, t.d, i)
		} else {
			fmt.Fprintf(&b, "t%d := time.NewTimer(%d)\n_ = t%d\n", i, t.d, i)
		}
	}
	write := func(body []tempo) {
		for _, s := range body {
			b.WriteString(s.text() + "\n")
		}
	}
	for _, body := range p.bodies[1:] {
		b.WriteString("wg.Add(1)\ngo func() {\n")
		write(body)
		b.WriteString("wg.Done()\n}()\n")
	}
	write(p.bodies[0])
	b.WriteString("wg.Wait()\n}\n")
	return b.String()
}

// A moment is a state of the model.
type moment struct {
	now, debt int64
	pc        []int    // by goroutine; -1: not started
	wake      []int64  // by goroutine: when it wakes, if it sleeps
	reg       []string // by goroutine: its next output
	timer     []aTimer // by timer
	funcs     []int64  // deadlines of AfterFunc
	adders    int      // goroutines that AfterFunc has started and that have not added
	x         int      // the atomic
	owner     int      // of the lock, or -1
	out       string
}

type aTimer struct {
	armed, full bool
	at, period  int64
}

func (m *moment) clone() *moment {
	n := *m
	n.pc, n.wake, n.reg = slices.Clone(m.pc), slices.Clone(m.wake), slices.Clone(m.reg)
	n.timer, n.funcs = slices.Clone(m.timer), slices.Clone(m.funcs)
	return &n
}

// timedModel explores a program by the rules.
type timedModel struct {
	code  [][]tempo
	slack int64
	seen  map[string]bool
	ends  map[string]bool
}

// outcomesOf returns a program's possible outputs, and whether it ends.
func outcomesOf(p *timedProg, slack int64) map[string]bool {
	k := &timedModel{slack: slack, seen: map[string]bool{}, ends: map[string]bool{}}
	for g, body := range p.bodies {
		var code []tempo
		if g == 0 {
			for i, t := range p.timers {
				code = append(code, tempo{"new", i, t.d})
			}
			for j := range p.bodies[1:] {
				code = append(code, tempo{"go", j + 1, 0})
			}
		}
		for _, s := range body {
			code = append(code, tempos(s)...)
		}
		if g == 0 {
			code = append(code, tempo{"join", 0, 0})
		}
		k.code = append(k.code, code)
	}
	m := &moment{owner: -1, pc: make([]int, len(k.code)), wake: make([]int64, len(k.code)),
		reg: make([]string, len(k.code)), timer: make([]aTimer, len(p.timers))}
	for g := range m.pc[1:] {
		m.pc[g+1] = -1
	}
	for i, t := range p.timers {
		m.timer[i].period = t.period
	}
	k.visit(m)
	return k.ends
}

func (k *timedModel) visit(m *moment) {
	key := fmt.Sprintf("%+v", *m)
	if k.seen[key] {
		return
	}
	k.seen[key] = true
	busy := false
	for g := range k.code {
		if n := k.step(m, g); n != nil {
			busy = true
			k.visit(n)
		}
	}
	if m.adders > 0 {
		busy = true
		n := m.clone()
		n.adders--
		n.x++
		k.visit(n)
	}
	// Rule 1: a due timer fires.
	list := k.timers(m)
	due := slices.ContainsFunc(list, func(t firing) bool { return t.at <= m.now })
	for _, t := range list {
		if t.at <= m.now {
			n := m.clone()
			t.fire(n)
			k.visit(n)
		}
	}
	switch {
	case due:
	case len(list) > 0:
		first := slices.MinFunc(list, func(a, b firing) int { return int(a.at - b.at) }).at
		for _, t := range list {
			switch {
			case t.at > first:
			case !busy: // rule 2
				n := m.clone()
				n.now, n.debt = t.at, 0
				t.fire(n)
				k.visit(n)
			case m.debt+t.at-m.now <= k.slack: // rule 3
				n := m.clone()
				n.debt += t.at - m.now
				n.now = t.at
				t.fire(n)
				k.visit(n)
			}
		}
	case !busy:
		end := "stuck"
		if k.ended(m, 0) {
			end = "ended"
		}
		k.ends[m.out+end] = true
	}
}

// ended reports whether g and all goroutines after it have ended.
func (k *timedModel) ended(m *moment, g int) bool {
	for ; g < len(k.code); g++ {
		if m.pc[g] < len(k.code[g]) {
			return false
		}
	}
	return true
}

// A firing is a timer that can fire, and when.
type firing struct {
	at   int64
	fire func(m *moment)
}

func (k *timedModel) timers(m *moment) (list []firing) {
	for g, code := range k.code {
		if pc := m.pc[g]; pc >= 0 && pc < len(code) && code[pc].op == "wake" {
			list = append(list, firing{m.wake[g], func(m *moment) { m.pc[g]++ }})
		}
	}
	for i, t := range m.timer {
		if !t.armed {
			continue
		}
		at := t.at
		for t.period > 0 && at < m.now { // dropped
			at += t.period
		}
		if t.full && (t.period == 0 || at != m.now) {
			continue
		}
		list = append(list, firing{at, func(m *moment) {
			u := &m.timer[i]
			u.full, u.armed, u.at = true, u.period > 0, m.now+u.period
		}})
	}
	for i, at := range m.funcs {
		list = append(list, firing{at, func(m *moment) {
			m.funcs = slices.Delete(m.funcs, i, i+1)
			m.adders++
		}})
	}
	return list
}

// step executes the next operation of g, or returns nil if it has to wait.
func (k *timedModel) step(m *moment, g int) *moment {
	if m.pc[g] < 0 || m.pc[g] == len(k.code[g]) {
		return nil
	}
	op := k.code[g][m.pc[g]]
	switch op.op {
	case "wake":
		return nil
	case "recv":
		if !m.timer[op.i].full {
			return nil
		}
	case "lock":
		if m.owner >= 0 {
			return nil
		}
	case "join":
		if !k.ended(m, 1) {
			return nil
		}
	}
	n := m.clone()
	n.pc[g]++
	switch op.op {
	case "new":
		n.timer[op.i].armed, n.timer[op.i].at = true, n.now+op.d
	case "go":
		n.pc[op.i] = 0
	case "arm":
		n.wake[g] = n.now + op.d
	case "after":
		n.funcs = append(n.funcs, n.now+op.d)
	case "recv":
		n.timer[op.i].full = false
	case "stop", "reset":
		t := &n.timer[op.i]
		n.reg[g] = fmt.Sprint(t.armed || t.full)
		t.armed, t.full = op.op == "reset", false
		t.at = n.now + op.d
	case "lock":
		n.owner = g
	case "unlock":
		n.owner = -1
	case "load":
		n.reg[g] = fmt.Sprint(n.x)
	case "say":
		n.out += n.reg[g] + " "
		n.reg[g] = ""
	case "print":
		n.out += string('a'+rune(op.i)) + " "
	}
	return n
}

// timedVisitor collects outcomes.
type timedVisitor struct {
	m    *vm.Machine
	ends map[string]bool
}

func (v *timedVisitor) Leaf(_ trace.Schedule, st por.Status) bool {
	if st != por.Redundant {
		v.ends[strings.ReplaceAll(v.m.Report().Output(1), "\n", " ")+st.String()] = true
	}
	return true
}
func (v *timedVisitor) Race(trace.Schedule, trace.Op, trace.Op) bool { return true }
func (v *timedVisitor) Livelock(trace.Schedule, int) bool            { return true }
func (v *timedVisitor) Restart()                                     {}

// TestPassing: every explorer finds the outcomes of the model, for every slack.
func TestPassing(t *testing.T) {
	const perBatch = 30
	for batch := range slices.Chunk(deep.Seeds(t, 4, 60), perBatch) {
		var progs []*timedProg
		var list []unit
		for i, seed := range batch {
			p := randomTimed(rand.New(rand.NewPCG(seed, 0x7e3)))
			name := fmt.Sprintf("Ppass%d", i)
			progs, list = append(progs, p), append(list, unit{name, p.source(name)})
		}
		slacks := deep.Pick([]int64{0, 3, 10}, []int64{0, 1, 3, 10, 1 << 40})
		for _, slack := range slacks {
			g := loadGroupWith(t, list, vm.Config{VisibleOutput: true, OrderedTime: true, Slack: slack, VisibleArming: slack > 0})
			for i, p := range progs {
				g.in(i, func() { comparePassing(t, g, p, list[i], slack, batch[i]) })
			}
			if t.Failed() {
				return
			}
		}
	}
}

// comparePassing compares the findings of every explorer with the model.
func comparePassing(t *testing.T, g *group, p *timedProg, u unit, slack int64, seed uint64) {
	want := outcomesOf(p, slack)
	compare := func(name string, run func(por.System, por.Visitor, por.Config) por.Result, cfg por.Config) {
		v := &timedVisitor{g.m, map[string]bool{}}
		if r := run(g.m, v, cfg); len(r.Incomplete) > 0 || r.Stopped {
			return
		}
		if !maps.Equal(v.ends, want) {
			t.Errorf("seed %d, slack %d, %s:\n%s\n%s", seed, slack, name, difference(v.ends, want), numbered(u.Source))
		}
	}
	compare("full", stateful.Full, por.Config{MaxStates: 10000, Match: true})
	for _, e := range explorers.Exhaustive() {
		if t.Failed() {
			continue
		}
		cfg := por.Config{MaxExecutions: 1000, Match: e.Stateful}
		if e.Stateful {
			cfg = por.Config{MaxStates: 10000, Match: true}
		}
		compare(e.Name, e.Explore, cfg)
		if e.Stateful || e.Name == "optimal" {
			cfg.Oracle, cfg.AnyGoroutine = g.oracle(oracle.MHB, 0), true
			compare(e.Name+" mhb", e.Explore, cfg)
		}
	}
}
