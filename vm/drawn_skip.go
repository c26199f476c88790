package vm

import (
	. "hbcheck.dev/hbcheck/vm/bytecode" //lint:ignore ST1001 as in symbolic_exec.go
)

// Most of what a program does has nothing to do with what it has drawn. So it is known of the goroutine
// that executes whether a register of it may have a label (goroutine.unlabeled): where none has, an operation
// on registers neither gives nor looks at one, nor does a load or a store where nothing has been labeled.
//
//  1. The whole of shadow is nil when that is set (rescan). Words above the top frame belong to no frame, so
//     that it may be cleared there.
//  2. All that gives a register a label when none has one ends it: natives (setLabel), loads (finish,
//     loadRegs), what another goroutine sends (moveRegs), and deferred calls (passed). It is found out again
//     when the goroutine executes the next time, as going back may bring labels back.
//  3. An operation that is left out then would have set labels to nil that are nil, and looked at none.

// care is what an operation has to do with labels where no register has one.
type care uint8

const (
	mayLabel  care = iota // it may give or look at some
	registers             // nothing
	loads                 // nothing, unless the object that register B refers to has some
	stores                // so, and it is register A
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

// rescanAfter is how many operations are executed before it is asked again whether no register has a label.
const rescanAfter = 256

// indifferent reports whether in has nothing to do with labels. No register of g has one.
func (s *symbols) indifferent(g *goroutine, in *Instr) bool {
	switch cares[in.Op] {
	case registers:
		return true
	case loads:
		return !s.mayHold(uint32(*g.reg(uint32(in.B)) >> 32))
	case stores:
		return !s.mayHold(uint32(*g.reg(uint32(in.A)) >> 32))
	}
	return false
}

// rescan finds out whether no register of g has a label.
func (s *symbols) rescan(g *goroutine) {
	s.unscanned = 0
	top := g.fp + uint32(g.fn.Window)
	clear(g.shadow[min(int(top), len(g.shadow)):])
	//mutant: registers have no labels after a while [env TestFlows]: true
	g.unlabeled = !tainted(g.shadow[:min(int(top), len(g.shadow))])
}

// mayHold reports whether memory of an object may have a label: it has, or another one with the same bit.
func (s *symbols) mayHold(obj uint32) bool {
	//mutant: memory has no labels where registers have none [env TestDraws/TestLookRestedLoad]: false
	return s.held[obj>>6%uint32(len(s.held))]>>(obj&63)&1 != 0
}
