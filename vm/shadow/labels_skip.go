package shadow

import (
	. "hbcheck.dev/hbcheck/vm/bytecode" //lint:ignore ST1001 as in exec.go
)

// Most operations of a program do not involve drawn values. So the running goroutine records from which word
// of its stack on none has a label (Goroutine.Clean). In a frame above that word, operations on registers
// need no work for labels, and neither do loads and stores of objects without labels.
//
//  1. When Clean is set, all of Shadow from there on is nil (Rescan, entersClean). Words above the top frame
//     belong to no frame, so they may be cleared there.
//  2. Every operation that may give a register the first label resets Clean: natives (SetLabel), loads
//     (finish, LoadRegs), messages from other goroutines (MoveRegs), and deferred calls (Passed). So does
//     an operation in a frame below it, which may move a label. It is computed again when the goroutine next
//     runs, because a rewind may restore labels.
//  3. No word from Reached on has a label, though the stack may be much larger: it is raised to the end of
//     each frame that executes an instruction, of a frame that a rewind leaves, and of words that a rewind
//     restores; only Rescan lowers it. So Rescan clears only words below it.
//  4. A skipped operation would only have set labels to nil that are nil already, without a look.

// NoneClean is the value of Goroutine.Clean if any word may have a label.
const NoneClean = 1<<32 - 1

// care is the effect of an operation on labels where no register has one.
type care uint8

const (
	mayLabel  care = iota // the instruction may set labels or look at them
	registers             // no effect
	loads                 // no effect, unless the object that register B refers to has labels
	stores                // like loads, with register A
)

var cares = func() (t [NumOps]care) {
	for op := range t {
		switch Op(op).Row().Class {
		case Computes, Moves, Jumps, Branches, Compares, ComparesImm, LoadsPart, Returns:
			t[op] = registers
		case Loads, LoadsElem:
			t[op] = loads
		case Stores, StoresElem:
			t[op] = stores
		}
	}
	for _, op := range []Op{Nop, NilChk, Cover, Call, CallC, CallI, Const, ConstI, IMeth, ChkShift, AddPtr, AddPtrL, IdxS, IdxA, RIdx,
		SliceS, SliceStr, SliceA, MapLen, ChanLen, ChanCap} {
		t[op] = registers
	}
	return t
}()

// entersClean reports whether g, in whose frame there may be labels, has just entered a function, and neither
// the arguments nor the words above have labels. Then the frame is clean.
func (s *Symbols) entersClean(g *Goroutine) bool {
	//mutant: frames stay clean when a label is moved into them [env TestFlows]
	g.Clean = NoneClean
	entered := g.FP > s.frame
	s.frame = g.FP
	if !entered || len(g.Shadow)-int(g.FP) > mostScanned || tainted(g.Shadow[g.FP:]) {
		return false
	}
	g.Clean = g.FP
	return true
}

// mostScanned bounds the words that entersClean scans.
const mostScanned = 1024

// rescanAfter is the number of operations after which the registers are scanned for labels again.
const rescanAfter = 256

// indifferent reports whether in needs no work for labels, given that no register of g has one.
func (s *Symbols) indifferent(g *Goroutine, in *Instr) bool {
	switch cares[in.Op] {
	case registers:
		return true
	case loads:
		return !s.mayHold(uint32(*g.Reg(uint32(in.B)) >> 32))
	case stores:
		return !s.mayHold(uint32(*g.Reg(uint32(in.A)) >> 32))
	}
	return false
}

// Rescan finds the words of g that have no label.
func (s *Symbols) Rescan(g *Goroutine) {
	s.unscanned, s.frame = 0, g.FP
	top := g.FP + uint32(g.Fn.Window)
	end := min(int(top), len(g.Shadow))
	//mutant: labels of frames that have ended stay [test ./vm TestLabelsAbove]: "max(end, int(g.Reached))" -> "end"
	clear(g.Shadow[end:min(max(end, int(g.Reached)), len(g.Shadow))])
	g.Reached = top
	if len(s.served) > 0 {
		// A rewind restores only the words that have been saved.
		words := g.Shadow[min(int(s.m.SavedFrom(g)), end):end]
		for i, t := range words {
			//mutant: labels without a purpose stay in registers [test ./vm TestServedLabels]: "s.live(t)" -> "t"
			words[i] = s.live(t)
		}
	}
	n := end
	//mutant: registers have no labels after a while [env TestFlows]: false
	for n > 0 && g.Shadow[n-1] == nil {
		n--
	}
	g.Clean = uint32(n)
}

// mayHold reports whether the memory of an object may have a label: the object has one, or another object
// with the same bit has one.
func (s *Symbols) mayHold(obj uint32) bool {
	//mutant: memory has no labels where registers have none [env TestDraws/TestLookRestedLoad]: false
	return s.held[obj>>6%uint32(len(s.held))]>>(obj&63)&1 != 0
}
