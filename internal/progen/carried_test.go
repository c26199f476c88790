package progen_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// carrying prints a program whose goroutines reach channels through contexts, fields, other
// channels, slices, interfaces and package reflect, and also use WaitGroups, Conds and Onces. Most
// channels are only closed; to others goroutines send, always or in rare executions. A timed
// program has timers, and the places where its goroutines are blocked in the end show what they
// have found; in a bubble they print it.
func carrying(r *rand.Rand, name string, timed, bubble bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package main\n\nimport (\n\"context\"\n\"errors\"\n\"reflect\"\n\"sync\"\n\"sync/atomic\"\n\"testing\"\n\"testing/synctest\"\n\"time\"\n)\n\n")
	fmt.Fprintf(&b, "var %s_results [10]int\n\ntype %s_box struct { c, d chan int; in <-chan int }\n\nvar _ = errors.New\nvar _ = reflect.ValueOf\nvar _ = context.Background\nvar _ = time.Sleep\nvar _ = synctest.Wait\n\nfunc %s() {\n", name, name, name)
	b.WriteString("var t testing.T\n_ = &t\n")
	if bubble {
		b.WriteString("synctest.Test(&t, func(*testing.T) {\n")
	}
	b.WriteString("var mu sync.Mutex\nx := 0\n_, _ = &mu, &x\nvar n atomic.Int64\n_ = &n\nvar wg sync.WaitGroup\n_ = &wg\ncond := sync.NewCond(&mu)\n_ = cond\nvar once sync.Once\n_ = &once\n")
	b.WriteString("var none chan int\n_ = none\n")
	chans := 1 + r.IntN(3)
	for c := range chans {
		room := []int{0, 0, 0, 1, 1, 2}[r.IntN(6)]
		fmt.Fprintf(&b, "c%d := make(chan int, %d)\n_ = c%d\n", c, room, c)
		if room > 0 && r.IntN(2) == 0 {
			fmt.Fprintf(&b, "c%d <- 5\n", c)
		}
	}
	anyc := func() string { return fmt.Sprintf("c%d", r.IntN(chans)) }
	fmt.Fprintf(&b, "box := &%s_box{c: %s, d: %s, in: %s}\n_ = box\n", name, anyc(), anyc(), anyc())
	fmt.Fprintf(&b, "list := []chan int{%s, %s}\n_ = list\nmeta := make(chan chan int, %d)\n_ = meta\nvar boxed any = %s\n_ = boxed\n", anyc(), anyc(), r.IntN(2), anyc())
	ctxs := r.IntN(3)
	for k := range ctxs {
		parent := "context.Background()"
		if k > 0 && r.IntN(3) > 0 {
			parent = "x0"
		}
		if timed && r.IntN(2) == 0 {
			fmt.Fprintf(&b, "x%d, cancel%d := context.WithTimeout(%s, %d)\n", k, k, parent, 1+r.IntN(3))
		} else {
			fmt.Fprintf(&b, "x%d, cancel%d := context.WithCancel(%s)\n", k, k, parent)
		}
		fmt.Fprintf(&b, "_, _ = x%d, cancel%d\n", k, k)
	}
	timers := 0
	if timed {
		timers = 1 + r.IntN(2)
		for k := range timers {
			switch r.IntN(4) {
			case 0:
				fmt.Fprintf(&b, "t%d := time.NewTicker(%d)\ndefer t%d.Stop()\n", k, 1+r.IntN(3), k)
			default:
				fmt.Fprintf(&b, "t%d := time.NewTimer(%d)\n", k, 1+r.IntN(3))
			}
			fmt.Fprintf(&b, "_ = t%d\n", k)
		}
	}
	// Which channels are sent to: the others are only closed.
	sent := 0
	if r.IntN(4) > 0 {
		sent = 1 + r.IntN(chans)
	}
	rare := func(s string) string { return "mu.Lock()\nodd := x%2 == 1\nmu.Unlock()\nif odd { " + s + " }" }
	to := func() string {
		if sent == 0 || r.IntN(25) == 0 {
			return anyc()
		}
		return fmt.Sprintf("c%d", r.IntN(sent))
	}
	from := func() string {
		switch r.IntN(12) {
		case 0, 1, 2:
			if ctxs > 0 {
				return fmt.Sprintf("x%d.Done()", r.IntN(ctxs))
			}
		case 3:
			return "box.c"
		case 4:
			return "box.in"
		case 5:
			return fmt.Sprintf("list[%d]", r.IntN(2))
		case 6:
			return "boxed.(chan int)"
		case 7:
			if r.IntN(3) == 0 {
				return "none"
			}
		}
		return anyc()
	}
	mixes := func() string { // a case
		switch k := r.IntN(16); {
		case k < 2 && timers > 0:
			return fmt.Sprintf("case <-t%d.C: h = h*5 + 3\n", r.IntN(timers))
		case k < 3 && timed:
			return fmt.Sprintf("case <-time.After(%d): h = h*5 + 4\n", 1+r.IntN(3))
		case k < 5 && sent > 0:
			return fmt.Sprintf("case %s <- %d: h = h*5 + 1\n", to(), 1+r.IntN(3))
		}
		return fmt.Sprintf("case _, ok := <-%s: h = h*5 + 2; if !ok { h += 9 }\n", from())
	}
	tries := r.IntN(3) > 0
	stmt := func() string {
		switch k := r.IntN(48); {
		case k < 14:
			s := "select {\n"
			for range 1 + r.IntN(3) {
				s += mixes()
			}
			if tries && r.IntN(3) == 0 {
				s += "default: h++\n"
			}
			return s + "}"
		case k < 18:
			return fmt.Sprintf("{ _, ok := <-%s; h = h*3 + 1; if !ok { h += 7 } }", from())
		case k < 22:
			return fmt.Sprintf("close(%s)", anyc())
		case k < 25 && sent > 0:
			return fmt.Sprintf("%s <- 1", to())
		case k < 27 && sent > 0:
			return rare(fmt.Sprintf("%s <- 4", to()))
		case k < 30 && ctxs > 0:
			return fmt.Sprintf("cancel%d()", r.IntN(ctxs))
		case k < 31 && ctxs > 0:
			return fmt.Sprintf("if x%d.Err() != nil { h = h*3 + 2 }", r.IntN(ctxs))
		case k < 32 && ctxs > 0:
			return fmt.Sprintf("context.AfterFunc(x%d, func() { n.Add(1) })", r.IntN(ctxs))
		case k < 33 && ctxs > 0:
			return fmt.Sprintf("{ y, stop := context.WithCancel(x%d)\ndefer stop()\nselect { case <-y.Done(): h = h*3+1\ncase <-%s: h = h*3 + 2 } }", r.IntN(ctxs), anyc())
		case k < 34:
			return fmt.Sprintf("if v, ok := reflect.ValueOf(%s).TryRecv(); ok { h = h*3 + int(v.Int()) } else if v.IsValid() { h += 6 }", anyc())
		case k < 35 && sent > 0:
			return fmt.Sprintf("if reflect.ValueOf(%s).TrySend(reflect.ValueOf(2)) { h = h*3 + 1 }", to())
		case k < 36:
			return fmt.Sprintf("{ i, _, ok := reflect.Select([]reflect.SelectCase{{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(%s)}, {Dir: reflect.SelectRecv, Chan: reflect.ValueOf(%s)}}); h = h*3 + i; if ok { h += 4 } }", from(), from())
		case k < 37:
			return fmt.Sprintf("meta <- %s", anyc())
		case k < 39:
			return "select { case c := <-meta: _, ok := <-c; h = h*3 + 1; if ok { h++ }\ncase <-" + from() + ": h += 2 }"
		case k < 40:
			return fmt.Sprintf("h = h*3 + len(%s)", anyc())
		case k < 41:
			return "wg.Wait()"
		case k < 42:
			return "wg.Go(func() { defer func() { recover() }(); select { " + mixes() + mixes() + " } })"
		case k < 43:
			return "mu.Lock()\nif x == 0 { cond.Wait() }\nmu.Unlock()"
		case k < 44:
			return "mu.Lock()\nx++\ncond.Signal()\nmu.Unlock()"
		case k < 45:
			return fmt.Sprintf("once.Do(func() { close(%s) })", anyc())
		case k < 46 && timers > 0:
			return fmt.Sprintf("t%d.Stop()", r.IntN(timers))
		case k < 47 && timers > 0:
			return fmt.Sprintf("t%d.Reset(%d)", r.IntN(timers), 1+r.IntN(3))
		case k < 47 && bubble:
			return "synctest.Wait()"
		}
		return "mu.Lock()\nx = x*3 + h%3 + 1\nmu.Unlock()"
	}
	body := func(k int) {
		fmt.Fprintf(&b, "h := 0\ndefer func() {\nif e := recover(); e != nil { h = h*11 + 5 }\n")
		switch {
		case bubble:
			fmt.Fprintf(&b, "say(%d, h)\n", k)
		case timed:
			b.WriteString("switch h%7 {\n")
			for i := range 7 {
				fmt.Fprintf(&b, "case %d:\n<-none\n", i)
			}
			b.WriteString("}\n")
		default:
			fmt.Fprintf(&b, "%s_results[%d] = h\n", name, k)
		}
		b.WriteString("}()\n")
		for range 1 + r.IntN(3) {
			b.WriteString("{\n" + stmt() + "\n}\n")
		}
	}
	for k := range 1 + r.IntN(3) {
		b.WriteString("go func() {\n")
		body(k)
		b.WriteString("}()\n")
	}
	b.WriteString("func() {\n")
	body(9)
	b.WriteString("}()\n")
	if bubble {
		b.WriteString("})\n")
	}
	b.WriteString("}\n")
	return b.String()
}

// TestCarriedPrograms: explorers find the outcomes of all interleavings of such programs.
func TestCarriedPrograms(t *testing.T) {
	for _, x := range []struct {
		name          string
		timed, bubble bool
		config        func(seed uint64) vm.Config
		total, short  int
	}{
		{"untimed", false, false, nil, 1500, 5},
		{"timed", true, false, nil, 300, 3},
		{"slack", true, false, func(seed uint64) vm.Config {
			slack := int64(seed / 50 % 3 * 2)
			return vm.Config{VisibleOutput: true, OrderedTime: true, Slack: slack, VisibleArming: slack > 0}
		}, 300, 3},
		{"bubble", false, true, nil, 150, 3},
		{"timed bubble", true, true, nil, 150, 3},
	} {
		t.Run(x.name, func(t *testing.T) {
			find := search
			finals := !x.timed && !x.bubble
			if finals {
				find = searchFinals
			}
			programs := printed{salt: 0xca221ed, perBatch: 50, total: x.total, short: x.short, finals: finals, config: x.config,
				bound: por.Config{MaxStates: 60000, MaxExecutions: 3000},
				print: func(r *rand.Rand, name string) string { return carrying(r, name, x.timed, x.bubble) }}
			programs.each(t, func(s *subject) {
				want := crashless(s.want.outcomes)
				for _, e := range explorers.Exhaustive() {
					o, r := find(t, s.g.m, e.Explore, por.Config{MaxExecutions: 2000, MaxStates: 60000, Match: e.Stateful})
					if got := crashless(o.outcomes); len(r.Incomplete) == 0 && !maps.Equal(got, want) {
						s.errorf("%s\n%s", e.Name, difference(got, want))
					}
				}
			})
		})
	}
}

// crashless drops the states in which a crash has left the other goroutines: their order makes no difference.
func crashless(outcomes map[string]bool) map[string]bool {
	set := map[string]bool{}
	for k := range outcomes {
		if strings.Contains(k, "|panic") || strings.Contains(k, "|fatal") {
			k, _, _ = strings.Cut(k, " [")
		}
		set[k] = true
	}
	return set
}
