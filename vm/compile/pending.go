package compile

import (
	"math"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Live registers at possibly pending operations. Only live registers are part of a state, so
// states that differ only in values that are never read again are one:
//
//	x := f()         a goroutine that is pending at the lock has x live
//	mu.Lock()
//	use(x)
//	mu.Unlock()      here x is not live: states that differ only in x are equal from here on

// liveList holds the registers live before and after an instruction (results excluded).
type liveList struct{ before, after []uint16 }

// liveLists computes, backwards, the live registers around b's instructions.
// In the first pass, which assigns no registers to its window yet, the lists are empty; its code is
// discarded.
//
// live.go computes the sets at the ends of blocks; liveLists computes those within b from them.
func (c *compiler) liveLists(b *ssa.BasicBlock) []liveList {
	lists := make([]liveList, len(b.Instrs))
	if c.window == math.MaxInt16 {
		return lists
	}
	live := newBitset(len(c.lv.values))
	live.copyFrom(c.lv.liveOut[b])
	for _, id := range c.lv.always {
		live.add(id)
	}
	for i := len(b.Instrs) - 1; i >= 0; i-- {
		e := &c.lv.effects[b.Index][i]
		for _, id := range e.defs {
			live.remove(int(id))
		}
		if e.idle {
			continue
		}
		// Only operations that may be pending need a list.
		pending := c.mayBePending(b.Instrs[i])
		if pending {
			lists[i].after = c.regList(live)
		}
		for _, id := range e.uses {
			live.add(int(id))
		}
		if pending {
			lists[i].before = c.regList(live)
		}
	}
	return lists
}

// mayBePending reports whether instr can be a goroutine's next instruction between two steps.
//
// The list has the instructions that certainly cannot; all others count as possible, which costs
// memory only.
func (c *compiler) mayBePending(instr ssa.Instruction) bool {
	switch v := instr.(type) {
	case *ssa.Alloc, *ssa.FieldAddr, *ssa.Jump, *ssa.Field, *ssa.Extract, *ssa.MakeInterface,
		*ssa.ChangeType, *ssa.ChangeInterface:
		return false
	case *ssa.Return:
		return c.lateDefers
	case *ssa.If:
		return c.isFusedValue(v.Cond)
	}
	return true
}

func (c *compiler) isFusedValue(v ssa.Value) bool { return c.fused[v] }

// regList turns a live set into register numbers with pointer marks.
// Lists that follow each other are often the same, and then they share their memory.
//
// An entry is a register's number shifted left once, with bit 0 set for a pointer.
func (c *compiler) regList(live bitset) []uint16 {
	list := c.listing[:0]
	for w, x := range live {
		for ; x != 0; x &= x - 1 {
			list = append(list, c.regWords[w*64+trailingZeros(x)]...)
		}
	}
	c.listing = list
	if !slices.Equal(list, c.lastLive) {
		c.lastLive = slices.Clone(list)
	}
	return c.lastLive
}

// recordPending records the live registers at the next emitted instruction, for a pending operation.
func (c *compiler) recordPending(extra ...uint16) {
	l := c.before
	if len(extra) > 0 {
		l = append(append([]uint16(nil), l...), extra...)
	}
	c.f.AddLive(len(c.code), l)
}

// recordReturn records the live registers at the next emitted instruction, for the return of a call.
func (c *compiler) recordReturn() { c.f.AddLive(len(c.code), c.after) }
