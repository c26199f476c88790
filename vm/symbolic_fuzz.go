package vm

import (
	"fmt"
	"go/types"
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/shadow"
)

// Natives of package testing for fuzz targets. The choice among the seeds and the target with symbolic
// arguments is a decision like those on inputs; a program with given inputs always takes the target.

var fuzzNatives = []Native{
	{Name: "testing.hbWay", Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int {
		if m.cfg.Given != nil || r.U(0) <= 1 {
			return 1
		}
		op.Kind, g.Ways = trace.Branch, int32(r.U(0)) // as in decide
		return int(r.U(0))
	}, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		k := uint64(g.Choice)
		if m.cfg.Given != nil || r.U(0) <= 1 {
			k = r.U(0) - 1
		}
		r.Set(0, k)
		return Next
	}},
	// hbSeed(i) returns the name of the i-th file of the seed corpus, and the number of its values.
	{Name: "testing.hbSeed", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		i, corpus := int(r.U(0)), m.entry.Corpus
		r.Set(2, ^uint64(0)) // there is no such file
		if i >= len(corpus) {
			return Next
		}
		r.Set(2, uint64(len(corpus[i].Values)))
		return m.setString(g, r, 0, corpus[i].Name)
	}},
	// hbValue(i, k) returns the type, bits and text of a value of that file.
	{Name: "testing.hbValue", Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		v := &m.entry.Corpus[r.U(0)].Values[r.U(1)]
		m.setString(g, r, 0, v.Type)
		r.Set(2, v.Bits)
		return m.setString(g, r, 3, v.Text)
	}},
	{Name: "testing.hbText", Symbolic: true, Makes: textMakes, Fn: makeText},
	{Name: "testing.hbTarget", Symbolic: true, Makes: targetMakes, Fn: callTarget},
}

// targetOf returns the signature of the fuzz target in the interface value at word i.
func (m *Machine) targetOf(r Regs, i int) *types.Signature {
	return m.link.TypeAt(r.U(i)).Layout.Type.Underlying().(*types.Signature)
}

// namedParams returns the parameters of the function in the interface value at word i, with the
// function's own names: its type may have other names, or none.
func (m *Machine) namedParams(r Regs, i int) *types.Tuple {
	f := r.U(i + 1)
	if f&funcBit == 0 {
		f = m.word(f, 0)
	}
	if fn := m.code(uint32(f)).SSA; fn != nil && types.Identical(fn.Signature, m.targetOf(r, i)) {
		return fn.Signature.Params()
	}
	return m.targetOf(r, i).Params()
}

// isText reports whether t is a type of strings or of slices of bytes.
func isText(t types.Type) bool {
	elem := shadow.ElemOf(t)
	if elem == nil {
		return false
	}
	b, ok := elem.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Uint8
}

// makeText is testing.hbText(target, i): the bytes of the text that is the i-th parameter.
func makeText(m *Machine, g *goroutine, r Regs) Ctl {
	if m.trackFirst(g) {
		return Stop
	}
	n := m.newInputs(g)
	p := m.namedParams(r, 0).At(int(r.U(2)))
	n.At(int(r.U(2)), p)
	made := n.Make(p.Type(), p.Name())
	m.cfg.noteBound(n)
	w := unsafe.Slice((*uint64)(unsafe.Pointer(&made.Image[0])), 2)
	for i, v := range []uint64{w[0], w[1], w[1]} {
		r.Set(i, v)
		r.concrete(m, g, i)
	}
	return Next
}

func textMakes(m *Machine, _ *goroutine, r Regs) []types.Type {
	return []types.Type{m.targetOf(r, 0).Params().At(int(r.U(2))).Type()}
}

// callTarget is testing.hbTarget: it calls the function in the interface value in word 1, a
// func(*T, ...), with word 0, symbolic arguments, and the texts in word 3 for strings and []byte.
func callTarget(m *Machine, g *goroutine, r Regs) Ctl {
	if m.trackFirst(g) {
		return Stop
	}
	sig, texts := m.targetOf(r, 1), r.U(3)
	for i := 1; i < sig.Params().Len(); i++ {
		if p := sig.Params().At(i); !fuzzed(p.Type()) {
			m.refuse(Refusal{Code: RefusedInput, Pos: m.prog.Within(m.fset.Position(p.Pos())),
				What: fmt.Sprintf("argument %s of the fuzz target has type %s: that cannot be symbolic", p.Name(), p.Type())})
			m.halt(g)
			return Stop
		}
	}
	return m.inputArguments(g, r.U(2), m.namedParams(r, 1), 1, []uint64{r.U(0)}, func(t types.Type) []uint64 {
		if !isText(t) {
			return nil
		}
		b := *(*[3]uint64)(m.heap.Load(texts, 24, 0))
		texts += 24
		return b[:m.link.Layout(t).Words()]
	})
}

func targetMakes(m *Machine, _ *goroutine, r Regs) []types.Type {
	var list []types.Type
	sig := m.targetOf(r, 1)
	for i := 1; i < sig.Params().Len(); i++ {
		if t := sig.Params().At(i).Type(); !isText(t) && fuzzed(t) {
			list = append(list, t)
		}
	}
	return list
}

// fuzzed reports whether an argument of a fuzz target of type t can be symbolic.
func fuzzed(t types.Type) bool {
	b, basic := t.(*types.Basic)
	return isText(t) || basic && shadow.Excluded(b) == nil
}
