package vm

import (
	"maps"
	"slices"
)

// Labels in copies of machines (state_base.go): initialisers may draw, too.

// canBeCopied reports whether s has nothing but labels.
func (s *symbols) canBeCopied() bool {
	return s.drawn && len(s.path)+len(s.inputs)+len(s.lengths) == 0 && s.after.what == nothing
}

// copy returns s for a copy of its machine, which has an empty undo log. Terms never change, and what a label
// stands for does not either, so that both have the same ones.
func (s *symbols) copy(m *Machine) *symbols {
	c := &symbols{m: m, ctx: s.ctx.Clone(), drawn: s.drawn, rates: slices.Clone(s.rates), held: s.held, unscanned: s.unscanned,
		packed: maps.Clone(s.packed), texts: maps.Clone(s.texts), labels: maps.Clone(s.labels), memory: make(map[uint32][]cell)}
	for obj, cells := range s.memory {
		c.memory[obj] = slices.Clone(cells)
	}
	c.global.init(c)
	c.own.init(c)
	return c
}
