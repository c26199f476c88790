package shadow

import (
	"fmt"
	"hash/fnv"

	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
)

// Names. A number in which goroutines of one go statement differ may be a name: the program copies it and
// asks whether it equals another name, and nothing else. It has a label as drawn values have, and the rule
// that any other use is a look (vm/state_names.go has the claims). So a name is a label of a whole word,
// and nothing that is computed from a name is one.

// A Name is a number used as a name. Names of different classes are never compared.
type Name struct {
	Class uint64 // hash of the go statement and the place among its arguments
	Value uint64
}

// Name returns the label of the name v of the class of d, and the number of the name in s.
func (s *Symbols) Name(d Draw, v uint64) (t *symbolic.Term, i uint32) {
	h := fnv.New64a()
	fmt.Fprintf(h, "name %s:%d:%d", d.Pos.Filename, d.Pos.Line, d.Pos.Column)
	n := Name{h.Sum64(), v}
	fmt.Fprintf(h, " %d", v)
	t = s.ctx.Var(h.Sum64(), 64, "drawn")
	if known := s.labels[t]; known != nil {
		return t, known.name - 1
	}
	if s.labels == nil {
		s.labels = map[*symbolic.Term]*drawn{}
	}
	s.names = append(s.names, n)
	s.labels[t] = &drawn{draws: []Draw{d}, name: uint32(len(s.names))}
	return t, uint32(len(s.names)) - 1
}

// NameAt returns the name with number i.
func (s *Symbols) NameAt(i uint32) Name { return s.names[i] }

// NameOf returns the number of the name whose label is t, which may be nil.
func (s *Symbols) NameOf(t *symbolic.Term) (i uint32, ok bool) {
	if t == nil || len(s.names) == 0 {
		return 0, false
	}
	d := s.labels[t]
	if d == nil || d.name == 0 {
		return 0, false
	}
	return d.name - 1, true
}

// HasNames reports whether there have been names on any path.
func (s *Symbols) HasNames() bool { return s != nil && len(s.names) > 0 }

// Named calls f for the words of an object that are names.
func (s *Symbols) Named(obj uint32, f func(off, name uint32)) {
	for _, c := range s.memory[obj] {
		if i, ok := s.NameOf(c.term); ok {
			f(c.off, i)
		}
	}
}

// Depends reports whether t, which may be nil, is the label of a name, or of a word that depends on names.
func (s *Symbols) Depends(t *symbolic.Term) bool {
	if !s.special(t) {
		return false
	}
	_, ok := s.labels[t].kindOf(s)
	return ok
}

// KindOf returns a hash of label t that does not depend on which name it refers to.
func (s *Symbols) KindOf(t *symbolic.Term) uint64 { return s.hashOf(t)[0] }

// RefersTo returns the name that a word with label t is, or whose element it is the address of.
func (s *Symbols) RefersTo(t *symbolic.Term) (i uint32, ok bool) {
	d := s.labels[t]
	switch {
	case d == nil:
		return 0, false
	case d.name != 0:
		return d.name - 1, true
	}
	return d.in - 1, d.in != 0
}

// hashOf returns the hash of a term or label in fingerprints. Bits are written besides it; so the label of
// a name stands for its class only.
func (s *Symbols) hashOf(t *symbolic.Term) symbolic.Hash {
	if s.special(t) {
		if kind, ok := s.labels[t].kindOf(s); ok {
			return symbolic.Hash{kind, 1}
		}
	}
	return t.Hash()
}

// sameClass reports whether both labels are those of names of one class.
func (s *Symbols) sameClass(x, y *symbolic.Term) bool {
	i, isX := s.NameOf(x)
	k, isY := s.NameOf(y)
	return isX && isY && s.names[i].Class == s.names[k].Class
}

// equated reports whether op asks whether two names are equal.
func (s *Symbols) equated(op bytecode.Op, x, y *symbolic.Term) bool {
	return (op == bytecode.Eq || op == bytecode.Ne) && s.sameClass(x, y)
}

// namesKey reports whether an operation on a map of that type, with the key in register key, only asks
// which names are equal: the key is a name, and so are all keys of the map, of the same class. Otherwise it
// looks at the map's keys.
func (s *Symbols) namesKey(g *Goroutine, key uint16, typ uint32, mp heap.Ptr) bool {
	if len(s.names) == 0 {
		return false
	}
	t := g.Shadow[g.FP+uint32(key)]
	_, named := s.NameOf(t)
	keys, size := s.m.KeysAt(typ, mp)
	if size != 8 {
		return false
	}
	all := named
	for _, p := range keys {
		k := s.at(p, size)
		//mutant: names are found among numbers [test ./vm TestNamedEnds]: "!s.sameClass(t, k)" -> "!s.sameClass(t, k) && k != nil"
		if !s.sameClass(t, k) {
			all = false
			//mutant: a number is no name that is a key [test ./vm TestNamedEnds]
			s.Look(k)
		}
	}
	return all
}

// StoreName is StoreRegs for the key of a map in register i, if it is a name.
func (s *Symbols) StoreName(g *Goroutine, i uint32, p heap.Ptr) {
	if s == nil || !*s.tracking || !s.Drawn {
		return
	}
	if _, ok := s.NameOf(g.Shadow[g.FP+i]); ok {
		//mutant: keys of maps have no names [equalOnes]
		s.StoreRegs(g, i, p, 8)
	}
}

// SetName makes t the label of register i, a new name.
func (s *Symbols) SetName(g *Goroutine, i uint32, t *symbolic.Term) {
	g.Shadow[g.FP+i] = t
	g.Clean = NoneClean
}

// IsNamed reports whether the word of an object at off is a name.
func (s *Symbols) IsNamed(obj, off uint32) bool {
	over := s.Overlaps(obj, off, 8)
	if len(over) != 1 || over[0].off != off {
		return false
	}
	_, ok := s.NameOf(over[0].term)
	return ok
}
