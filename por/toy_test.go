package por

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/trace"
)

// A toy is a small multi-goroutine program and its state: shared variables,
// mutexes, semaphores-like counters and a condition. It implements System by
// copying its whole state at a mark, which cannot be wrong.
//
// Goroutine 0 runs at the start; the others are started by it or by others.
type toy struct {
	prog [][]instr // by goroutine
	toyState
	marks []toyState

	launched int // the goroutine the last step has started; 0: none

	renumber     func(s *toyState) // canonical renaming for the hash, if any
	ignoreOutput bool
}

const (
	toyVars = 3
	toyGs   = 4
	toyOut  = 6
)

// toyState is everything that changes. It is comparable and copied by value.
type toyState struct {
	vars    [toyVars]int8
	atomics [toyVars]int8
	mutex   [2]int8 // 0 free, else 1: locked
	readers [2]int8
	wg      int8
	waiting [toyGs]bool // parked in condwait
	signal  [toyGs]bool // signalled
	started [toyGs]bool
	pc      [toyGs]int8
	reg     [toyGs]int8
	out     [toyOut]int8
	nout    int8
	over    Status // Ended after exit or crash, Cut after a failed assumption
	fault   int8   // position of the crash, or 0
}

type instr struct {
	op   toyOp
	a, b int8
}

type toyOp uint8

const (
	tRead     toyOp = iota // reg = vars[a]
	tWrite                 // vars[a] = b
	tWriteReg              // vars[a] = reg
	tInc                   // local: reg++
	tLoad                  // reg = atomics[a]
	tStore                 // atomics[a] = b
	tAdd                   // atomics[a] += b
	tLock
	tTryLock // reg = 1 if locked
	tUnlock
	tRLock
	tRUnlock
	tGo       // start goroutine a
	tWgAdd    // wg += a
	tWgWait   // until wg == 0
	tWait     // park until signalled
	tSignal   // wake one of the parked
	tChoose   // reg = 0..a-1
	tOutput   // print a
	tOutReg   // print reg
	tAssume   // reg != 0 or cut
	tJump     // local: pc = a if reg == b
	tYield    //
	tExit     // end the program
	tNumToyOp //
)

var toyNames = [tNumToyOp]string{"read", "write", "writereg", "inc", "load", "store", "add", "lock", "trylock", "unlock", "rlock", "runlock",
	"go", "wgadd", "wgwait", "wait", "signal", "choose", "output", "outreg", "assume", "jump", "yield", "exit"}

var toyKinds = [tNumToyOp]trace.Kind{tRead: trace.Read, tWrite: trace.Write, tWriteReg: trace.Write, tLoad: trace.AtomicLoad,
	tStore: trace.AtomicStore, tAdd: trace.AtomicRMW, tLock: trace.Lock, tTryLock: trace.TryLock, tUnlock: trace.Unlock,
	tRLock: trace.RLock, tRUnlock: trace.RUnlock, tGo: trace.Go, tWgAdd: trace.WgAdd, tWgWait: trace.WgWait, tWait: trace.CondWait,
	tSignal: trace.Signal, tChoose: trace.Choose, tOutput: trace.Output, tOutReg: trace.Output, tAssume: trace.SyncAccess,
	tYield: trace.Yield, tExit: trace.Exit}

func (i instr) String() string { return fmt.Sprintf("%s %d %d", toyNames[i.op], i.a, i.b) }

// program prints the toy's text.
func (t *toy) program() string {
	var b strings.Builder
	for g, code := range t.prog {
		fmt.Fprintf(&b, "g%d: %v\n", g, code)
	}
	return b.String()
}

func newToy(prog ...[]instr) *toy {
	t := &toy{prog: prog}
	t.started[0] = true
	t.local(0)
	return t
}

// local runs g's invisible instructions.
func (t *toy) local(g int) {
	for int(t.pc[g]) < len(t.prog[g]) {
		switch i := t.prog[g][t.pc[g]]; i.op {
		case tInc:
			t.reg[g]++
			t.pc[g]++
		case tJump:
			t.pc[g]++
			if t.reg[g] == i.b {
				t.pc[g] = i.a
			}
		default:
			return
		}
	}
}

func (t *toy) at(g int) (instr, bool) {
	if int(t.pc[g]) < len(t.prog[g]) {
		return t.prog[g][t.pc[g]], true
	}
	return instr{}, false
}

// ended reports whether g has executed its End, which stands one behind the
// last instruction.
func (t *toy) ended(g int) bool { return int(t.pc[g]) > len(t.prog[g]) }

func (t *toy) can(g int) bool {
	if !t.started[g] || t.ended(g) {
		return false
	}
	i, ok := t.at(g)
	if !ok {
		return true
	}
	switch i.op {
	case tLock:
		return t.mutex[i.a] == 0 && t.readers[i.a] == 0
	case tRLock:
		return t.mutex[i.a] == 0
	case tWgWait:
		return t.wg == 0
	case tWait:
		return !t.waiting[g] || t.signal[g]
	}
	return true
}

func (t *toy) Enabled(buf []trace.GID) []trace.GID {
	for g := range t.prog {
		if t.over == Running && t.can(g) {
			buf = append(buf, trace.GID(g))
		}
	}
	return buf
}

func (t *toy) Next(gid trace.GID) trace.Op {
	g := int(gid)
	op := trace.Op{G: gid, Func: uint32(g), PC: uint32(t.pc[g])}
	i, ok := t.at(g)
	switch {
	case t.fault == int8(g)+1:
		op.Kind = trace.Crash
	case !t.started[g] || t.ended(g):
		op.Kind = trace.None
	case !ok:
		op.Kind = trace.End
	default:
		op.Kind = toyKinds[i.op]
		switch {
		case i.op == tWait && t.signal[g]:
			op.Kind = trace.WakeLock
		case i.op == tWait && !t.waiting[g]:
			op.Kind = trace.Park
		}
		op.N = uint8(copy(op.Access[:], t.Touches(gid, nil)))
		switch {
		case i.op == tAdd:
			op.Commutes = trace.Increments
		case t.waitsForReaders(i.a): // they disable it, which is not so in Go
		case i.op == tRLock, i.op == tRUnlock && t.readers[i.a] > 0:
			op.Commutes = trace.Reads
		}
	}
	return op
}

// waitsForReaders reports whether somebody locks mutex m for writing.
func (t *toy) waitsForReaders(m int8) bool {
	return slices.ContainsFunc(t.prog, func(code []instr) bool {
		return slices.ContainsFunc(code, func(i instr) bool { return i.op == tLock && i.a == m })
	})
}

func (t *toy) parked() (gs []int) {
	for g := range t.prog {
		if t.waiting[g] && !t.signal[g] {
			gs = append(gs, g)
		}
	}
	return gs
}

func (t *toy) Alternatives(g trace.GID) int {
	if i, ok := t.at(int(g)); ok {
		switch i.op {
		case tChoose:
			return int(i.a)
		case tSignal:
			return max(1, len(t.parked()))
		}
	}
	return 1
}

func (t *toy) Step(gid trace.GID, choice int) {
	g := int(gid)
	if t.over != Running || !t.can(g) {
		panic("toy: step of a goroutine that is not enabled")
	}
	if choice < 0 || choice >= t.Alternatives(gid) {
		panic("toy: no such choice")
	}
	i, ok := t.at(g)
	t.launched = 0
	t.pc[g]++
	if !ok {
		return
	}
	switch i.op {
	case tRead:
		t.reg[g] = t.vars[i.a]
	case tWrite:
		t.vars[i.a] = i.b
	case tWriteReg:
		t.vars[i.a] = t.reg[g]
	case tLoad:
		t.reg[g] = t.atomics[i.a]
	case tStore:
		t.atomics[i.a] = i.b
	case tAdd:
		t.atomics[i.a] += i.b
	case tLock:
		t.mutex[i.a] = 1
	case tTryLock:
		t.reg[g] = 0
		if t.mutex[i.a] == 0 && t.readers[i.a] == 0 {
			t.mutex[i.a], t.reg[g] = 1, 1
		}
	case tUnlock:
		if t.mutex[i.a] == 0 {
			t.crash(g)
			return
		}
		t.mutex[i.a] = 0
	case tRLock:
		t.readers[i.a]++
	case tRUnlock:
		if t.readers[i.a] == 0 {
			t.crash(g)
			return
		}
		t.readers[i.a]--
	case tGo:
		t.started[i.a], t.launched = true, int(i.a)
		t.local(int(i.a))
	case tWgAdd:
		t.wg += i.a
		if t.wg < 0 {
			t.crash(g)
			return
		}
	case tWait:
		if t.signal[g] {
			t.waiting[g], t.signal[g] = false, false
		} else {
			t.waiting[g] = true
			t.pc[g]--
			return
		}
	case tSignal:
		if p := t.parked(); len(p) > 0 {
			t.signal[p[choice]] = true
		}
	case tChoose:
		t.reg[g] = int8(choice)
	case tOutput, tOutReg:
		x := i.a
		if i.op == tOutReg {
			x = t.reg[g]
		}
		if t.nout < toyOut {
			t.out[t.nout] = x
			t.nout++
		}
	case tAssume:
		if t.reg[g] == 0 {
			t.over = Cut
		}
	case tExit:
		t.over = Ended
	}
	t.local(g)
}

// crash ends the program at g's last instruction.
func (t *toy) crash(g int) {
	t.over, t.fault = Ended, int8(g)+1
}

func (t *toy) Mark() Mark {
	t.marks = append(t.marks, t.toyState)
	return Mark(len(t.marks) - 1)
}

func (t *toy) Rewind(m Mark) {
	if int(m) != len(t.marks)-1 {
		panic("toy: marks out of order")
	}
	t.toyState = t.marks[m]
}

func (t *toy) Release(m Mark) {
	if int(m) != len(t.marks)-1 {
		panic("toy: marks out of order")
	}
	t.marks = t.marks[:m]
}

func (t *toy) encode() string {
	s := t.toyState
	if t.ignoreOutput {
		s.out, s.nout = [toyOut]int8{}, 0
	}
	if t.renumber != nil {
		t.renumber(&s)
	}
	return fmt.Sprint(s)
}

func (t *toy) Hash() Hash {
	var h Hash
	a := fnv.New64a()
	s := t.encode()
	a.Write([]byte(s))
	h[0] = a.Sum64()
	b := fnv.New64()
	b.Write([]byte(s))
	h[1] = b.Sum64()
	return h
}

func (t *toy) Status() Status {
	if t.over != Running {
		return t.over
	}
	if len(t.Enabled(nil)) > 0 {
		return Running
	}
	for g := range t.prog {
		if t.started[g] && !t.ended(g) {
			return Stuck
		}
	}
	return Ended
}

// ending tells a leaf in words: what another observer could tell of the execution.
func (t *toy) ending() string {
	s := t.toyState
	if t.over == Ended {
		// The program is gone with its memory.
		return fmt.Sprintf("exit fault=%d at %v out=%v", s.fault, faultPC(&s), s.out[:s.nout])
	}
	return fmt.Sprintf("%v %v", t.Status(), t.encode())
}

func faultPC(s *toyState) int8 {
	if s.fault == 0 {
		return 0
	}
	return s.pc[s.fault-1]
}

// findings collects what a search reports, in a form that is equal for equal sets.
type findings struct {
	toy      *toy
	leaves   map[string]int
	races    map[string]bool
	livelock [][]trace.Step // the loops
	paths    map[string]bool
	restarts int
	check    func(path trace.Schedule)
	stopAt   int // leaves after which to stop; 0: never
}

func newFindings(t *toy) *findings {
	return &findings{toy: t, leaves: map[string]int{}, races: map[string]bool{}, paths: map[string]bool{}}
}

func (f *findings) Leaf(path trace.Schedule, st Status) bool {
	if st != Running && st != f.toy.Status() {
		panic("leaf: wrong status")
	}
	if f.check != nil {
		f.check(path)
	}
	if st == Ended || st == Stuck {
		f.leaves[f.toy.ending()]++
	}
	f.stopAt--
	return f.stopAt != 0
}

func (f *findings) Race(path trace.Schedule, a, b trace.Op) bool {
	if f.check != nil {
		f.check(path)
	}
	f.races[raceName(a, b)] = true
	return true
}

func raceName(a, b trace.Op) string {
	if b.G < a.G {
		a, b = b, a
	}
	return fmt.Sprintf("g%d@%d-g%d@%d", a.G, a.PC, b.G, b.PC)
}

func (f *findings) Livelock(path trace.Schedule, loop int) bool {
	if f.check != nil {
		f.check(path)
	}
	f.livelock = append(f.livelock, slices.Clone(path[loop:]))
	return true
}

func (f *findings) Restart() { f.leaves, f.restarts = map[string]int{}, f.restarts+1 }

func keys[V any](m map[string]V) []string {
	ks := make([]string, 0, len(m))
	for k := range m {
		ks = append(ks, k)
	}
	slices.Sort(ks)
	return ks
}

// randomToy makes a program of ng goroutines. One in four stresses one kind of
// synchronisation.
func randomToy(r *rand.Rand, ng, size int, loops bool) *toy {
	ops := []toyOp{tRead, tWrite, tWriteReg, tRead, tWrite, tLoad, tStore, tAdd, tOutput, tOutReg, tChoose, tSignal, tYield}
	some := []toyOp{tWgAdd, tWgWait, tWait, tAssume}
	rare := []toyOp{tTryLock, tUnlock, tExit, tRUnlock}
	stressed := true
	switch r.IntN(8) {
	case 0:
		some = []toyOp{tWgAdd, tWgWait}
	case 1:
		some = []toyOp{tWait, tSignal, tSignal}
	default:
		stressed = false
	}
	prog := make([][]instr, ng)
	next := 1 // goroutine to start next
	for g := range prog {
		var code []instr
		for len(code) < 1+r.IntN(size) {
			v := int8(r.IntN(toyVars))
			switch k := r.IntN(20); {
			case stressed && k%2 == 0:
				code = append(code, randomInstr(r, some))
			case k < 4: // critical section
				m := int8(r.IntN(2))
				lock, unlock := tLock, tUnlock
				if r.IntN(3) == 0 {
					lock, unlock = tRLock, tRUnlock
				}
				code = append(code, instr{op: lock, a: m})
				for range r.IntN(3) {
					code = append(code, randomInstr(r, ops[:6+r.IntN(3)]))
				}
				code = append(code, instr{op: unlock, a: m})
			case k == 4 && r.IntN(3) == 0:
				code = append(code, randomInstr(r, rare))
			case k == 4:
				code = append(code, randomInstr(r, some))
			case k == 5 && loops: // spin until atomics[v] == b
				at := int8(len(code))
				code = append(code, instr{op: tLoad, a: v}, instr{op: tJump, a: at, b: int8(r.IntN(2))})
			case k == 6 && loops: // loop around a choice
				at := int8(len(code))
				code = append(code, instr{op: tChoose, a: 2}, instr{op: tJump, a: at, b: 0})
			case k == 7: // skip something
				code = append(code, instr{op: tJump, a: int8(len(code) + 2), b: int8(r.IntN(2))})
				code = append(code, randomInstr(r, ops))
			case k < 11 && next < ng:
				code = append(code, instr{op: tGo, a: int8(next)})
				next++
			default:
				code = append(code, randomInstr(r, ops))
			}
		}
		prog[g] = code
	}
	for next < ng { // everybody is started
		prog[0] = slices.Insert(prog[0], 0, instr{op: tGo, a: int8(next)})
		for i := range prog[0] {
			if prog[0][i].op == tJump {
				prog[0][i].a++
			}
		}
		next++
	}
	return newToy(prog...)
}

func randomInstr(r *rand.Rand, ops []toyOp) instr {
	i := instr{op: ops[r.IntN(len(ops))], a: int8(r.IntN(toyVars)), b: int8(r.IntN(3))}
	switch i.op {
	case tLock, tTryLock, tUnlock, tRLock, tRUnlock:
		i.a = int8(r.IntN(2))
	case tWgAdd:
		i.a = int8(r.IntN(3) - 1)
	case tChoose:
		i.a = int8(1 + r.IntN(2))
	case tAdd:
		i.b = 1
	}
	return i
}
