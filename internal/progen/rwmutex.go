package progen

import "math/rand/v2"

// Misuse returns the program with the given seed about one RWMutex that goroutines lock and
// unlock without discipline. The counters of an RWMutex model the misuse that the runtime does not
// notice: writers that are let in by others, readers that pass them.
func Misuse(seed uint64, trying bool) *Prog {
	r := rand.New(rand.NewPCG(seed, 0x4f3))
	p := &Prog{Seed: seed, RWs: 1, Atoms: 1 + r.IntN(2), Vars: []Var{{Place: Place(r.IntN(int(PtrField))), Type: Int, N: 1}}, Mus: 1}
	// Weights: misuse that is a fatal error at once is the least interesting.
	var readers, writers int
	op := func() Stmt {
		switch k := r.IntN(20); {
		case k < 5:
			readers++
			return Stmt{Op: RLock}
		case k < 9 && readers > 0:
			readers--
			return Stmt{Op: RUnlock}
		case k < 12:
			writers++
			return Stmt{Op: WLock}
		case k < 15 && writers > 0:
			writers--
			return Stmt{Op: WUnlock}
		case k == 15 && trying:
			return Stmt{Op: []Op{TryRLock, TryWLock}[r.IntN(2)], Body: []Stmt{{Op: Print, E: Expr{-1, 7}}}}
		case k == 16:
			return Stmt{Op: Load, A: r.IntN(Locals)}
		case k == 17:
			return Stmt{Op: Store, E: Expr{-1, 1 + r.IntN(3)}}
		case k == 18:
			return Stmt{Op: AtomAdd, A: r.IntN(Locals), B: r.IntN(p.Atoms), E: Expr{-1, 1}}
		}
		return Stmt{Op: []Op{RLock, RUnlock, WLock, WUnlock}[r.IntN(4)]}
	}
	list := func(n int) (s []Stmt) {
		for range n {
			s = append(s, op())
		}
		return s
	}
	p.Main = list(r.IntN(3))
	for range 1 + r.IntN(3) {
		p.Main = append(p.Main, Stmt{Op: Go, E: Expr{-1, 0}, Body: append(list(1+r.IntN(3)), Stmt{Op: AtomAdd, A: 1, E: Expr{-1, 1}})})
	}
	p.Main = append(p.Main, list(1+r.IntN(3))...)
	p.Main = append(p.Main, Stmt{Op: Final})
	p.Complete()
	return p
}
