package vm

import (
	"fmt"
	"go/types"
	"unsafe"

	"hbcheck.dev/hbcheck/vm/shadow"
)

// nondet is hbtest.nondet.
func nondet(m *Machine, g *goroutine, r Regs) Ctl {
	t := m.nondetType(g)
	if part := shadow.Excluded(t); part != nil {
		text := "hbtest.Nondet of type " + t.String()
		if !types.Identical(part, t) {
			text += ", of its part of type " + part.String()
		}
		m.refuse(Refusal{Code: RefusedInput, What: text + ": that cannot be symbolic", Pos: m.prog.Within(m.inputPos(g))})
		m.halt(g)
		return Stop
	}
	l := m.link.Layout(t)
	switch {
	case m.entry.Fuzz:
		m.unsupported(g, RefusedInput, "hbtest.Nondet in a fuzz target: its arguments are the inputs")
		return Stop
	case m.forksBefore(g): // a variable's initialiser: its inputs are explored
		return Stop
	case m.auto:
		for i := range l.Words() {
			r.Set(i, 0)
		}
		return Next
	case m.trackFirst(g):
		return Stop
	}
	n := m.newInputs(g)
	made := n.Make(t, "")
	m.cfg.noteBound(n)
	made.Place(m.sym, &g.Goroutine, uint32(r.regOf(g, 0)))
	return Next
}

// nondetMakes is Native.Makes of nondet.
func nondetMakes(m *Machine, g *goroutine, _ Regs) []types.Type {
	if t := m.nondetType(g); shadow.Excluded(t) == nil {
		return []types.Type{t}
	}
	return nil
}

// trackFirst makes the machine track symbolic values, unless inputs are given. It returns true if the machine
// has not tracked before. Then the native that g executes has to return Stop, and is executed again by the
// loop that tracks.
func (m *Machine) trackFirst(g *goroutine) bool {
	if m.cfg.Given != nil || m.tracking {
		return false
	}
	m.track()
	g.PC--
	return true
}

// newInputs prepares the construction of values for g, of given numbers or of variables.
func (m *Machine) newInputs(g *goroutine) *shadow.Maker {
	var given func() uint64
	if m.cfg.Given != nil {
		given = func() uint64 { return m.givenInput(g) }
	}
	return shadow.NewMaker(m.shadowHost(), m.sym, &g.Goroutine, m.inputPos(g), given)
}

// noteBound records that a value has a length with a bound.
func (c *Config) noteBound(n *shadow.Maker) {
	if n.Bounded {
		c.bounded.Store(true)
	}
}

// inputArguments calls the function value fn, with these parameters. Its first arguments are the given words;
// those from parameter first on are symbolic values. If text returns words for a parameter, the parameter
// gets these words: see callTarget.
func (m *Machine) inputArguments(g *goroutine, fn uint64, params *types.Tuple, first int, words []uint64, text func(t types.Type) []uint64) Ctl {
	n := m.newInputs(g)
	made := make([]shadow.Made, params.Len())
	size := len(words)
	for i := first; i < len(made); i++ {
		p := params.At(i)
		if t := text(p.Type()); t != nil {
			made[i].Image = unsafe.Slice((*byte)(unsafe.Pointer(&t[0])), len(t)*8)
			made[i].Layout = m.link.Layout(p.Type())
		} else {
			n.At(i, p)
			made[i] = n.Make(p.Type(), p.Name())
		}
		size += made[i].Layout.Words()
	}
	m.cfg.noteBound(n)
	at := len(words)
	words = append(words, make([]uint64, size-at)...)
	m.callGuest(g, fn, 0, words...)
	if g.status != gRunning {
		return Stop
	}
	for i := first; i < len(made); i++ {
		made[i].Place(m.sym, &g.Goroutine, uint32(at))
		at += made[i].Layout.Words()
	}
	return Called
}

// callEntry is runtime.hbEntry: it calls the entry's function with symbolic arguments.
func callEntry(m *Machine, g *goroutine, _ Regs) Ctl {
	if m.trackFirst(g) {
		return Stop
	}
	e := m.entry
	return m.inputArguments(g, uint64(m.link.Func(e.Func))|funcBit, e.Func.Signature.Params(), 0, nil, func(types.Type) []uint64 { return nil })
}

// entryMakes is Native.Makes of callEntry.
func entryMakes(m *Machine, _ *goroutine, _ Regs) []types.Type {
	var list []types.Type
	for p := range m.entry.Func.Signature.Params().Variables() {
		list = append(list, p.Type())
	}
	return list
}

// checkEntry returns an error if a parameter of an entry with symbolic arguments cannot be symbolic.
func (m *Machine) checkEntry() error {
	e := m.entry
	for p := range e.Func.Signature.Params().Variables() {
		part := shadow.Excluded(p.Type())
		if part == nil {
			continue
		}
		text := fmt.Sprintf("%s: parameter %s of %s has type %s", m.relative(m.fset.Position(p.Pos())), p.Name(), e, types.TypeString(p.Type(), (*types.Package).Name))
		if !types.Identical(part, p.Type()) {
			text += ", with a part of type " + types.TypeString(part, (*types.Package).Name)
		}
		return fmt.Errorf("%s: that cannot be symbolic", text)
	}
	return nil
}
