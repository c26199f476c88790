package compile

import (
	"go/types"
	"math"

	"golang.org/x/tools/go/ssa"
)

// HugeObject says that a variable would have 2 GB or more, which the machine has no objects for.
// Code that uses one is refused where it is reached, and functions that only mention its type run.
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

// countable refuses what indexes or slices an array of more elements than fit in the instruction.
// Such an array has elements of no size, or it could not exist.
func (c *compiler) countable(a *types.Array) {
	if a.Len() > math.MaxUint32 || c.l.Layout(a.Elem()).Huge {
		c.unsupported("an array of 2^32 elements or more")
	}
}
