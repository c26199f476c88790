package progen_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/vm"
)

// printed are programs that a test prints itself, one for each seed.
type printed struct {
	print    func(r *rand.Rand, name string) string
	salt     uint64 // with the seed, the start of the random numbers
	perBatch int    // loaded at once
	total    int    // in the full tier
	short    int    // in the quick tier
	bound    por.Config
	finals   bool                        // outcomes are distinguished by their last states
	config   func(seed uint64) vm.Config // of a batch, by its first seed; nil: the output is visible
}

// subject is one program of a group; g is at the beginning of this program.
type subject struct {
	g     *group
	i     int // in its batch
	seed  uint64
	text  string
	want  *observer // the findings of a full search that matches states
	full  por.Result
	wrong int // the number of errors that compare has reported
}

// errorf fails the test and prints the program.
func (s *subject) errorf(format string, args ...any) {
	s.wrong++
	s.want.t.Errorf("seed %d, %s\n%s", s.seed, fmt.Sprintf(format, args...), numbered(s.text))
}

// each calls compare for the programs that a full search explores completely within the bound, and returns
// their number, and the number of the others.
func (p printed) each(t *testing.T, compare func(s *subject)) (checked, left int) {
	cfg := vm.Config{VisibleOutput: true}
	bound := p.bound
	bound.Match = true
	wrong := 0
	for seeds := deep.Seeds(t, p.short, p.total); len(seeds) > 0; {
		first, n := seeds[0], 1
		for n < min(p.perBatch, len(seeds)) && seeds[n] == first+uint64(n) {
			n++
		}
		seeds = seeds[n:]
		var list []unit
		for i := range n {
			name := fmt.Sprintf("Printed%d", i)
			list = append(list, unit{name, p.print(rand.New(rand.NewPCG(first+uint64(i), p.salt)), name)})
		}
		if p.config != nil {
			cfg = p.config(first)
		}
		g := loadGroupWith(t, list, cfg)
		for i, u := range list {
			g.in(i, func() {
				find := search
				if p.finals {
					find = searchFinals
				}
				want, full := find(t, g.m, stateful.Full, bound)
				if len(full.Incomplete) > 0 {
					left++
					return
				}
				checked++
				s := &subject{g: g, i: i, seed: first + uint64(i), text: u.Source, want: want, full: full}
				compare(s)
				wrong += s.wrong
			})
			if wrong > 2 {
				t.Fatal("enough")
			}
		}
	}
	t.Logf("%d programs checked, %d left out", checked, left)
	return checked, left
}
