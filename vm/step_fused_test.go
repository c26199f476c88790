package vm

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/layout"
	"hbcheck.dev/hbcheck/vm/link"
)

// TestFused: each fused operation has the effect of its sequence, executed by the loop that executes the
// instructions one by one: on registers, memory, the place in the program and the budget. The operands are
// random; those of memory operations are such that they succeed, sometimes on the slow path.
func TestFused(t *testing.T) {
	const base, caller = 40, 8 // first words of the two frames
	dst := func(r *rand.Rand) uint16 { return uint16(r.IntN(4)) }
	src := func(r *rand.Rand) uint16 { return uint16(r.IntN(8)) }
	mem := heap.New(layout.NewTable())
	for _, ops := range bytecode.Fusions() {
		ends := map[int32]bool{}
		for seed := range uint64(100) {
			r := rand.New(rand.NewPCG(seed, 4))
			f := &bytecode.Func{ID: 1, Window: 32}
			last := bytecode.Instr{}
			for _, op := range ops {
				in, words := bytecode.Instr{Op: op, A: dst(r), B: src(r), C: src(r)}, []uint64(nil)
				from := uint16(8)
				if last.Op == bytecode.IdxS || last.Op == bytecode.IdxA {
					from = last.A
				}
				switch row := op.Row(); {
				case op == bytecode.Mov3:
					in.A = uint16(r.IntN(2)) // indices stay as they are
				case op == bytecode.IdxS:
					in.B, in.C, words = 8, uint16(4+r.IntN(2)), []uint64{8}
				case op == bytecode.IdxA:
					in.B, in.C, words = 8, uint16(4+r.IntN(2)), []uint64{4<<32 | 8}
				case row.Class == bytecode.Loads:
					in.B, in.C = from, uint16(8*r.IntN(2))
					if op == bytecode.Ld3 {
						in.A = uint16(r.IntN(2))
					}
				case row.Class == bytecode.LoadsElem:
					in.B, in.C = 8, uint16(4+r.IntN(2))
				case row.Class == bytecode.Stores:
					in.A, in.C = from, uint16(8*r.IntN(2))
				case op == bytecode.Call:
					in = bytecode.Instr{Op: op, A: 16}.WithImm32(1)
				case row.Class == bytecode.Compares || row.Class == bytecode.ComparesImm:
					in.B, in.C = uint16(r.IntN(8)), 1
				case row.Class == bytecode.Branches:
					in = in.WithImm32(1)
				}
				f.Code = append(f.Code, in)
				for _, w := range words {
					f.Code = append(f.Code, bytecode.RawWord(w))
				}
				last = in
			}
			end := bytecode.Instr{Op: bytecode.JmpBack}.WithImm32(-1)
			f.Code = append(f.Code, end, end, bytecode.Instr{Op: bytecode.Nop})
			f.Fuse()
			if f.Fast[0].Op == f.Code[0].Op {
				t.Fatalf("%v is not fused", ops)
			}
			id := mem.Alloc(64, 0)
			run := func(exec func(*Machine, *goroutine)) (*Machine, *goroutine, []byte) {
				m := &Machine{}
				m.heap, m.link = mem, &link.Linker{Code: []*bytecode.Func{{Code: []bytecode.Instr{end, end}}, f}}
				m.link.Code[0].Fuse()
				m.auto = true
				content := unsafe.Slice((*byte)(mem.Objs[id].Mem), 64)
				values := rand.New(rand.NewPCG(seed, 5))
				for i := range content {
					content[i] = byte(values.Uint32())
				}
				if seed%3 == 0 { // the object is not saved
					mem.Mark(new(heap.Mark))
				}
				g := &goroutine{}
				g.Fn, g.FP, g.Stack, g.status = f, base, make([]uint64, 200), gRunning
				for i := range 8 {
					g.Stack[base+i] = uint64(values.IntN(4))
				}
				g.Stack[base+8], g.Stack[base+9] = uint64(id)<<32, 4
				g.Stack[base-hdrLink] = caller
				exec(m, g)
				return m, g, slices.Clone(content)
			}
			m, g, got := run(execute[plain])
			n, h, want := run(execute[stopping])
			if !slices.Equal(g.Stack, h.Stack) || !slices.Equal(got, want) || g.PC != h.PC || g.FP != h.FP || m.cnt.Instructions != n.cnt.Instructions {
				t.Fatalf("%v, seed %d: at %d, %v, %v, %d instructions; one by one: at %d, %v, %v, %d\n%s", ops, seed,
					g.PC, g.Stack[base:base+10], got, m.cnt.Instructions, h.PC, h.Stack[base:base+10], want, n.cnt.Instructions, f.Disassemble())
			}
			ends[g.PC] = true
		}
		if class := ops[len(ops)-1].Row().Class; len(ends) < 2 && (class == bytecode.Compares || class == bytecode.ComparesImm || class == bytecode.Branches) {
			t.Errorf("%v: the branch is always taken, or never", ops)
		}
	}
}
