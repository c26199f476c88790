package environment

import (
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/vm"
)

// TestClockFacts: two goroutines read the clock in one order and lock in the other. If time may
// pass at clock reads, they depend on all operations, and a search of classes has the same findings
// with static facts as without.
func TestClockFacts(t *testing.T) {
	dir := t.TempDir()
	writeTests(t, dir, `package clockfacts

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

func TestBack(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	start := time.Now()
	last, back := start, 0
	for range 2 {
		wg.Go(func() {
			now := time.Now()
			mu.Lock()
			if now.Sub(last) < -time.Microsecond {
				back++
			}
			last = now
			mu.Unlock()
		})
	}
	wg.Wait()
	fmt.Println(back, time.Since(start) > time.Microsecond)
}
`)
	prog := loadDir(t, dir)
	cfg := vm.Config{OrderedTime: true, Slack: 500e3}
	want := exploreEntry(t, prog, prog.Entries[0], cfg, how{"source", oracle.None, false, 1})
	if len(want.outcomes) != 3 {
		t.Fatalf("without facts the outcomes are\n%s", lines(want.outcomes))
	}
	for i, por := range []string{"source", "jpf", "optimal", "clockvector", "graph"} {
		if i > 1 && deep.Quick() {
			break
		}
		for _, facts := range []oracle.Kind{oracle.MHB, oracle.Full} {
			if facts == oracle.Full && deep.Quick() {
				break
			}
			h := how{por, facts, por == "jpf", 1}
			if got := exploreEntry(t, prog, prog.Entries[0], cfg, h); lines(got.outcomes) != lines(want.outcomes) {
				t.Errorf("%v has\n%s\nand not\n%s", h, lines(got.outcomes), lines(want.outcomes))
			}
		}
	}
}
