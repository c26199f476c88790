package toys

import (
	"math/rand/v2"
	"slices"
)

// Random makes a program of ng goroutines. One in four stresses one kind of
// synchronisation.
func Random(r *rand.Rand, ng, size int, loops bool) *System {
	ops := []OpCode{Read, Write, WriteReg, Read, Write, Load, Store, Add, Output, OutReg, Choose, Signal, Yield}
	some := []OpCode{WgAdd, WgWait, Wait, Assume}
	rare := []OpCode{TryLock, Unlock, Exit, RUnlock}
	stressed := true
	switch r.IntN(8) {
	case 0:
		some = []OpCode{WgAdd, WgWait}
	case 1:
		some = []OpCode{Wait, Signal, Signal}
	default:
		stressed = false
	}
	prog := make([][]Instr, ng)
	next := 1 // goroutine to start next
	for g := range prog {
		var code []Instr
		for len(code) < 1+r.IntN(size) {
			v := int8(r.IntN(NumVars))
			switch k := r.IntN(20); {
			case stressed && k%2 == 0:
				code = append(code, RandomInstr(r, some))
			case k < 4: // critical section
				m := int8(r.IntN(2))
				lock, unlock := Lock, Unlock
				if r.IntN(3) == 0 {
					lock, unlock = RLock, RUnlock
				}
				code = append(code, Instr{Op: lock, A: m})
				for range r.IntN(3) {
					code = append(code, RandomInstr(r, ops[:6+r.IntN(3)]))
				}
				code = append(code, Instr{Op: unlock, A: m})
			case k == 4 && r.IntN(3) == 0:
				code = append(code, RandomInstr(r, rare))
			case k == 4:
				code = append(code, RandomInstr(r, some))
			case k == 5 && loops: // spin until atomics[v] == b
				at := int8(len(code))
				code = append(code, Instr{Op: Load, A: v}, Instr{Op: Jump, A: at, B: int8(r.IntN(2))})
			case k == 6 && loops: // loop around a choice
				at := int8(len(code))
				code = append(code, Instr{Op: Choose, A: 2}, Instr{Op: Jump, A: at, B: 0})
			case k == 7: // skip an instruction
				code = append(code, Instr{Op: Jump, A: int8(len(code) + 2), B: int8(r.IntN(2))})
				code = append(code, RandomInstr(r, ops))
			case k < 11 && next < ng:
				code = append(code, Instr{Op: Go, A: int8(next)})
				next++
			default:
				code = append(code, RandomInstr(r, ops))
			}
		}
		prog[g] = code
	}
	for next < ng { // all are started
		prog[0] = slices.Insert(prog[0], 0, Instr{Op: Go, A: int8(next)})
		for i := range prog[0] {
			if prog[0][i].Op == Jump {
				prog[0][i].A++
			}
		}
		next++
	}
	return New(prog...)
}

// Branching makes a program whose goroutines branch on a few inputs. Their decisions contradict each other
// in many ways.
func Branching(r *rand.Rand) *System {
	ops := []OpCode{Load, Store, Store, Add, OutReg}
	switch r.IntN(4) {
	case 0:
		ops = append(ops, TryLock, Choose, WgAdd, WgAdd, WgWait, Assume)
	case 1:
		ops = append(ops, Signal, Signal, Wait, Wait, Choose, Read, Write)
	}
	inputs := 1 + r.IntN(NumVars)
	prog := make([][]Instr, 2+r.IntN(2))
	for g := range prog {
		for range 1 + r.IntN(3) {
			code := prog[g]
			switch k := r.IntN(8); k {
			case 0, 1: // a critical section
				m, lock, unlock := int8(r.IntN(2)), Lock, Unlock
				if r.IntN(4) == 0 {
					lock, unlock = RLock, RUnlock
				}
				code = append(code, Instr{Op: lock, A: m}, RandomInstr(r, ops[:5]), Instr{Op: unlock, A: m})
			case 2, 3:
				code = append(code, RandomInstr(r, ops))
			case 4:
				code = append(code, Instr{Op: Pick, A: int8(r.IntN(inputs))}, RandomInstr(r, ops))
			default:
				b := Instr{Op: Branch, A: int8(r.IntN(inputs)), B: int8(1 + r.IntN(MaxInput))}
				if other := int8(r.IntN(inputs)); other != b.A && k > 5 {
					b.B = -1 - other
				}
				code = append(code, b, Instr{Op: Jump, A: int8(len(code) + 3), B: 0}, RandomInstr(r, ops))
				if r.IntN(2) == 0 { // ... and otherwise
					end := int8(len(code) + 2)
					code[len(code)-2].A++
					code = append(code, Instr{Op: Jump, A: end, B: 1}, RandomInstr(r, ops))
				}
			}
			prog[g] = code
		}
	}
	return Started(prog...)
}

// Commuting makes programs with many dependent operations that commute.
func Commuting(r *rand.Rand) *System {
	prog := make([][]Instr, 2+r.IntN(3))
	ops := []OpCode{Add, Add, Add, Store, Write, Load, OutReg, Read, WriteReg, Jump, Store}
	for g := range prog {
		for n := 1 + r.IntN(4); len(prog[g]) < n; {
			i := Instr{Op: ops[r.IntN(len(ops))], A: int8(r.IntN(2)), B: int8(1 + r.IntN(2))}
			switch i.Op {
			case Add:
				i.B = 1
			case Jump:
				i.A, i.B = int8(len(prog[g])+2), int8(r.IntN(3))
			}
			if r.IntN(5) == 0 {
				prog[g] = append(prog[g], Instr{Op: Lock}, i, Instr{Op: Unlock})
				continue
			}
			prog[g] = append(prog[g], i)
		}
	}
	for g := len(prog) - 1; g > 0; g-- {
		prog[0] = slices.Insert(prog[0], 0, Instr{Op: Go, A: int8(g)})
	}
	for i := range prog[0] {
		if prog[0][i].Op == Jump {
			prog[0][i].A = int8(i + 2)
		}
	}
	return New(prog...)
}

// Forget removes the register of a goroutine from the state once the goroutine has no operation left.
func Forget(toy *System) {
	toy.Renumber = func(s *State) {
		for g, code := range toy.Prog {
			if int(s.Pc[g]) >= len(code) {
				s.Reg[g] = 0
			}
		}
	}
}

// Inspecting makes a program in which goroutines observe where the others are.
func Inspecting(r *rand.Rand) *System {
	t := Random(r, 2+r.IntN(2), 2+r.IntN(3), false)
	for g, code := range t.Prog {
		for i := range code {
			if (code[i].Op == Read || code[i].Op == Load) && r.IntN(2) == 0 {
				code[i] = Instr{Op: Inspect}
			}
		}
		if g > 0 && !t.InspectsAll() {
			t.Prog[g] = append(code, Instr{Op: Inspect}, Instr{Op: OutReg})
		}
	}
	return New(t.Prog...)
}

// MayInspect makes a program in which goroutines observe where the others are if they have read a certain
// value before.
func MayInspect(r *rand.Rand) *System {
	t := Random(r, 2+r.IntN(2), 2+r.IntN(3), false)
	for g, code := range t.Prog {
		if g > 0 && r.IntN(2) == 0 {
			continue
		}
		read := Instr{Op: []OpCode{Read, Load, TryLock}[r.IntN(3)], A: int8(r.IntN(2))}
		end := Instr{Op: Jump, A: int8(len(code) + 4), B: int8(r.IntN(2))}
		t.Prog[g] = append(code, read, end, Instr{Op: Inspect}, Instr{Op: OutReg})
	}
	return New(t.Prog...)
}

// RandomInstr returns an instruction with one of ops, and random operands.
func RandomInstr(r *rand.Rand, ops []OpCode) Instr {
	i := Instr{Op: ops[r.IntN(len(ops))], A: int8(r.IntN(NumVars)), B: int8(r.IntN(3))}
	switch i.Op {
	case Lock, TryLock, Unlock, RLock, RUnlock:
		i.A = int8(r.IntN(2))
	case WgAdd:
		i.A = int8(r.IntN(3) - 1)
	case Choose:
		i.A = int8(1 + r.IntN(2))
	case Add:
		i.B = 1
	}
	return i
}

// Started makes a toy whose goroutines all run from the beginning.
func Started(prog ...[]Instr) *System {
	t := New(prog...)
	for g := range prog {
		t.started[g] = true
		t.local(g)
	}
	return t
}

// Programs, and goroutines of programs.
var (
	// StoreBuffer is the litmus test: each goroutine stores, and loads the other one's variable.
	StoreBuffer = [][]Instr{
		{{Op: Store, A: 0, B: 1}, {Op: Load, A: 1}},
		{{Op: Store, A: 1, B: 1}, {Op: Load, A: 0}},
	}
	// LockInc increments a variable in a critical section.
	LockInc = []Instr{{Op: Lock}, {Op: Read}, {Op: Inc}, {Op: WriteReg}, {Op: Unlock}}
	// RacyInc increments a variable without a lock.
	RacyInc = []Instr{{Op: Read}, {Op: Inc}, {Op: WriteReg}}
	// Crossed takes two mutexes in different orders.
	Crossed = [][]Instr{
		{{Op: Lock, A: 0}, {Op: Lock, A: 1}, {Op: Unlock, A: 1}, {Op: Unlock, A: 0}},
		{{Op: Lock, A: 1}, {Op: Lock, A: 0}, {Op: Unlock, A: 0}, {Op: Unlock, A: 1}},
	}
)

// Spin waits forever for an atomic variable that no goroutine sets.
var Spin = []Instr{{Op: Load}, {Op: Jump, A: 0, B: 0}}
