package progen

import (
	"fmt"
	"math/rand/v2"
)

// Features are the kinds of statements that programs may contain.
type Features uint32

// The features. Plain memory and goroutines are always there.
const (
	Locks   Features = 1 << iota // Mutex, RWMutex, Cond
	Groups                       // WaitGroup, Once
	Atomics                      // sync/atomic
	Chans                        // channels
	Selects                      // select without default
	Trying                       // select with default, TryLock, len of channels
	Panics                       // panic, recover, defer, faults
	Maps
	Prints // goroutines print, too
	All    = 1<<iota - 1
)

// Unused makes the results of half of the atomic additions unused.
const Unused Features = 1 << 31

// Generate returns the program with the given seed.
func Generate(seed uint64, f Features) *Prog {
	g := &generator{rng: rand.New(rand.NewPCG(seed, 0x5eed)), f: f}
	g.p = &Prog{Seed: seed}
	g.objects()
	g.main()
	if f&Unused != 0 {
		r := rand.New(rand.NewPCG(seed, 0xadd))
		unused(r, g.p.Main)
	}
	return g.p
}

// unused makes half of the atomic additions in list statements without a result.
func unused(r *rand.Rand, list []Stmt) {
	for i := range list {
		s := &list[i]
		if s.Op == AtomAdd && r.IntN(2) == 0 {
			s.A = -1
		}
		unused(r, s.Body)
		unused(r, s.Else)
		for k := range s.Cases {
			unused(r, s.Cases[k].Body)
		}
	}
}

// Complete numbers the objects of a program written by hand.
func (p *Prog) Complete() {
	p.Name = fmt.Sprintf("P%d", p.Seed)
	p.cells = nil
	for i := range p.Vars {
		v := &p.Vars[i]
		v.first = len(p.cells)
		for range v.N {
			p.cells = append(p.cells, v.Type)
		}
	}
}

type generator struct {
	rng *rand.Rand
	f   Features
	p   *Prog

	goroutines int // remaining goroutines
	budget     int // remaining statements
	depth      int
}

func (g *generator) n(n int) int         { return g.rng.IntN(n) }
func (g *generator) chance(pct int) bool { return g.n(100) < pct }
func (g *generator) has(f Features) bool { return g.f&f != 0 }

// objects chooses the shared objects. A program has few kinds of operations, so that they interact.
func (g *generator) objects() {
	p := g.p
	for range 1 + g.n(2) {
		v := Var{Place: Place(g.n(int(numPlaces))), Type: Type(g.n(int(numTypes))), N: 1 + g.n(2)}
		if v.Place == Captured || v.Place == PkgVar {
			v.N = 1
		}
		p.Vars = append(p.Vars, v)
	}
	p.Complete()
	if g.has(Locks) && g.chance(50) {
		p.Mus = 1 + g.n(2)
		if g.chance(30) {
			p.Conds = []int{0}
		}
	}
	if g.has(Locks) && g.chance(20) {
		p.RWs = 1
	}
	if g.has(Groups) {
		p.WGs = g.n(2)
		if g.chance(20) {
			p.Onces = 1
		}
	}
	if g.has(Atomics) && g.chance(35) {
		p.Atoms = 1
	}
	if g.has(Chans) && g.chance(60) {
		for range 1 + g.n(2) {
			c := Chan{Cap: max(0, g.n(4)-1), Type: Type(g.n(int(numTypes)))}
			c.Nil = g.chance(3)
			p.Chans = append(p.Chans, c)
		}
	}
	if g.has(Maps) && g.chance(20) {
		p.Maps = 1
	}
	p.Param = g.chance(50)
}

// main makes the main function: it starts goroutines, works, may wait for
// them, and prints all objects.
func (g *generator) main() {
	g.goroutines = 1 + g.n(3)
	join := g.n(3) // nothing, WaitGroup, a channel of its own
	if g.p.WGs == 0 && join == 1 {
		join = 2
	}
	if !g.has(Chans) && join == 2 {
		join = 0
	}
	done := -1
	if join == 2 {
		done = len(g.p.Chans)
		g.p.Chans = append(g.p.Chans, Chan{Cap: g.n(3)})
	}
	var body []Stmt
	if g.chance(40) {
		g.budget = 1
		body = append(body, g.list(1)...)
	}
	n := g.goroutines
	if join == 1 {
		body = append(body, Stmt{Op: WgAdd, A: 0, B: n})
	}
	// The more goroutines, the shorter.
	size := []int{0, 5, 4, 3}[n]
	for range n {
		g.goroutines--
		s := Stmt{Op: Go, E: g.expr()}
		g.budget = size
		switch {
		case join == 1 && g.chance(60):
			s.Body = append(s.Body, Stmt{Op: Defer, Body: []Stmt{{Op: WgDone}}})
			s.Body = append(s.Body, g.function(size)...)
		case join == 1:
			s.Body = append(g.function(size), Stmt{Op: WgDone})
		case join == 2:
			s.Body = append(g.function(size), Stmt{Op: Send, A: done, E: g.expr()})
		default:
			s.Body = g.function(size)
		}
		body = append(body, s)
		if g.chance(15) {
			g.budget = 1
			body = append(body, g.list(1)...)
		}
	}
	g.budget = 1 + g.n(2)
	body = append(body, g.list(g.budget)...)
	switch join {
	case 1:
		body = append(body, Stmt{Op: WgWait})
	case 2:
		for range n {
			body = append(body, Stmt{Op: Recv, A: done, B: g.n(Locals+1) - 1, C: -1})
		}
	}
	g.p.Main = append(body, Stmt{Op: Final})
}

// function makes a function body, which may recover from panics.
func (g *generator) function(n int) []Stmt {
	var body []Stmt
	if g.has(Panics) && g.chance(20) {
		body = append(body, g.deferred())
	}
	return append(body, g.list(n)...)
}

// deferred makes a defer statement.
func (g *generator) deferred() Stmt {
	var body []Stmt
	if g.chance(70) {
		body = append(body, Stmt{Op: Recover, A: g.n(Locals), B: 1 + g.n(3)})
	}
	if g.chance(50) && g.budget > 0 {
		body = append(body, g.list(1)...)
	}
	return Stmt{Op: Defer, Body: body}
}

func (g *generator) expr() Expr {
	if g.chance(50) {
		return Expr{-1, g.n(4)}
	}
	return Expr{g.n(Locals), g.n(3)}
}

// list makes up to n statements, within the budget.
func (g *generator) list(n int) []Stmt {
	if g.depth > 3 {
		return nil
	}
	g.depth++
	defer func() { g.depth-- }()
	var l []Stmt
	for range n {
		if g.budget <= 0 {
			break
		}
		g.budget--
		l = append(l, g.stmt()...)
	}
	return l
}

// inner makes a nested block of one or two statements.
func (g *generator) inner() []Stmt {
	l := g.list(1 + g.n(2))
	if len(l) == 0 {
		l = []Stmt{{Op: Set, A: g.n(Locals), E: g.expr()}}
	}
	return l
}

func (g *generator) cell() int { return g.n(len(g.p.cells)) }

// indexed returns a group whose elements can be indexed, or -1.
func (g *generator) indexed() int {
	for i, v := range g.p.Vars {
		if v.Place == PkgArray || v.Place == SliceElem || v.Place == PkgSlice {
			return i
		}
	}
	return -1
}

// stmt makes one statement, or a few that belong together.
func (g *generator) stmt() []Stmt {
	type maker func() []Stmt
	var all []maker
	add := func(weight int, ok bool, f maker) {
		if ok {
			for range weight {
				all = append(all, f)
			}
		}
	}
	p := g.p
	add(10, true, g.memory)
	add(2, true, g.control)
	add(8, p.Mus > 0, g.mutex)
	add(6, len(p.Conds) > 0, g.cond)
	add(6, p.RWs > 0, g.rwmutex)
	add(5, p.Onces > 0, func() []Stmt { return []Stmt{{Op: Once, A: g.n(p.Onces), Body: g.inner()}} })
	add(1, p.WGs > 0, func() []Stmt {
		return []Stmt{{Op: []Op{WgAdd, WgDone, WgWait}[g.n(3)], A: g.n(p.WGs), B: 1}}
	})
	add(8, p.Atoms > 0, g.atomic)
	add(14, len(p.Chans) > 0, g.channel)
	add(8, len(p.Chans) > 0 && g.has(Selects), g.selectStmt)
	add(3, g.has(Panics), g.panicking)
	add(6, p.Maps > 0, g.maps)
	add(3, g.has(Prints), func() []Stmt { return []Stmt{{Op: Print, E: g.expr()}} })
	return all[g.n(len(all))]()
}

func (g *generator) memory() []Stmt {
	l := g.n(Locals)
	v := g.indexed()
	switch g.n(8) {
	case 0, 1:
		return []Stmt{{Op: Load, A: l, B: g.cell()}}
	case 2, 3:
		return []Stmt{{Op: Store, B: g.cell(), E: g.expr()}}
	case 4, 5:
		e := g.expr()
		if g.chance(50) {
			e = Expr{-1, 1}
		}
		return []Stmt{{Op: Add, B: g.cell(), E: e}}
	case 6:
		if v >= 0 {
			return []Stmt{{Op: LoadAt, A: l, B: v, E: g.expr()}}
		}
	case 7:
		if v >= 0 {
			return []Stmt{{Op: StoreAt, A: l, B: v, E: g.expr()}}
		}
	}
	return []Stmt{{Op: Set, A: l, E: g.expr()}}
}

func (g *generator) control() []Stmt {
	switch g.n(5) {
	case 0, 1:
		s := Stmt{Op: If, A: g.n(Locals), B: g.n(3), Body: g.inner()}
		if g.chance(50) {
			s.Else = g.inner()
		}
		return []Stmt{s}
	case 2:
		return []Stmt{{Op: Loop, A: 2, Body: g.inner()}}
	case 3:
		return []Stmt{{Op: Call, Body: g.function(1 + g.n(2))}}
	}
	if g.goroutines > 0 && g.chance(50) {
		g.goroutines--
		return []Stmt{{Op: Go, E: g.expr(), Body: g.inner()}}
	}
	if g.chance(20) {
		return []Stmt{{Op: Return}}
	}
	return []Stmt{{Op: Defer, Body: g.inner()}}
}

func (g *generator) mutex() []Stmt {
	m := g.n(g.p.Mus)
	body := g.inner()
	switch k := g.n(20); {
	case k < 10:
		return append(append([]Stmt{{Op: Lock, A: m}}, body...), Stmt{Op: Unlock, A: m})
	case k < 14:
		return []Stmt{{Op: Call, Body: append([]Stmt{{Op: Lock, A: m}, {Op: Defer, Body: []Stmt{{Op: Unlock, A: m}}}}, body...)}}
	case k < 17 && g.has(Trying):
		s := Stmt{Op: TryLock, A: m, Body: body}
		if g.chance(50) {
			s.Else = g.inner()
		}
		return []Stmt{s}
	case k == 17:
		return []Stmt{{Op: Lock, A: m}}
	case k == 18 && g.chance(30):
		return []Stmt{{Op: Unlock, A: m}}
	}
	return append(append([]Stmt{{Op: Lock, A: m}}, body...), Stmt{Op: Unlock, A: m})
}

func (g *generator) cond() []Stmt {
	c := g.n(len(g.p.Conds))
	m := g.p.Conds[c]
	lock, unlock := Stmt{Op: Lock, A: m}, Stmt{Op: Unlock, A: m}
	x := g.cell()
	wake := Signal
	if g.chance(40) {
		wake = Broadcast
	}
	switch g.n(8) {
	case 0, 1, 2:
		return []Stmt{lock, {Op: WaitWhile, A: c, B: x, C: 0}, {Op: Load, A: g.n(Locals), B: x}, unlock}
	case 3:
		return []Stmt{lock, {Op: Wait, A: c}, unlock}
	case 4:
		return []Stmt{{Op: wake, A: c}}
	case 5:
		return []Stmt{lock, {Op: Store, B: x, E: Expr{-1, 1}}, unlock, {Op: wake, A: c}}
	}
	return []Stmt{lock, {Op: Store, B: x, E: Expr{-1, 1 + g.n(2)}}, {Op: wake, A: c}, unlock}
}

func (g *generator) rwmutex() []Stmt {
	m := g.n(g.p.RWs)
	body := g.inner()
	switch k := g.n(12); {
	case k < 5:
		return append(append([]Stmt{{Op: RLock, A: m}}, body...), Stmt{Op: RUnlock, A: m})
	case k < 9:
		return append(append([]Stmt{{Op: WLock, A: m}}, body...), Stmt{Op: WUnlock, A: m})
	case k < 10 && g.has(Trying):
		return []Stmt{{Op: TryRLock, A: m, Body: body}}
	case k < 11 && g.has(Trying):
		return []Stmt{{Op: TryWLock, A: m, Body: body}}
	}
	return []Stmt{{Op: []Op{RLock, RUnlock, WLock, WUnlock}[g.n(4)], A: m}}
}

func (g *generator) atomic() []Stmt {
	a, l := g.n(g.p.Atoms), g.n(Locals)
	switch g.n(5) {
	case 0:
		return []Stmt{{Op: AtomLoad, A: l, B: a}}
	case 1:
		return []Stmt{{Op: AtomStore, B: a, E: g.expr()}}
	case 2:
		return []Stmt{{Op: AtomSwap, A: l, B: a, E: g.expr()}}
	case 3:
		return []Stmt{{Op: AtomCAS, B: a, C: g.n(2), E: g.expr(), Body: g.inner()}}
	}
	return []Stmt{{Op: AtomAdd, A: l, B: a, E: g.expr()}}
}

func (g *generator) channel() []Stmt {
	c := g.n(len(g.p.Chans))
	l := g.n(Locals+1) - 1
	switch k := g.n(24); {
	case k < 9:
		return []Stmt{{Op: Send, A: c, E: g.expr()}}
	case k < 16:
		return []Stmt{{Op: Recv, A: c, B: l, C: -1}}
	case k < 18:
		return []Stmt{{Op: Recv, A: c, B: l, C: g.n(Locals)}}
	case k < 20:
		return []Stmt{{Op: Close, A: c}}
	case k < 22:
		return []Stmt{{Op: Range, A: c, B: max(l, 0), Body: g.inner()}}
	case k == 22 && g.has(Trying):
		return []Stmt{{Op: ChanLen, A: c, B: max(l, 0)}}
	}
	return []Stmt{{Op: Send, A: c, E: g.expr()}}
}

func (g *generator) selectStmt() []Stmt {
	s := Stmt{Op: Select}
	for range 1 + g.n(3) {
		c := Case{Send: g.chance(50), Chan: g.n(len(g.p.Chans)), E: g.expr(), L: g.n(Locals+1) - 1, Ok: -1}
		if !c.Send && g.chance(30) {
			c.Ok = g.n(Locals)
		}
		if g.chance(50) {
			c.Body = g.list(1)
		}
		s.Cases = append(s.Cases, c)
	}
	if g.has(Trying) && g.chance(45) {
		s.A = 1
		if g.chance(50) {
			s.Body = g.list(1)
		}
	}
	return []Stmt{s}
}

func (g *generator) panicking() []Stmt {
	v := g.indexed()
	switch k := g.n(8); {
	case k < 3:
		return []Stmt{g.deferred()}
	case k < 5:
		return []Stmt{{Op: Call, Body: append([]Stmt{g.deferred()}, append(g.list(1), Stmt{Op: Panic, E: g.expr()})...)}}
	case k == 5:
		return []Stmt{{Op: Divide, A: g.n(Locals), B: g.n(Locals)}}
	case k == 6 && v >= 0:
		return []Stmt{{Op: LoadAtRaw, A: g.n(Locals), B: v, E: Expr{g.n(Locals), g.n(3)}}}
	}
	return []Stmt{{Op: If, A: g.n(Locals), B: 1, Body: []Stmt{{Op: Panic, E: g.expr()}}}}
}

func (g *generator) maps() []Stmt {
	m, l := g.n(g.p.Maps), g.n(Locals)
	switch g.n(6) {
	case 0, 1:
		return []Stmt{{Op: MapSet, A: m, B: g.n(mapKeys), E: g.expr()}}
	case 2:
		return []Stmt{{Op: MapGet, A: m, B: g.n(mapKeys), C: l}}
	case 3:
		return []Stmt{{Op: MapDel, A: m, B: g.n(mapKeys)}}
	case 4:
		return []Stmt{{Op: MapLen, A: m, C: l}}
	}
	return []Stmt{{Op: MapSum, A: m, C: l}}
}
