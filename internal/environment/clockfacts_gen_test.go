package environment

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/vm"
)

// clockProgram returns a function whose goroutines read the clock, take a lock and print the values that
// they have read. Time may pass at each clock read.
func clockProgram(r *rand.Rand, name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "func %s(t *testing.T) {\n\tvar mu sync.Mutex\n\tvar wg sync.WaitGroup\n\tvar late atomic.Int32\n", name)
	b.WriteString("\tc := make(chan int, 8)\n\tstart := time.Now()\n\tlast, back, x := start, 0, 1\n")
	b.WriteString("\t_, _, _, _ = last, back, x, &mu\n")
	for g := range 2 {
		b.WriteString("\twg.Go(func() {\n\t\tnow := time.Now()\n\t\t_ = now\n")
		reads := 1
		for i := range 1 + r.IntN(2) {
			switch r.IntN(7) {
			case 0, 1:
				b.WriteString("\t\tmu.Lock()\n\t\tif now.Sub(last) < -time.Microsecond { back++ }\n\t\tlast = now\n\t\tmu.Unlock()\n")
			case 2:
				fmt.Fprintf(&b, "\t\tmu.Lock()\n\t\tx = x*3 + %d\n\t\tmu.Unlock()\n", g)
			case 3:
				fmt.Fprintf(&b, "\t\tc <- %d\n", 10*g+i)
			case 4:
				b.WriteString("\t\tif now.After(start.Add(100*time.Microsecond)) { late.Add(1) }\n")
			case 5:
				b.WriteString("\t\tlate.Add(2)\n")
			case 6:
				if reads++; reads == 2 {
					b.WriteString("\t\tnow = time.Now()\n")
				}
			}
		}
		b.WriteString("\t})\n")
	}
	b.WriteString("\twg.Wait()\n\tclose(c)\n\tsum := 0\n\tfor v := range c { sum = 7*sum + v }\n")
	b.WriteString("\tfmt.Println(back, x, late.Load(), sum, time.Since(start) > time.Microsecond)\n}\n")
	return b.String()
}

// TestClockFactsGenerated: in generated programs whose goroutines read the clock, each search with
// static facts has the outcomes of a search of all states without static facts.
func TestClockFactsGenerated(t *testing.T) {
	seeds := deep.Seeds(t, 2, 120)
	src := "package clocks\n\nimport (\n\"fmt\"\n\"sync\"\n\"sync/atomic\"\n\"testing\"\n\"time\"\n)\n\n"
	for i, seed := range seeds {
		src += clockProgram(rand.New(rand.NewPCG(seed, 0xc10c)), fmt.Sprintf("Test%d", i))
	}
	dir := t.TempDir()
	writeTests(t, dir, src)
	prog := loadDir(t, dir)
	cfg := vm.Config{OrderedTime: true, Slack: 500e3}
	const most, few = 50_000, 4_000 // states, and executions where none are stored
	compared := 0
	for i, e := range prog.Entries {
		want := exploreWithin(t, prog, e, cfg, how{"full", oracle.None, true, 1}, most)
		if !want.complete() {
			continue
		}
		for k, por := range []string{"jpf", "source", "optimal", "clockvector", "graph", "context"} {
			for l, facts := range []oracle.Kind{oracle.MHB, oracle.Parts, oracle.Full, oracle.None} {
				if deep.Quick() && (i+k+l)%6 != 0 {
					continue
				}
				h := how{por, facts, por == "jpf", 1}
				bound := uint64(few)
				if h.match {
					bound = most
				}
				got := exploreWithin(t, prog, e, cfg, h, bound)
				if !got.complete() {
					continue
				}
				compared++
				if lines(got.outcomes) != lines(want.outcomes) {
					t.Errorf("seed %d, %v has\n%s\nand not\n%s\n%s", seeds[i], h, lines(got.outcomes), lines(want.outcomes), src)
				}
			}
		}
	}
	if compared < len(seeds)/2+1 {
		t.Errorf("only %d comparisons", compared)
	}
	t.Logf("%d comparisons", compared)
}
