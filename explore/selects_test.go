package explore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// A selectProgram starts goroutines that wait in a select of two receives each, and then serves
// them. Channels a and b are closed, c and d have a buffer for one value.
type selectProgram struct {
	cases  [][2]byte // of each goroutine: names of channels
	serve  []string  // names of channels: to close, or to send to; "?c" receives the elements of c
	pauses []int     // milliseconds after each goroutine and each of serve
}

func newSelectProgram(r *rand.Rand) selectProgram {
	var p selectProgram
	for range 1 + (1+r.IntN(3))/2 {
		x := [2]byte{"ab"[r.IntN(2)], "abcd"[r.IntN(4)]}
		if x[0] == x[1] {
			x[1] = 'c'
		}
		if r.IntN(2) == 0 {
			x[0], x[1] = x[1], x[0]
		}
		p.cases = append(p.cases, x)
	}
	p.serve = []string{"a", "b"}
	for _, x := range []string{"c", "d"} {
		if r.IntN(3) > 0 {
			p.serve = append(p.serve, x)
		}
	}
	r.Shuffle(len(p.serve), func(i, j int) { p.serve[i], p.serve[j] = p.serve[j], p.serve[i] })
	if i := slices.Index(p.serve, "c"); i >= 0 && r.IntN(3) == 0 {
		p.serve = slices.Insert(p.serve, i+1, "?c")
	}
	short := r.IntN(2) == 0
	for i := range len(p.cases) + len(p.serve) {
		pause := queueSlack + 2
		if short && r.IntN(2) == 0 || short && i == len(p.cases)-1 || i >= len(p.cases) && r.IntN(2) == 0 {
			pause = 0
		}
		p.pauses = append(p.pauses, pause)
	}
	return p
}

func (p *selectProgram) source(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "func %s() {\n\ta, b, c, d := make(chan int), make(chan int), make(chan int, 1), make(chan int, 1)\n", name)
	fmt.Fprintf(&b, "\tvar got [%d]byte\n\tvar wg sync.WaitGroup\n\ttime.Sleep(20 * time.Millisecond)\n", len(p.cases))
	pause := func(i int) {
		if p.pauses[i] > 0 {
			fmt.Fprintf(&b, "\ttime.Sleep(%d * time.Millisecond)\n", p.pauses[i])
		}
	}
	for i, x := range p.cases {
		fmt.Fprintf(&b, "\twg.Go(func() { select { case <-%[1]c: got[%[2]d] = '%[1]c'; case <-%[3]c: got[%[2]d] = '%[3]c' } })\n", x[0], i, x[1])
		pause(i)
	}
	for i, x := range p.serve {
		switch x {
		case "a", "b":
			fmt.Fprintf(&b, "\tclose(%s)\n", x)
		case "?c":
			b.WriteString("\tselect { case <-c: default: }\n")
		default:
			fmt.Fprintf(&b, "\t%s <- 1\n", x)
		}
		pause(len(p.cases) + i)
	}
	b.WriteString("\twg.Wait()\n\tos.Stdout.Write(got[:])\n\t_, _, _, _ = a, b, c, d\n}\n")
	return b.String()
}

// gc returns the channels from which the goroutines receive in gc. Goroutine i arrives at its
// select as soon as it is started, or, with late[i], after everything that main does within the
// slack. If both of its cases are ready by then, it takes the one selected by second. open reports
// that the served goroutine is not certain.
func (p *selectProgram) gc(late, second []bool) (got string, open bool) {
	type event struct{ at, order, goroutine, serve int }
	var events []event
	now := 0
	for i := range p.pauses {
		if i < len(p.cases) {
			x := event{now, i, i, -1}
			if late[i] {
				x.at, x.order = now+queueSlack, len(p.pauses)+i
			}
			events = append(events, x)
		} else {
			events = append(events, event{now, i, -1, i - len(p.cases)})
		}
		now += p.pauses[i]
	}
	slices.SortFunc(events, func(x, y event) int {
		if x.at != y.at {
			return x.at - y.at
		}
		return x.order - y.order
	})
	out := slices.Repeat([]byte("-"), len(p.cases))
	var parked []int
	ready := make(map[byte]bool)
	take := func(g int, c byte) {
		if out[g] = c; c > 'b' {
			ready[c] = false
		}
	}
	for _, e := range events {
		if g := e.goroutine; g >= 0 {
			x := p.cases[g]
			switch first, other := ready[x[0]], ready[x[1]]; {
			case first && (!other || !second[g]):
				take(g, x[0])
			case other:
				take(g, x[1])
			default:
				parked = append(parked, g)
			}
			continue
		}
		if p.serve[e.serve] == "?c" {
			ready['c'], open = false, true
			continue
		}
		c, served := p.serve[e.serve][0], 0
		ready[c] = true
		parked = slices.DeleteFunc(parked, func(g int) bool {
			if p.cases[g][0] != c && p.cases[g][1] != c {
				return false
			}
			if served++; !ready[c] {
				return false // a value serves one
			}
			take(g, c)
			return true
		})
		open = open || c > 'b' && served > 1
	}
	return string(out), open
}

// TestGeneratedSelects: with gc's queues, a program has each result that gc can have, and only the one
// result of gc if all goroutines have parked before they are served.
func TestGeneratedSelects(t *testing.T) {
	var progs []selectProgram
	src := "package main\n\nimport (\n\"os\"\n\"sync\"\n\"time\"\n)\n\nfunc main() {}\n\n"
	for i, seed := range deep.Seeds(t, 25, 400) {
		progs = append(progs, newSelectProgram(rand.New(rand.NewPCG(46, seed))))
		src += progs[i].source(fmt.Sprintf("P%d", i))
	}
	prog := vmtest.Load(t, src)
	certain, several := 0, 0
	for i, p := range progs {
		entry, err := prog.Lookup(fmt.Sprintf("P%d", i))
		if err != nil {
			t.Fatal(err)
		}
		e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
			return describe.NewMachine(prog, entry, vm.Config{OrderedTime: true, InTurn: true, Slack: queueSlack * 1e6, Interrupt: interrupted})
		}}
		res, err := Run(context.Background(), e, Options{POR: explorers.With("full"), Match: true, All: true, Outcomes: true})
		if err != nil || res.Verdict != OK {
			t.Fatal(err, res, p.source("P"))
		}
		has := make(map[string]bool)
		for _, o := range res.Outcomes {
			has[o.Output] = true
		}
		want, sure := make(map[string]bool), true
		n := len(p.cases)
		for bits := range 1 << (2 * n) {
			var late, second []bool
			for g := range n {
				late, second = append(late, bits>>g&1 == 1), append(second, bits>>(n+g)&1 == 1)
			}
			got, open := p.gc(late, second)
			want[got], sure = true, sure && !open
		}
		for got := range want {
			if !has[got] {
				t.Errorf("%s is missing in %v:\n%s", got, has, p.source("P"))
			}
		}
		if several += min(1, len(want)-1); sure && len(want) == 1 {
			if certain++; len(has) > 1 {
				t.Errorf("%v, and gc has only one:\n%s", has, p.source("P"))
			}
		}
	}
	t.Logf("%d certain, %d with several results", certain, several)
	if certain < len(progs)/10 || several < len(progs)/10 {
		t.Errorf("%d of %d certain, %d with several results: they say too little", certain, len(progs), several)
	}
}
