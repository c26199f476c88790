package shadow

import (
	"maps"
	"slices"
)

// Labels in copies of machines (vm/state_base.go): initialisers may draw, too.

// CanBeCopied reports whether s has only labels.
func (s *Symbols) CanBeCopied() bool {
	return s.Drawn && len(s.path)+len(s.inputs)+len(s.lengths) == 0 && s.after.what == nothing
}

// Copy returns s for a copy of its machine, which has an empty undo log. Both share terms and labels,
// because these are immutable.
func (s *Symbols) Copy(h Host) *Symbols {
	c := &Symbols{ctx: s.ctx.Clone(), Drawn: s.Drawn, rates: slices.Clone(s.rates), held: s.held, unscanned: s.unscanned,
		packed: maps.Clone(s.packed), texts: maps.Clone(s.texts), labels: maps.Clone(s.labels), names: slices.Clone(s.names), served: slices.Clone(s.served),
		memory: make(map[uint32][]cell)}
	for obj, cells := range s.memory {
		c.memory[obj] = slices.Clone(cells)
	}
	c.attach(h)
	return c
}
