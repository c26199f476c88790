package shadow

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/vm/heap"
)

// TestCells: words have the shadows that were stored last, and a rewind restores all cells.
func TestCells(t *testing.T) {
	const objects, words = 3, 12
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 0xce11))
		s := &Symbols{ctx: symbolic.NewContext(), Drawn: true, memory: map[uint32][]cell{}, labels: map[*symbolic.Term]*drawn{}, heap: heap.New(nil)}
		var terms []*symbolic.Term
		for i := range 4 {
			terms = append(terms, s.ctx.Var(uint64(i), 64, string(rune(97+i))))
		}
		want := map[[2]uint32]*symbolic.Term{} // by object and word
		snapshot := func() map[uint32][]cell {
			m := map[uint32][]cell{}
			for obj, cells := range s.memory {
				m[obj] = slices.Clone(cells)
			}
			return m
		}
		type mark struct {
			k      Mark
			memory map[uint32][]cell
			want   map[[2]uint32]*symbolic.Term
		}
		var marks []mark
		for range 200 {
			obj, word := uint32(1+r.IntN(objects)), uint32(r.IntN(words))
			p := uint64(obj)<<32 | uint64(word)*8
			switch k := r.IntN(22); {
			case k < 12:
				x := terms[r.IntN(len(terms))]
				s.Store(p, 8, x)
				want[[2]uint32{obj, word}] = x
			case k < 14:
				n := uint32(r.IntN(words + 1))
				s.clearCells(p, uint64(n)*8)
				for i := range n {
					delete(want, [2]uint32{obj, word + i})
				}
			case k < 15:
				s.Store(p, 8, nil)
				delete(want, [2]uint32{obj, word})
			case k < 17:
				marks = append(marks, mark{s.Mark(), snapshot(), maps.Clone(want)})
			case k >= 20: // words move, perhaps within an object
				from, n := uint32(1+r.IntN(objects)), uint32(r.IntN(words+1))
				first := uint32(r.IntN(words))
				n = min(n, words-first, words-word)
				moved := map[[2]uint32]*symbolic.Term{}
				for i := range n {
					moved[[2]uint32{obj, word + i}] = want[[2]uint32{from, first + i}]
				}
				s.copyCells(p, uint64(from)<<32|uint64(first)*8, uint64(n)*8)
				for to, x := range moved {
					if want[to] = x; x == nil {
						delete(want, to)
					}
				}
			case len(marks) > 0:
				m := marks[len(marks)-1]
				if k < 19 {
					marks = marks[:len(marks)-1]
				}
				s.Rewind(m.k)
				want = maps.Clone(m.want)
				if !maps.EqualFunc(s.memory, m.memory, slices.Equal[[]cell]) {
					t.Fatalf("seed %d: %v after a rewind to %v", seed, s.memory, m.memory)
				}
			}
			for obj := uint32(1); obj <= objects; obj++ {
				for word := range uint32(words) {
					if got := s.at(uint64(obj)<<32|uint64(word)*8, 8); got != want[[2]uint32{obj, word}] {
						t.Fatalf("seed %d: word %d of object %d has %v, not %v", seed, word, obj, got, want[[2]uint32{obj, word}])
					}
				}
			}
		}
	}
}

// TestCopiedCells: copying words that others follow takes as many allocations for many words as for few.
func TestCopiedCells(t *testing.T) {
	copied := func(words uint64) float64 {
		s := &Symbols{ctx: symbolic.NewContext(), Drawn: true, memory: map[uint32][]cell{}, labels: map[*symbolic.Term]*drawn{}}
		a := s.ctx.Var(0, 64, "a")
		for w := range words {
			s.Store(1<<32|w*8, 8, a)
		}
		s.Store(2<<32|words*8, 8, a)
		return testing.AllocsPerRun(1, func() { s.copyCells(2<<32, 1<<32, words*8) })
	}
	if few, many := copied(100), copied(3200); many > few+20 {
		t.Errorf("%v allocations for 100 words, %v for 3,200", few, many)
	}
}

// TestManyCells: filling a buffer, and changing all of it, takes memory in proportion to its length.
func TestManyCells(t *testing.T) {
	fill := func(words uint64) float64 {
		return testing.AllocsPerRun(1, func() {
			s := &Symbols{ctx: symbolic.NewContext(), Drawn: true, memory: map[uint32][]cell{}, labels: map[*symbolic.Term]*drawn{}}
			a, b := s.ctx.Var(0, 64, "a"), s.ctx.Var(1, 64, "b")
			for _, x := range []*symbolic.Term{a, b} {
				for w := range words {
					s.Store(1<<32|w*8, 8, x)
				}
			}
		})
	}
	if few, many := fill(1000), fill(32000); many > 2*few {
		t.Errorf("%v allocations for 1,000 words, %v for 32,000", few, many)
	}
}
