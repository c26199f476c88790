package toys

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// A System is a program and its current state. It is a por.System, and a por.Effects.
type System struct {
	Prog [][]Instr // by goroutine
	State
	Marks []State

	launched int // the goroutine the last step has started; 0: none

	Renumber     func(s *State) // canonical renaming for the hash, if any
	IgnoreOutput bool           // the hash leaves out the output
	Timed        bool           // a Yield depends on all, like a step with which time passes
}

const (
	// NumVars is the number of variables, and of atomic variables.
	NumVars = 3
	// MaxInput is the largest value of an input. There are as many inputs as variables.
	MaxInput = 3
	// MaxGoroutines is the largest number of goroutines of a program.
	MaxGoroutines = 4
	maxOutputs    = 6
)

// State is everything that changes. It is comparable and copied by value.
type State struct {
	Vars    [NumVars]int8
	Atomics [NumVars]int8
	mutex   [2]int8 // 0 free, else 1: locked
	readers [2]int8
	wg      int8
	waiting [MaxGoroutines]bool // parked in condwait
	signal  [MaxGoroutines]bool // signalled
	started [MaxGoroutines]bool
	Pc      [MaxGoroutines]int8
	Reg     [MaxGoroutines]int8
	Out     [maxOutputs]int8
	nout    int8
	inputs  uint64     // bit a+4*b+16*c: the inputs may be a, b and c, after all decisions
	over    por.Status // Ended after exit or crash, Cut after a failed assumption
	fault   int8       // position of the crash, or 0

	now, debt int8 // the clock: see sleeping.go
}

// Instr is an instruction with its operands.
type Instr struct {
	Op   OpCode
	A, B int8
}

// OpCode is the operation of an instruction.
type OpCode uint8

// The instructions.
const (
	Read     OpCode = iota // reg = vars[a]
	Write                  // vars[a] = b
	WriteReg               // vars[a] = reg
	Inc                    // local: reg++
	Load                   // reg = atomics[a]
	Store                  // atomics[a] = b
	Add                    // atomics[a] += b
	Lock
	TryLock // reg = 1 if locked
	Unlock
	RLock
	RUnlock
	Go     // start goroutine a
	WgAdd  // wg += a
	WgWait // until wg == 0
	Wait   // park until signalled
	Signal // wake one of the parked
	Choose // reg = 0..a-1
	Output // print a
	OutReg // print reg
	Assume // reg != 0 or cut
	Jump   // local: pc = a if reg == b
	Yield
	Exit // end the program
	// Branch is a branch on unknown inputs: reg = 1 if inputs[a] < b, or (b < 0) inputs[a] < inputs[-1-b],
	// else 0. Both outcomes are alternatives; an outcome that contradicts earlier ones cuts the execution.
	Branch
	Pick    // reg = inputs[a], each value an alternative
	Inspect // reg = a number that encodes the positions of the others
	Sleep   // until a: see sleeping.go
	numOpCodes
)

var opNames = [numOpCodes]string{"read", "write", "writereg", "inc", "load", "store", "add", "lock", "trylock", "unlock", "rlock", "runlock",
	"go", "wgadd", "wgwait", "wait", "signal", "choose", "output", "outreg", "assume", "jump", "yield", "exit", "branch", "pick", "inspect", "sleep"}

var opKinds = [numOpCodes]trace.Kind{Read: trace.Read, Write: trace.Write, WriteReg: trace.Write, Load: trace.AtomicLoad,
	Store: trace.AtomicStore, Add: trace.AtomicRMW, Lock: trace.Lock, TryLock: trace.TryLock, Unlock: trace.Unlock,
	RLock: trace.RLock, RUnlock: trace.RUnlock, Go: trace.Go, WgAdd: trace.WgAdd, WgWait: trace.WgWait, Wait: trace.CondWait,
	Signal: trace.Signal, Choose: trace.Choose, Output: trace.Output, OutReg: trace.Output, Assume: trace.SyncAccess,
	Yield: trace.Yield, Exit: trace.Exit, Branch: trace.Branch, Pick: trace.Branch, Inspect: trace.Inspect, Sleep: trace.Sleep}

// String returns the instruction as the program text has it.
func (i Instr) String() string { return fmt.Sprintf("%s %d %d", opNames[i.Op], i.A, i.B) }

// Program returns the program's text.
func (t *System) Program() string {
	var b strings.Builder
	for g, code := range t.Prog {
		fmt.Fprintf(&b, "g%d: %v\n", g, code)
	}
	return b.String()
}

// New returns a system in the initial state of a program.
func New(prog ...[]Instr) *System {
	t := &System{Prog: prog}
	t.inputs = ^uint64(0)
	t.started[0] = true
	t.local(0)
	return t
}

// local runs g's invisible instructions.
func (t *System) local(g int) {
	for int(t.Pc[g]) < len(t.Prog[g]) {
		switch i := t.Prog[g][t.Pc[g]]; i.Op {
		case Inc:
			t.Reg[g]++
			t.Pc[g]++
		case Jump:
			t.Pc[g]++
			if t.Reg[g] == i.B {
				t.Pc[g] = i.A
			}
		default:
			return
		}
	}
}

// at returns g's next instruction; false if there is none.
func (t *System) at(g int) (Instr, bool) {
	if int(t.Pc[g]) < len(t.Prog[g]) {
		return t.Prog[g][t.Pc[g]], true
	}
	return Instr{}, false
}

// ended reports whether g has executed its End, which comes after the last instruction.
func (t *System) ended(g int) bool { return int(t.Pc[g]) > len(t.Prog[g]) }

// CanMove reports whether g is enabled, as long as the program has not ended.
func (t *System) CanMove(g int) bool {
	if !t.started[g] || t.ended(g) {
		return false
	}
	i, ok := t.at(g)
	if !ok {
		return true
	}
	switch i.Op {
	case Lock:
		return t.mutex[i.A] == 0 && t.readers[i.A] == 0
	case RLock:
		return t.mutex[i.A] == 0
	case WgWait:
		return t.wg == 0
	case Wait:
		return !t.waiting[g] || t.signal[g]
	case Sleep:
		return t.wakes(i.A)
	}
	return true
}

// Enabled implements por.System.
func (t *System) Enabled(buf []trace.GID) []trace.GID {
	for g := range t.Prog {
		if t.over == por.Running && t.CanMove(g) {
			buf = append(buf, trace.GID(g))
		}
	}
	return buf
}

// Next implements por.System.
func (t *System) Next(gid trace.GID) trace.Op {
	g := int(gid)
	op := trace.Op{G: gid, Func: uint32(g), PC: uint32(t.Pc[g])}
	i, ok := t.at(g)
	switch {
	case t.fault == int8(g)+1:
		op.Kind = trace.Crash
	case !t.started[g] || t.ended(g):
		op.Kind = trace.None
	case !ok:
		op.Kind = trace.End
	default:
		op.Kind = opKinds[i.Op]
		switch {
		case i.Op == Wait && t.signal[g]:
			op.Kind = trace.WakeLock
		case i.Op == Wait && !t.waiting[g]:
			op.Kind = trace.Park
		}
		op.N = uint8(copy(op.Access[:], t.Touches(gid, nil)))
		switch {
		case i.Op == Add:
			op.Commutes = trace.Increments
		case t.lockedForWriting(i.A): // unlike in Go, they disable it
		case i.Op == RLock, i.Op == RUnlock && t.readers[i.A] > 0:
			op.Commutes = trace.Reads
		}
	}
	return op
}

// lockedForWriting reports whether some goroutine locks mutex m for writing.
func (t *System) lockedForWriting(m int8) bool {
	return slices.ContainsFunc(t.Prog, func(code []Instr) bool {
		return slices.ContainsFunc(code, func(i Instr) bool { return i.Op == Lock && i.A == m })
	})
}

// parked lists the goroutines that wait to be signalled.
func (t *System) parked() (gs []int) {
	for g := range t.Prog {
		if t.waiting[g] && !t.signal[g] {
			gs = append(gs, g)
		}
	}
	return gs
}

// Alternatives implements por.System.
func (t *System) Alternatives(g trace.GID) int {
	if i, ok := t.at(int(g)); ok {
		switch i.Op {
		case Choose:
			return int(i.A)
		case Branch:
			return 2
		case Pick:
			return MaxInput + 1
		case Signal:
			return max(1, len(t.parked()))
		}
	}
	return 1
}

// Step implements por.System.
func (t *System) Step(gid trace.GID, choice int) {
	g := int(gid)
	if t.over != por.Running || !t.CanMove(g) {
		panic("toy: step of a goroutine that is not enabled")
	}
	if choice < 0 || choice >= t.Alternatives(gid) {
		panic("toy: no such choice")
	}
	i, ok := t.at(g)
	t.launched = 0
	t.Pc[g]++
	if !ok {
		return
	}
	switch i.Op {
	case Read:
		t.Reg[g] = t.Vars[i.A]
	case Write:
		t.Vars[i.A] = i.B
	case WriteReg:
		t.Vars[i.A] = t.Reg[g]
	case Load:
		t.Reg[g] = t.Atomics[i.A]
	case Store:
		t.Atomics[i.A] = i.B
	case Add:
		t.Atomics[i.A] += i.B
	case Lock:
		t.mutex[i.A] = 1
	case TryLock:
		t.Reg[g] = 0
		if t.mutex[i.A] == 0 && t.readers[i.A] == 0 {
			t.mutex[i.A], t.Reg[g] = 1, 1
		}
	case Unlock:
		if t.mutex[i.A] == 0 {
			t.crash(g)
			return
		}
		t.mutex[i.A] = 0
	case RLock:
		t.readers[i.A]++
	case RUnlock:
		if t.readers[i.A] == 0 {
			t.crash(g)
			return
		}
		t.readers[i.A]--
	case Go:
		t.started[i.A], t.launched = true, int(i.A)
		t.local(int(i.A))
	case WgAdd:
		t.wg += i.A
		if t.wg < 0 {
			t.crash(g)
			return
		}
	case Wait:
		if t.signal[g] {
			t.waiting[g], t.signal[g] = false, false
		} else {
			t.waiting[g] = true
			t.Pc[g]--
			return
		}
	case Signal:
		if p := t.parked(); len(p) > 0 {
			t.signal[p[choice]] = true
		}
	case Inspect:
		t.Reg[g] = 0
		for q, pc := range t.Pc {
			if q != g {
				t.Reg[g] = (3*t.Reg[g] + pc) % 16
			}
		}
	case Choose:
		t.Reg[g] = int8(choice)
	case Branch, Pick:
		t.Reg[g] = int8(choice)
		if t.inputs &= i.holdsFor(choice); t.inputs == 0 {
			t.over = por.Cut
		}
	case Output, OutReg:
		x := i.A
		if i.Op == OutReg {
			x = t.Reg[g]
		}
		if t.nout < maxOutputs {
			t.Out[t.nout] = x
			t.nout++
		}
	case Assume:
		if t.Reg[g] == 0 {
			t.over = por.Cut
		}
	case Exit:
		t.over = por.Ended
	case Sleep:
		t.pass(i.A)
	}
	t.local(g)
}

// holdsFor returns the inputs for which a branch has the outcome choice.
func (i Instr) holdsFor(choice int) uint64 {
	if i.Op == Pick {
		return less[i.A][choice+1] &^ less[i.A][choice]
	}
	set := uint64(0)
	if i.B >= 0 {
		set = less[i.A][i.B]
	} else {
		for x := range int8(MaxInput + 1) {
			set |= less[i.A][x+1] &^ less[i.A][x] &^ less[-1-i.B][x+1]
		}
	}
	if choice == 0 {
		return ^set
	}
	return set
}

// less is the set of inputs in which a certain input is less than a number.
var less = func() (table [NumVars][MaxInput + 2]uint64) {
	for all := range 64 {
		for a, x := range [NumVars]int{all % 4, all / 4 % 4, all / 16} {
			for limit := x + 1; limit < len(table[a]); limit++ {
				table[a][limit] |= 1 << all
			}
		}
	}
	return table
}()

// Contradicted implements por.Constrained.
func (s State) Contradicted() bool { return s.inputs == 0 }

// crash ends the program at g's last instruction.
func (t *System) crash(g int) {
	t.over, t.fault = por.Ended, int8(g)+1
}

// Mark implements por.System.
func (t *System) Mark() por.Mark {
	t.Marks = append(t.Marks, t.State)
	return por.Mark(len(t.Marks) - 1)
}

// Rewind implements por.System.
func (t *System) Rewind(m por.Mark) {
	if int(m) != len(t.Marks)-1 {
		panic("toy: marks out of order")
	}
	t.State = t.Marks[m]
}

// Release implements por.System.
func (t *System) Release(m por.Mark) {
	if int(m) != len(t.Marks)-1 {
		panic("toy: marks out of order")
	}
	t.Marks = t.Marks[:m]
}

// canonical returns the state, equal for states that need not be distinguished.
func (t *System) canonical() State {
	s := t.State
	if t.IgnoreOutput {
		s.Out, s.nout = [maxOutputs]int8{}, 0
	}
	if t.Renumber != nil {
		t.Renumber(&s)
	}
	return s
}

// encode returns the canonical state as text.
func (t *System) encode() string { return fmt.Sprint(t.canonical()) }

// Hash implements por.System.
func (t *System) Hash() por.Hash {
	var h por.Hash
	a := fnv.New64a()
	s := t.encode()
	a.Write([]byte(s))
	h[0] = a.Sum64()
	b := fnv.New64()
	b.Write([]byte(s))
	h[1] = b.Sum64()
	return h
}

// Status implements por.System.
func (t *System) Status() por.Status {
	if t.over != por.Running {
		return t.over
	}
	if len(t.Enabled(nil)) > 0 {
		return por.Running
	}
	for g := range t.Prog {
		if t.started[g] && !t.ended(g) {
			return por.Stuck
		}
	}
	return por.Ended
}

// Ending returns what an observer can notice of how the execution ended.
func (t *System) Ending() string {
	s := t.State
	if t.over == por.Ended {
		// The program has ended, and its memory is lost.
		return fmt.Sprintf("exit fault=%d at %v out=%v", s.fault, faultPC(&s), s.Out[:s.nout])
	}
	return fmt.Sprintf("%v %v", t.Status(), t.encode())
}

// faultPC returns where the program has crashed.
func faultPC(s *State) int8 {
	if s.fault == 0 {
		return 0
	}
	return s.Pc[s.fault-1]
}
