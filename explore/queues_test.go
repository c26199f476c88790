package explore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

const queueSlack = 5 // milliseconds

// A queueProgram starts goroutines that wait on one channel, with pauses between them, and then
// serves them. It panics if a goroutine is not served in its turn.
type queueProgram struct {
	pauses []int // milliseconds after each goroutine
	how    int   // how and for what they wait
	bubble bool  // of testing/synctest; then 1 is a call of Wait, and 0 nothing
}

// queueWays are pairs of code: of goroutine number i, and of main, which serves one goroutine and
// sets x.
var queueWays = [][2]string{
	{"<-c; got <- i", "c <- 0; x = <-got"},                               // receivers
	{"<-buf; got <- i", "buf <- 0; x = <-got"},                           // receivers of a buffered channel
	{"c <- i", "x = <-c"},                                                // senders
	{"full <- i", "<-full; if k == 0 { x = 0 } else { x = last }; TAKE"}, // senders that wait for room
	{"select { case <-c: case <-never: }; got <- i", "c <- 0; x = <-got"},
	{"select { case c <- i: case <-never: }", "x = <-c"},
	{"select { case c <- i: case other <- i: }", "x = <-c"},
	{"<-c; got <- i", "select { case c <- 0: case <-never: }; x = <-got"},
}

func (p *queueProgram) source(name string) string {
	var b strings.Builder
	begin, end, fail := fmt.Sprintf("func %s() {\n", name), "}\n", `panic("not in turn")`
	if p.bubble {
		begin = fmt.Sprintf("func Test%s(t *testing.T) { synctest.Test(t, func(t *testing.T) {\n", name)
		end, fail = "})}\n", `t.Error("not in turn")`
	}
	b.WriteString(begin)
	b.WriteString("\tc, buf, got, never, other := make(chan int), make(chan int, 2), make(chan int, 4), make(chan int), make(chan int)\n")
	fmt.Fprintf(&b, "\tfull := make(chan int, 1)\n\tfull <- 0\n\tx := 0\n\t_, _, _, _, _, _ = c, buf, got, never, other, x\n")
	way := queueWays[p.how]
	for i, ms := range p.pauses {
		pause := fmt.Sprintf("time.Sleep(%d * time.Millisecond)", ms)
		if p.bubble {
			pause = []string{"", "synctest.Wait()", "time.Sleep(1)"}[ms]
		}
		fmt.Fprintf(&b, "\tgo func() { i := %d; %s }()\n\t%s\n", i, way[0], pause)
	}
	for i := range p.pauses {
		serve := way[1]
		if strings.HasSuffix(serve, "TAKE") { // the values that filled the channel come first
			serve = "x = <-full"
			if i == 0 {
				serve = "<-full; x = <-full"
			}
		}
		fmt.Fprintf(&b, "\t%s\n\tif x != %d { %s }\n", serve, i, fail)
	}
	b.WriteString(end)
	return b.String()
}

// ordered reports whether each order in which the goroutines can have parked is the order in which
// they were started. It tries all orders. A goroutine has parked before another if it arrived
// earlier by more than the slack.
func (p *queueProgram) ordered(slack int) bool {
	came := make([]int, len(p.pauses))
	for i := range came[1:] {
		came[i+1] = came[i] + p.pauses[i]
	}
	var parked []int
	var right func() bool
	right = func() bool {
		if len(parked) == len(came) {
			for i, g := range parked {
				if i != g {
					return false
				}
			}
			return true
		}
		for g := range came {
			possible := true
			for _, q := range parked {
				possible = possible && q != g && came[g]+slack >= came[q]
			}
			if !possible {
				continue
			}
			parked = append(parked, g)
			ok := right()
			parked = parked[:len(parked)-1]
			if !ok {
				return false
			}
		}
		return true
	}
	return right()
}

// TestQueues: a program that relies on goroutines being served in turn has only a warning if gc's queues
// serve them in turn in every execution, and a bug otherwise.
func TestQueues(t *testing.T) {
	var progs []queueProgram
	r := rand.New(rand.NewPCG(13, 1))
	for i := range deep.Pick(1, 3) * len(queueWays) {
		p := queueProgram{how: i % len(queueWays)}
		for range 2 + r.IntN(2) {
			p.pauses = append(p.pauses, []int{1, 3, 7, 20, 20}[r.IntN(5)])
		}
		progs = append(progs, p)
	}
	var b strings.Builder
	b.WriteString("package main\n\nimport \"time\"\n\nfunc main() {}\n")
	for i, p := range progs {
		b.WriteString(p.source(fmt.Sprintf("P%d", i)))
	}
	prog := vmtest.Load(t, b.String())
	right, wrong := 0, 0
	for i, p := range progs {
		for _, slack := range []int64{0, queueSlack} {
			entry, err := prog.Lookup(fmt.Sprintf("P%d", i))
			if err != nil {
				t.Fatal(err)
			}
			e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
				return describe.NewMachine(prog, entry, vm.Config{OrderedTime: true, Slack: slack * 1e6, Interrupt: interrupted})
			}}
			for _, opts := range []Options{{Portfolio: portfolioOf(true)}, {POR: explorers.With("jpf"), Match: true, Hybrid: oracle.MHB}, {POR: explorers.With("source")}} {
				res, err := Run(context.Background(), e, opts)
				if err != nil {
					t.Fatal(err)
				}
				warned := false
				for _, b := range res.Bugs {
					warned = warned || b.Warning && b.Kind == bug.Panic && b.Passes != nil
				}
				// Each of them has an execution in which a goroutine is overtaken.
				if p.ordered(int(slack)) {
					right++
					if res.Verdict != OK || !warned {
						t.Errorf("slack %d: %v, warned: %v, want a warning:\n%s", slack, res.Verdict, warned, p.source("P"))
					}
				} else {
					wrong++
					if res.Verdict != Fail {
						t.Errorf("slack %d: %v, want a bug:\n%s", slack, res.Verdict, p.source("P"))
					}
				}
			}
		}
	}
	if least := deep.Pick(8, 30); right < least || wrong < least {
		t.Errorf("%d right, %d wrong: they say too little", right, wrong)
	}
}

// TestQueuesOfBubbles: goroutines that wait when synctest.Wait returns, or when the clock of the
// bubble moves, are ahead of those that come later. Goroutines that arrive in between are in any order.
func TestQueuesOfBubbles(t *testing.T) {
	var progs []queueProgram
	for i, pauses := range [][]int{{1, 1}, {0, 1}, {1, 0}, {0, 1, 1}, {1, 0, 1}, {1, 2}, {1, 1, 0}, {2, 1}} {
		progs = append(progs, queueProgram{pauses, i, true})
	}
	var b strings.Builder
	b.WriteString("package m\n\nimport (\n\"testing\"\n\"testing/synctest\"\n\"time\"\n)\n\nvar _ time.Time\n\n")
	for i, p := range progs {
		b.WriteString(p.source(fmt.Sprint(i)))
	}
	prog := vmtest.Load(t, b.String())
	for i, p := range progs {
		entry, err := prog.Lookup(fmt.Sprintf("Test%d", i))
		if err != nil {
			t.Fatal(err)
		}
		e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
			return describe.NewMachine(prog, entry, vm.Config{OrderedTime: true, Slack: queueSlack * 1e6, Interrupt: interrupted})
		}}
		for _, opts := range []Options{{Portfolio: portfolioOf(true)}, {POR: explorers.With("jpf"), Match: true, Hybrid: oracle.MHB}, {POR: explorers.With("source")}}[:2+i%2] {
			res, err := Run(context.Background(), e, opts)
			if err != nil {
				t.Fatal(err)
			}
			warned := false
			for _, b := range res.Bugs {
				warned = warned || b.Warning && b.Passes != nil
			}
			switch {
			case p.ordered(0) && (res.Verdict != OK || !warned):
				t.Errorf("%v, warned: %v, want a warning:\n%s", res.Verdict, warned, p.source("P"))
			case !p.ordered(0) && res.Verdict != Fail:
				t.Errorf("%v, want a bug:\n%s", res.Verdict, p.source("P"))
			}
		}
	}
}

// TestSelects: a select that has waited for longer than the slack takes the case that is ready
// first. A select that may not have been reached yet takes any case.
func TestSelects(t *testing.T) {
	type selects struct {
		cases, serve string
		certain      bool // gc takes the first case that becomes ready after the goroutine has parked
	}
	list := []selects{
		{"<-a <-b", "close(a); close(b)", true},
		{"<-b <-a", "close(a); close(b)", true},
		{"<-a <-b", "close(b); close(a)", false},
		{"<-a2 <-b2", "a2 <- 1; b2 <- 1", true},
		{"<-a2 <-b", "a2 <- 1; close(b)", true},
		{"<-a2 <-b", "go close(b); a2 <- 1", false},
		{"<-a full<-1", "close(a); <-full", true},
		{"full<-1 <-b", "<-full; close(b)", true},
		{"<-tick <-b", "time.Sleep((31-PAUSE)*time.Millisecond); close(b)", true},
		// A goroutine that does not wait takes the value.
		{"<-a2 <-b", "a2 <- 1; select { case <-a2: default: }; close(b)", false},
		// Another goroutine may be served.
		{"<-a2 <-b", "go func() { <-a2 }(); time.Sleep(time.Second); a2 <- 1; close(b)", false},
	}
	const function = `func P%d_%d() {
	a, b, a2, b2, full, got := make(chan int), make(chan int), make(chan int, 1), make(chan int, 1), make(chan int, 1), make(chan int, 1)
	full <- 0
	time.Sleep(20*time.Millisecond) // so that the arrival of the goroutine matters, and not the passing of time
	tick := time.After(30*time.Millisecond)
	_, _, _, _, _ = a, b, a2, b2, tick
	go func() {
		select {
		case %s: got <- 0
		case %s: got <- 1
		}
	}()
	time.Sleep(%[2]d*time.Millisecond)
	%[5]s
	if (<-got == 0) != %[6]v { panic("other case") }
}
`
	pauses := []int{queueSlack - 1, queueSlack + 1}
	src := "package main\n\nimport \"time\"\n\nfunc main() {}\n\n"
	for i, x := range list {
		first, second, _ := strings.Cut(x.cases, " ")
		for _, pause := range pauses {
			serve := strings.ReplaceAll(x.serve, "PAUSE", fmt.Sprint(pause))
			src += fmt.Sprintf(function, i, pause, first, second, serve, first != "<-b")
		}
	}
	prog := vmtest.Load(t, src)
	for i, x := range list {
		for k, pause := range pauses {
			entry, err := prog.Lookup(fmt.Sprintf("P%d_%d", i, pause))
			if err != nil {
				t.Fatal(err)
			}
			e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
				return describe.NewMachine(prog, entry, vm.Config{OrderedTime: true, Slack: queueSlack * 1e6, Interrupt: interrupted})
			}}
			// With InTurn, too, a goroutine takes another element if the element meant for it has been
			// taken.
			turn := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
				return describe.NewMachine(prog, entry, vm.Config{OrderedTime: true, InTurn: true, Slack: queueSlack * 1e6, Interrupt: interrupted})
			}}
			res, err := Run(context.Background(), turn, Options{POR: explorers.With("full"), Match: true, All: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range res.Bugs {
				if b.Kind == bug.Deadlock {
					t.Errorf("pause of %d ms, in turn: deadlock: select of %s; %s", pause, x.cases, x.serve)
				}
			}
			opts := []Options{{Portfolio: portfolioOf(true)}, {POR: explorers.With("jpf"), Match: true, Hybrid: oracle.MHB}, {POR: explorers.With("source")}}
			for _, opts := range opts[deep.N((i+k)%3, 0):deep.N((i+k)%3+1, 3)] {
				res, err := Run(context.Background(), e, opts)
				if err != nil {
					t.Fatal(err)
				}
				got, want := string(res.Verdict), "fail"
				if res.Verdict == OK && len(res.Bugs) > 0 && res.Bugs[0].Warning && res.Bugs[0].Passes != nil {
					got = "warning"
				}
				if x.certain && (pause > queueSlack || strings.Contains(x.cases, "tick")) {
					want = "warning"
				}
				if got != want {
					t.Errorf("pause of %d ms: %s, want %s: select of %s; %s", pause, got, want, x.cases, x.serve)
				}
			}
		}
	}
}

// TestQueuesBugs: a bug that shows though all goroutines are served in their turn stays a bug. So
// does one that depends on another order, distinguished without waiting.
func TestQueuesBugs(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		// A panic that the first search finds after it has overtaken g1, and that does not need the
		// overtaking.
		{`c := make(chan int)
		n := make(chan int, 2)
		for i := range 2 { go func() { c <- i }(); time.Sleep(20*time.Millisecond) }
		a := <-c
		go func() { n <- 1 }()
		go func() { n <- 2 }()
		if <-n == 2 { panic(a) }
		<-c; <-n`, "fail"},
		// A deadlock that needs the overtaking.
		{`c, d := make(chan int), make(chan int)
		go func() { c <- 1; d <- 1 }()
		time.Sleep(20*time.Millisecond)
		go func() { c <- 2 }()
		<-c; <-d; <-c`, "warning"},
		// A mutex does not determine who comes next.
		{`var mu sync.Mutex
		n := 0
		mu.Lock()
		for i := range 2 { go func() { mu.Lock(); n = n*10+i+1; mu.Unlock() }(); time.Sleep(20*time.Millisecond) }
		mu.Unlock()
		time.Sleep(20*time.Millisecond)
		mu.Lock()
		if n == 21 { panic(n) }
		mu.Unlock()`, "fail"},
	} {
		prog := vmtest.Load(t, "package main\n\nimport (\n\"sync\"\n\"time\"\n)\n\nvar _ sync.Mutex\n\nfunc main() {\n"+tt.src+"\n}\n")
		e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
			return describe.NewMachine(prog, prog.Entries[0], vm.Config{OrderedTime: true, Slack: queueSlack * 1e6, Interrupt: interrupted})
		}}
		for _, opts := range []Options{{Portfolio: portfolioOf(true)}, {POR: explorers.With("full"), Match: true}} {
			res, err := Run(context.Background(), e, opts)
			if err != nil {
				t.Fatal(err)
			}
			got := string(res.Verdict)
			if res.Verdict == OK && len(res.Bugs) > 0 && res.Bugs[0].Warning && res.Bugs[0].Passes != nil {
				got = "warning"
			}
			if got != tt.want {
				t.Errorf("%s, want %s:\n%s", got, tt.want, tt.src)
			}
		}
	}
}

// TestQueuesOfEqual: the order of arrival counts even if identical goroutines may be exchanged.
func TestQueuesOfEqual(t *testing.T) {
	// The first goroutine to lock mu is not certain to be ahead of the third goroutine.
	const late = `var mu sync.Mutex
		c, late := make(chan int), true
		for i := range 2 {
			go func() {
				mu.Lock()
				sleep := late
				late = false
				mu.Unlock()
				if sleep { time.Sleep(4*time.Millisecond) }
				c <- i
			}()
		}
		go func() { time.Sleep(6*time.Millisecond); c <- 7 }()
		time.Sleep(time.Second)
		`
	// The second goroutine is certain to be ahead of the third one, the first is not.
	const between = `c := make(chan int)
		for i := range 2 { go func() { if i == 0 { time.Sleep(4 * time.Millisecond) }; c <- 9 }() }
		go func() { time.Sleep(6*time.Millisecond); c <- 7 }()
		time.Sleep(time.Second)
		`
	for _, tt := range []struct{ src, want string }{
		{late + "if <-c == 0 && <-c == 7 { panic(0) }", "fail"},
		{late + "if <-c == 1 && <-c == 7 { panic(1) }", "fail"},
		{between + "<-c; if <-c == 7 { panic(7) }", "fail"},
		{between + "if <-c == 7 { panic(7) }; <-c; <-c", "ok"},
	} {
		prog := vmtest.Load(t, "package main\n\nimport (\n\"sync\"\n\"time\"\n)\n\nvar _ sync.Mutex\n\nfunc main() {\n"+tt.src+"\n}\n")
		for _, symmetry := range []bool{false, true} {
			e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
				return describe.NewMachine(prog, prog.Entries[0], vm.Config{OrderedTime: true, InTurn: true, Slack: queueSlack * 1e6, Interrupt: interrupted})
			}}
			opts := Options{POR: explorers.With("full"), Match: true, Symmetry: symmetry}
			res, err := Run(context.Background(), e, opts)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(res.Verdict); got != tt.want {
				t.Errorf("symmetry %v: %s, want %s:\n%s", symmetry, got, tt.want, tt.src)
			}
		}
	}
}

// TestQueuesOfMany: of many identical goroutines that wait, it does not matter to gc's queues who
// comes next.
func TestQueuesOfMany(t *testing.T) {
	prog := vmtest.Load(t, `package main

import (
	"sync"
	"time"
)

func main() {
	var wg sync.WaitGroup
	p := &struct{ token, turn chan bool }{make(chan bool, 1), make(chan bool, 1)}
	for range 14 {
		wg.Go(func() {
			p.turn <- true
			p.token <- true
			time.Sleep(50 * time.Millisecond)
			<-p.token
			<-p.turn
		})
	}
	time.Sleep(20 * time.Millisecond)
	begin := time.Now()
	p.token <- true
	if time.Since(begin) > 60*time.Millisecond {
		panic("overtaken")
	}
	<-p.token
	wg.Wait()
}
`)
	e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
		return describe.NewMachine(prog, prog.Entries[0], vm.Config{OrderedTime: true, Slack: queueSlack * 1e6, Interrupt: interrupted})
	}}
	p := portfolioOf(true)
	for i := range p.Searches {
		p.Searches[i].Symmetry = p.Searches[i].Match
	}
	res, err := Run(context.Background(), e, Options{Portfolio: p})
	if err != nil {
		t.Fatal(err)
	}
	if res.Verdict != OK || len(res.Bugs) == 0 || !res.Bugs[0].Warning || res.Bugs[0].Passes == nil {
		t.Errorf("%v, %d bugs", res.Verdict, len(res.Bugs))
	}
}

// TestSampledInTurn: samples show that gc can have a bug, where the program is too big for a search of all
// schedules in gc's order.
func TestSampledInTurn(t *testing.T) {
	prog := vmtest.Load(t, `package main

import (
	"sync"
	"sync/atomic"
)

func main() {
	first, m := 0, map[int]bool{1: true, 2: true, 3: true}
	for k := range m {
		if first == 0 {
			first = k
		}
	}
	var n atomic.Int32
	var wg sync.WaitGroup
	for i := range int32(8) {
		wg.Go(func() {
			for range 8 {
				n.Store(n.Load()*31 + i)
			}
		})
	}
	wg.Wait()
	if first != 1 {
		panic("another order")
	}
}
`)
	entry, err := prog.Lookup("main")
	if err != nil {
		t.Fatal(err)
	}
	e := Entry{Name: "main", New: func(interrupted func() bool) (describe.Machine, error) {
		return describe.NewMachine(prog, entry, vm.Config{Interrupt: interrupted})
	}}
	r, err := Run(context.Background(), e, Options{Portfolio: portfolioOf(true), Timeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Bugs) != 1 || r.Bugs[0].Warning || r.Bugs[0].Undecided || r.Bugs[0].Order == nil {
		t.Errorf("%v, %+v; want one bug with an order, and it is not open whether gc has it", r.Verdict, r.Bugs)
	}
}
