package vm

import (
	"cmp"
	"math"
	"slices"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/static/observable"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/hash"
	"hbcheck.dev/hbcheck/vm/shadow"
)

// Names. Goroutines that differ only in a number are not equal. But they are interchangeable if the program
// uses the number as a name: it only copies the number, and compares two such numbers for equality. (Murphi's
// scalarsets are such types: Ip and Dill 1996. Here no type is declared; the machine notices other uses.)
//
//	for i := range 3 { go p.worker(i) }         worker(id): for j := range p.jobs { p.last[id] = j }
//
//	g1 has 0, g2 has 1, p.last = {0: 7}         the same as
//	g1 has 0, g2 has 1, p.last = {1: 7}         this, with g1 and g2 exchanged, and 0 and 1
//
// A number that a go statement passes to a goroutine gets the label of a name (shadow.Symbols.Name), and
// the label moves with it. Names of one go statement, and one place among its arguments, are a class.
// Fingerprints have the class of each name, and in place of its bits the number of its first place in the
// fingerprint (fingerprint.Writer.NameWord). A goroutine has no number in any other way (claim 2 of
// state_symmetry.go).
//
//  1. A name can be copied, and compared by == or != with a name of its class. Each other use is a look, or
//     gives words with another label. Each use of these words, except for a copy, is a look (labels.go of
//     package shadow, claims 1 and 4). A lookup in a map compares the key with the keys of the map. It is not
//     a look if all keys of the map are names of the class (shadow.Symbols.namesKey). The order of a map does
//     not depend on the bits of keys (package maps). An index has claims of its own (elements.go of package
//     shadow).
//  2. Let π map the names of each class one to one to names of the class. Take two states that differ only in
//     three ways: by π, applied to all words with the label of a name; by the bits of words with other
//     labels; and by numbers of objects and goroutines. Words without labels are equal. So by 1 an
//     instruction that is not a look has the same effect in both states, up to π: it copies words; or its
//     result has a label, or does not depend on labels, or is the same for any one-to-one mapping. An
//     instruction that is a look in one state is also a look in the other one. (Fingerprints have the bits of
//     words with other labels, so fewer states match than could.)
//  3. A new name: the go statement has the same number v in both states, because the word has no label there.
//     If v has been passed before on this path, as a name of its class, then passing it again is a look. So π
//     can map v to itself, provided that v has been passed before in both states or in neither: fingerprints
//     have the set of the names so far (namesHash). Names of goroutines that have ended belong to it.
//  4. So two states with the same fingerprint have the same futures up to π, as long as there is no look: the
//     words determine π, as they determine the mapping of objects (claim 1 of package fingerprint). Names
//     that occur nowhere in a state are never compared with a name again. So it does not matter how π maps
//     them.
//  5. Suppose that a state was not explored, because it was matched with another state, and that an execution
//     from it has a look. Then by 2 an execution from the other state has a look, too. After a look the
//     search begins again, and the numbers at that place get no labels (needsDrawn). So a search that ends
//     has lost nothing.
//  6. Goroutines and names have to be exchanged together: a cycle of states that exchanges names also
//     exchanges goroutines (claim 4 of por/stateful/symmetry.go). So SymmetricHash returns the names together
//     with the goroutines. An exchange of two goroutines that leaves the fingerprint unchanged is an
//     automorphism, of the names as well (claim 3 of state_orbits.go).
//  7. A name is less than 2^32, so that no conservative reader of words takes it for a reference. A word
//     that may be a reference, or that a native reads without a look, never depends on a name.
//
// Labels cost time: the machine executes in the loop that tracks them. So numbers get labels only when a
// symmetric search has met manyNumbered states in which several goroutines of one origin have numbers; then
// it begins again (needsNames). Whether a number is worth a label is a guess (observable.Named). A wrong
// guess costs a further search, but loses no outcome.

// named is the kind of the draws that are names. No verdict names this kind.
const named = NumAssumed

// manyNumbered is the number of states from which labels of names pay.
const manyNumbered = 4096

// needsNames reports whether the search has to begin again with labels of names.
func (m *Machine) needsNames() bool {
	return m.cfg.Names == NamesOff && m.cfg.absolute.numbered.Load() > manyNumbered
}

// nameables returns the words of the frame of a goroutine started by the go statement at g's place that may
// be names, and the goroutine's function.
func (m *Machine) nameables(g *goroutine) ([]nameable, *ssa.Function) {
	at, ok := g.Fn.InstrAt(int(g.PC)).(*ssa.Go)
	if !ok {
		return nil, nil
	}
	fn := at.Call.StaticCallee()
	list, known := m.nameable[at]
	if known || fn == nil {
		return list, fn
	}
	word := uint32(0)
	byValue := func(i int) bool { return m.link.Captures().ByValue(fn, i) }
	use := observable.Named(at, fn, byValue, m.cfg.Names == NamesEvery)
	for i, p := range fn.Params {
		if use[i] {
			list = append(list, nameable{word, i})
		}
		word += uint32(m.link.Layout(p.Type()).Words())
	}
	for i, v := range fn.FreeVars {
		if use[len(fn.Params)+i] {
			list = append(list, nameable{word, len(fn.Params) + i})
		}
		t := v.Type()
		if byValue(i) {
			t = observable.Captured(v)
		}
		word += uint32(m.link.Layout(t).Words())
	}
	if m.nameable == nil {
		m.nameable = make(map[*ssa.Go][]nameable)
	}
	m.nameable[at] = list
	return list, fn
}

// startsNames reports whether the machine has to begin to track labels before g's go statement, because that
// gives names. No names are given in initialisers, because all machines of a program start after them.
func (m *Machine) startsNames(g *goroutine) bool {
	if m.cfg.Names == NamesOff || m.tracking || !m.mayName() {
		return false
	}
	list, _ := m.nameables(g)
	return slices.ContainsFunc(list, func(x nameable) bool { return !slices.Contains(m.cfg.looked, m.nameDraw(g, x)) })
}

// mayName reports whether a go statement can give names.
func (m *Machine) mayName() bool {
	return m.heap.Based && m.facts.Labels && !m.cfg.Run && m.cfg.Watch == nil && !m.Environment().Symbolic() &&
		(m.gs[0].status == gEnded || !m.beforeEntry(m.gs[0]))
}

// nameDraw returns the class of names that g's go statement gives at x.
func (m *Machine) nameDraw(g *goroutine, x nameable) Assumption {
	a := Assumption{What: named, Pos: m.fset.Position(g.Fn.InstrAt(int(g.PC)).Pos())}
	a.Pos.Column, a.Pos.Offset = x.place, 0
	return a
}

// name gives names to n, which g has just started.
func (m *Machine) name(g, n *goroutine) {
	if !m.heap.Based {
		return
	}
	list, fn := m.nameables(g)
	if len(list) == 0 || n.Fn.SSA != fn || !m.mayName() {
		return
	}
	n.numbered = true
	if m.cfg.Names == NamesOff || !m.tracking {
		return
	}
	var given []uint32
	for _, x := range list {
		a := m.nameDraw(g, x)
		v := n.Stack[n.FP+x.word]
		// A word that has a label is a name already, of another class.
		if n.Shadow[n.FP+x.word] != nil || v>>32 != 0 || slices.Contains(m.cfg.looked, a) {
			continue
		}
		t, i := m.sym.Name(draw(a), v)
		for _, o := range m.gs {
			//mutant: two goroutines have the same name [test ./vm TestNamedEnds]: false
			if o.given != nil && slices.Contains(*o.given, i) {
				m.sym.Look(t)
			}
		}
		given = append(given, i)
		n.given = &given
		m.sym.SetName(&n.Goroutine, x.word, t)
	}
}

// hasNames reports whether there are names in the present state.
func (m *Machine) hasNames() bool {
	return m.tracking && m.sym.Drawn && m.sym.HasNames() && slices.ContainsFunc(m.gs, func(g *goroutine) bool { return g.given != nil })
}

// eachName calls f for the names that goroutines have been given.
func (m *Machine) eachName(f func(name uint32)) {
	for _, g := range m.gs {
		if g.given != nil {
			for _, i := range *g.given {
				f(i)
			}
		}
	}
}

// namesHash returns a hash of the set of names that goroutines have been given: claim 3.
func (m *Machine) namesHash() (sum uint64) {
	m.eachName(func(i uint32) {
		n := m.sym.NameAt(i)
		//mutant: names that are given later are new ones [test ./vm TestNamedEnds]: remove
		sum += hash.Mix(n.Class, n.Value)
	})
	return sum
}

// firstName is a number of goroutine that no goroutine has: see appendNames.
const firstName = 1 << 30

// appendNames appends the names of the last fingerprint to its goroutines, as numbers that depend on the
// name only: claim 6.
func (m *Machine) appendNames(order []trace.GID) []trace.GID {
	for _, i := range m.canon.Names {
		n := m.sym.NameAt(i)
		//mutant: cycles may exchange names [test ./vm TestNamedEnds]: remove
		order = append(order, trace.GID(firstName|hash.Mix(n.Class, n.Value)%firstName))
	}
	return order
}

// colourNames computes the colours of the names in the present state.
func (m *Machine) colourNames() {
	c := &m.canon
	m.hashInOrder(m.living())
	c.colours.known = true
	c.colours.of = c.colours.of[:0]
	add := func(i uint32, w uint64) {
		for int(i) >= len(c.colours.of) {
			c.colours.of = append(c.colours.of, 0)
		}
		c.colours.of[i] += w
	}
	for _, s := range m.living() {
		if g := m.gs[s]; g.status != gEnded {
			key := m.symmetryKey(g)
			for _, x := range g.serial.names {
				if i, ok := m.sym.RefersTo(x.label); ok {
					add(i, hash.Mix(key, uint64(x.word)))
				}
			}
		}
	}
	object := func(id uint32) {
		o := &m.heap.Objs[id]
		l := m.layouts.At(o.Layout)
		m.sym.Named(id, func(off, name uint32) {
			key := hash.Mix(hash.Mix(m.link.NameOfType(o.Layout), uint64(o.Size)), uint64(off))
			if l.Size > 0 {
				base := off / l.Size * l.Size
				for at := base; at < base+l.Size; at += 8 {
					if at != off && !slices.Contains(l.Ptrs, at-base) && !m.sym.IsNamed(id, at) {
						key = hash.Mix(key, wordAt(o, at, base+l.Size-at))
					}
				}
			}
			add(name, key)
		})
		for _, e := range m.sym.Elements(id) {
			key := hash.Mix(m.link.NameOfType(o.Layout), uint64(o.Size))
			for _, b := range e.Bytes {
				key = hash.Mix(key, uint64(b))
			}
			add(e.Name, key)
		}
	}
	for _, id := range c.Queue {
		object(id)
	}
	for _, id := range m.heap.Changed {
		object(id)
	}
}

// compareNames orders goroutines of equal keys by the colours of their names.
func (m *Machine) compareNames(a, b *goroutine) int {
	if !m.canon.Naming {
		return 0
	}
	if !m.canon.colours.known {
		m.colourNames()
	}
	colour := func(x namedWord) uint64 {
		if i, ok := m.sym.RefersTo(x.label); ok && int(i) < len(m.canon.colours.of) {
			return m.canon.colours.of[i]
		}
		return 0
	}
	x, y := a.serial.names, b.serial.names
	for i := range min(len(x), len(y)) {
		if d := cmp.Compare(colour(x[i]), colour(y[i])); d != 0 {
			return d
		}
	}
	return cmp.Compare(len(x), len(y))
}

// writeNames replaces the names in ws, the words of t, and the words that depend on names otherwise.
func (m *Machine) writeNames(ws []uint64, t *serialised) {
	f := &m.canon.Writer
	for _, x := range t.names {
		if i, ok := m.sym.NameOf(x.label); ok {
			//mutant: names in registers are the numbers that they are [equalOnes]: remove
			ws[x.word] = f.NameWord(i)
			continue
		}
		w := t.Words[x.word]
		s, _ := m.sym.WrittenOf(x.label, w)
		switch {
		case s.Fold && s.Fresh:
			ws[x.word] = hash.Mix(f.Ref(uint64(s.Obj)<<32), s.Rest)
		case s.Fold:
			ws[x.word] = hash.Mix(hash.Mix(f.Ref(uint64(s.Obj)<<32), 1), w)
		default:
			//mutant: addresses of elements do not say whose [test ./vm TestNamedEnds]: "f.NameWord(s.Name)" -> "0"
			ws[x.word] = hash.Mix(hash.Mix(f.Ref(w&^math.MaxUint32), f.NameWord(s.Name)), s.Inner)
		}
	}
}

// nameAt adds the next word of t, from register i of g's stack, to t.names if it depends on a name.
func (t *serialised) nameAt(s *shadow.Symbols, g *goroutine, i uint32) {
	if x := g.Shadow[i]; s.Depends(x) {
		t.names = append(t.names, namedWord{uint32(len(t.Words)), x})
	}
}

// dependsAt reports whether word i of t depends on a name.
func (t *serialised) dependsAt(i uint32) bool {
	return slices.ContainsFunc(t.names, func(x namedWord) bool { return x.word == i })
}
