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

// littering prints a program whose goroutines make garbage, and share objects that they allocate afterwards.
func littering(r *rand.Rand, name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package main\n\nimport \"sync\"\n\nvar %s_results [10]int // what goroutines have found\n\n", name)
	fmt.Fprintf(&b, "type cell%[1]s struct {\nmu sync.Mutex\nv int\n}\n\nfunc (c *cell%[1]s) add(n int) int {\nc.mu.Lock()\ndefer c.mu.Unlock()\nc.v = c.v*3 + n\nreturn c.v\n}\n\n", name)
	fmt.Fprintf(&b, "func %s() {\nvar mu sync.Mutex\nslots := []*cell%[1]s{{}, {}}\n_, _ = &mu, slots\n", name)
	stmt := func() string {
		s := r.IntN(2)
		garbage := fmt.Sprintf("for i := range %d { h += len(append(make([]int, i+1, i+9), h))%%2 }\n", r.IntN(6))
		switch k := r.IntN(12); {
		case k < 4: // a new object in a slot
			return garbage + fmt.Sprintf("mu.Lock()\nslots[%d] = &cell%s{v: h %% 3}\nmu.Unlock()", s, name)
		case k < 7:
			return fmt.Sprintf("mu.Lock()\nc := slots[%d]\nmu.Unlock()\nh = h*5 + c.add(%d)%%4", s, k)
		case k < 11: // a new object that a new goroutine shares
			return garbage + fmt.Sprintf("mu.Lock()\nmu.Unlock()\nc := &cell%s{}\nvar w sync.WaitGroup\nw.Add(1)\ngo func() { c.add(%d); w.Done() }()\nh = h*5 + c.add(2)\nw.Wait()\nh += c.v", name, k)
		}
		return "mu.Lock()\nh = h*3 + len(slots)\nmu.Unlock()"
	}
	body := func(k int) {
		fmt.Fprintf(&b, "h := 0\ndefer func() { %s_results[%d] = h }()\n", name, k)
		for range 1 + r.IntN(3) {
			b.WriteString("{\n" + stmt() + "\n}\n")
		}
	}
	b.WriteString("go func() {\n")
	body(0)
	b.WriteString("}()\n")
	body(9)
	b.WriteString("}\n")
	return b.String()
}

// TestGarbage: explorers find the outcomes of all interleavings of such programs, although each
// execution of a path collects garbage at other moments. The searches begin below a mark, or have
// the only marks.
func TestGarbage(t *testing.T) {
	programs := printed{salt: 0x6a4ba6e, perBatch: 100, total: 300, short: 5, bound: por.Config{MaxStates: 3000},
		print: littering, config: func(uint64) vm.Config {
			return vm.Config{VisibleOutput: true, Check: vm.CheckGarbage, SmallLimits: true}
		}}
	programs.each(t, func(s *subject) {
		for _, e := range []string{"optimal", "source", "clockvector", "jpf"} {
			below, r := search(t, s.g.m, explorers.With(e).Explore, por.Config{Match: e == "jpf", MaxExecutions: 3000})
			if len(r.Incomplete) == 0 && !maps.Equal(below.outcomes, s.want.outcomes) {
				s.errorf("%s: %v: %s", e, r.Incomplete, difference(below.outcomes, s.want.outcomes))
			}
		}
		m, err := s.g.m.With(func(*vm.Config) {}, nil)
		if err != nil {
			t.Fatal(err)
		}
		m.Step(s.g.main, s.i)
		only, r := search(t, m, explorers.With("optimal").Explore, por.Config{MaxExecutions: 3000})
		if len(r.Incomplete) == 0 && !maps.Equal(only.outcomes, s.want.outcomes) {
			s.errorf("optimal from the beginning: %v: %s", r.Incomplete, difference(only.outcomes, s.want.outcomes))
		}
	})
}
