package vm

import (
	"go/types"
	"unsafe"

	"hbcheck.dev/hbcheck/trace"
)

// Natives of package testing for fuzz targets with symbolic arguments.

var fuzzNatives = []Native{
	{Name: "testing.hbPick", Peek: func(m *Machine, g *goroutine, r Regs, op *trace.Op) int { return m.choices(r, op) }, Fn: choose},
	{Name: "testing.hbByte", Symbolic: true, Fn: func(m *Machine, g *goroutine, r Regs) Ctl {
		return m.newInput(g, r, types.Typ[types.Byte])
	}},
	{Name: "testing.hbTarget", Symbolic: true, Fn: callTarget},
}

// callTarget is testing.hbTarget: it calls the function in the interface value in word 1, a
// func(*T, ...), with word 0, symbolic arguments, and as strings and []byte the texts in word 3.
func callTarget(m *Machine, g *goroutine, r Regs) Ctl {
	t := m.rtypeAt(r.U(1))
	sig, texts := t.layout.Type.Underlying().(*types.Signature), r.U(3)
	isText := func(t types.Type) bool {
		switch u := t.Underlying().(type) {
		case *types.Basic:
			return u.Kind() == types.String
		case *types.Slice:
			b, ok := u.Elem().Underlying().(*types.Basic)
			return ok && b.Kind() == types.Uint8
		}
		return false
	}
	words := []uint64{r.U(0)}
	for i := 1; i < sig.Params().Len(); i++ {
		p := sig.Params().At(i)
		if part := unsupportedInput(p.Type()); part != nil && !isText(p.Type()) {
			m.unsupported(g, "a fuzz target with an argument of type "+part.String()+": that cannot be symbolic")
			return Stop
		}
		words = append(words, make([]uint64, m.link.Layout(p.Type()).Words())...)
	}
	pos, ctl := m.inputPos(g), Called
	if m.trackFrom() == Stop {
		ctl = Stop // the call has been made: the other loop continues in it
	}
	m.callGuest(g, r.U(2), 0, words...)
	if g.status != gRunning {
		return Stop
	}
	args := Regs{unsafe.Pointer(&g.stack[g.fp])}
	at := 1
	for i := 1; i < sig.Params().Len(); i++ {
		p := sig.Params().At(i)
		to := Regs{args.at(at)}
		at += m.link.Layout(p.Type()).Words()
		if isText(p.Type()) {
			b := (*[3]uint64)(m.heap.load(texts, 24, 0))
			texts += 24
			to.Set(0, b[0])
			to.Set(1, b[1])
			if _, isSlice := p.Type().Underlying().(*types.Slice); isSlice {
				to.Set(2, b[1])
			}
			continue
		}
		n := &newInput{m: m, g: g, first: g.nvars, pos: pos}
		n.make(to, p.Type(), p.Name())
	}
	return ctl
}
