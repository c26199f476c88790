package compile

import (
	"go/types"
	"math"

	"golang.org/x/tools/go/ssa"
)

// HugeObject is the reason for refusing a variable of 2 GB or more: the machine has no objects of this
// size. Code that uses one is refused where it is reached; functions that only mention its type run.
const HugeObject = "an object of more than 2 GB"

// usesHuge reports whether a value too large for the machine is the result or an operand of i.
func (c *compiler) usesHuge(i ssa.Instruction) bool {
	if v, ok := i.(ssa.Value); ok && c.l.Layout(v.Type()).Huge {
		return true
	}
	for _, op := range i.Operands(nil) {
		if *op == nil {
			continue
		}
		switch (*op).(type) {
		case *ssa.Builtin, *ssa.Range:
			continue
		}
		if c.l.Layout((*op).Type()).Huge {
			return true
		}
	}
	return false
}

// countable refuses to index or slice an array of more elements than fit in the instruction.
// The elements of such an array have no size, or it could not exist.
func (c *compiler) countable(a *types.Array) {
	if a.Len() > math.MaxUint32 || c.l.Layout(a.Elem()).Huge {
		c.unsupported("an array of 2^32 elements or more")
	}
}

// elementsAt returns the number of elements that can be indexed through a pointer to an array of type a.
//
// A pointer to an array that cannot exist comes from unsafe: (*[1 << 40]byte)(p)[:n:n]. The object to which
// it points has fewer than 2^32 bytes, so greater indices are errors anyway.
func (c *compiler) elementsAt(a *types.Array) uint64 {
	if a.Len() > math.MaxUint32 && c.l.Layout(a.Elem()).Size > 0 && !c.l.Layout(a.Elem()).Huge {
		return math.MaxUint32
	}
	c.countable(a)
	return uint64(a.Len())
}
