package compile

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Coalescing of phis with their operands (Budimlić et al., PLDI 2002, in the small): a phi and the
// values that flow into it share registers when their live ranges do not interfere. Then the moves
// at the end of a loop's body disappear. In SSA two live ranges interfere iff one value is live
// where the other is defined.

// classes is a union-find over value numbers.
// Classes are small (maxClass), so paths are not compressed. members lists a class at its
// representative; its entries for other values are out of date.
//
// Invariant: no two members of a class interfere, all have the same number of words, and a value
// whose register is fixed (nfixed) is alone in its class.
type classes struct {
	parent  []int
	members [][]int
}

func (k *classes) find(i int) int {
	for k.parent[i] != i {
		i = k.parent[i]
	}
	return i
}

// maxClass bounds the quadratic interference checks.
const maxClass = 16

// coalesce returns the classes of values that are to share registers.
func (c *compiler) coalesce(lv *liveness) *classes {
	n := len(lv.values)
	k := &classes{parent: make([]int, n), members: make([][]int, n)}
	for i := range k.parent {
		k.parent[i] = i
		k.members[i] = []int{i}
	}
	nfix := len(c.fn.Params) + len(c.fn.FreeVars)
	index := c.instrIndex()
	for _, b := range c.blocks {
		for _, instr := range b.Instrs {
			phi, ok := instr.(*ssa.Phi)
			if !ok {
				break
			}
			p, ok := lv.num[phi]
			if !ok || c.words(phi) == 0 {
				continue
			}
			for _, e := range phi.Edges {
				if a, ok := c.alias[e]; ok {
					e = a
				}
				x, ok := lv.num[e]
				if !ok || x < nfix || c.words(e) != c.words(phi) {
					continue
				}
				i, j := k.find(p), k.find(x)
				a, b := k.members[i], k.members[j]
				if i == j || len(a)+len(b) > maxClass || c.interfere(lv, index, a, b) {
					continue
				}
				k.parent[j] = i
				k.members[i] = append(k.members[i], k.members[j]...)
			}
		}
	}
	return k
}

// instrIndex numbers the instructions within their blocks; phis are all 0.
func (c *compiler) instrIndex() map[ssa.Instruction]int {
	m := map[ssa.Instruction]int{}
	for _, b := range c.blocks {
		for i, instr := range b.Instrs {
			if !isPhi(instr) {
				m[instr] = i + 1
			}
		}
	}
	return m
}

func (c *compiler) interfere(lv *liveness, index map[ssa.Instruction]int, a, b []int) bool {
	for _, x := range a {
		for _, y := range b {
			if c.liveAtDef(lv, index, x, y) || c.liveAtDef(lv, index, y, x) {
				return true
			}
		}
	}
	return false
}

// liveAtDef reports whether value u is live right after value v is defined.
// This is the case if u has been defined by then and is read later, in the same block or after its end.
//
// In short: u was defined before v, and is read in the rest of the block or is live at its end.
func (c *compiler) liveAtDef(lv *liveness, index map[ssa.Instruction]int, u, v int) bool {
	def := defInstr(lv.values[v])
	if def == nil {
		return true // parameters
	}
	b := def.Block()
	at := index[def]
	ud := defInstr(lv.values[u])
	if ud != nil && ud.Block() == b && index[ud] > at {
		return false // defined later in the same block
	}
	// Phis of one block are defined together: they interfere if both are used at all.
	if lv.liveOut[b].has(u) && (ud == nil || ud.Block() != b || index[ud] <= at) {
		// u is live at the end of the block, so it is live here, too, if it was defined before.
		if ud == nil || ud.Block() == b || lv.liveIn[b].has(u) {
			return true
		}
	}
	if ud != nil && ud.Block() != b && !lv.liveIn[b].has(u) {
		return false
	}
	// u is not live at the end of the block, so it is live here only if the rest of the block reads it.
	for i, e := range lv.effects[b.Index] {
		if i+1 > at && slices.Contains(e.uses, int32(u)) {
			return true
		}
	}
	return false
}

// defInstr is the instruction that writes v, or nil for parameters.
// A component of a tuple is written by the instruction that makes the tuple, not by its Extract.
func defInstr(v ssa.Value) ssa.Instruction {
	if x, ok := v.(*ssa.Extract); ok {
		v = x.Tuple
	}
	i, _ := v.(ssa.Instruction)
	return i
}
