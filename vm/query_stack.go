package vm

import (
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
)

// eachFrame walks g's stack from the innermost frame on; pc is the instruction that is executing,
// or, in a caller, the call.
func (m *Machine) eachFrame(g *goroutine, f func(fn *bytecode.Func, pc int32) bool) {
	m.eachWindow(g, func(fn *bytecode.Func, pc int32, _ uint32) bool { return f(fn, pc) })
}

// eachWindow is eachFrame with the stack word of each frame's register 0.
func (m *Machine) eachWindow(g *goroutine, f func(fn *bytecode.Func, pc int32, fp uint32) bool) {
	fn, fp, pc := g.Fn, g.FP, g.executing()
	for {
		if !f(fn, pc, fp) {
			return
		}
		link, ra := g.Stack[fp-hdrLink], g.Stack[fp-hdrReturn]
		if link>>32&frBottom != 0 {
			return
		}
		fp = uint32(link)
		fn, pc = m.link.Code[ra>>32], callPC(link, ra)
	}
}

// callPC returns the instruction that made the call of a frame with the given header words. The
// return address of an ordinary call is the instruction after it; but calls by the machine itself
// (deferred functions, faults) return to the instruction that was executing.
func callPC(link, ra uint64) int32 {
	if link>>32 != 0 {
		return int32(uint32(ra))
	}
	return int32(uint32(ra)) - 1
}

// A trace of a panic is a guest array of two words per frame: function number
// and pc, and the frame's stack word.

// maxTrace bounds the frames of a trace, as the runtime does when it prints.
const maxTrace = 100

// captureTrace records the position of g.
func (m *Machine) captureTrace(g *goroutine) ptr {
	var w []uint64
	m.eachLogicalFrame(g, func(id uint32, pc int32, fp uint32) bool {
		w = append(w, uint64(id)<<32|uint64(uint32(pc)), uint64(fp))
		return len(w) < 2*maxTrace
	})
	id := m.alloc(g, uint32(len(w)*8), m.layWord)
	copy(unsafe.Slice((*uint64)(m.heap.Objs[id].Mem), len(w)), w)
	return ptr(id) << 32
}

// traceWords returns the words of a trace.
func (m *Machine) traceWords(p ptr) []uint64 {
	if p == 0 {
		return nil
	}
	o := &m.heap.Objs[p>>32]
	return unsafe.Slice((*uint64)(o.Mem), o.Size/8)
}

// eachLogicalFrame walks g's stack as the program sees it. The machine unwinds a panicking stack
// before it runs deferred calls; the real runtime runs them on top of the panicking frames, with a
// frame of gopanic in between. So if a deferred call runs because of a panic, the frames of the panic's
// trace above the deferring function are restored. It reports whether f returned true for all frames.
//
//	g panics, and its caller f has deferred d, which runs:
//	the machine's stack      main ── f ── d
//	what the program sees    main ── f ── g ── gopanic ── d
func (m *Machine) eachLogicalFrame(g *goroutine, f func(id uint32, pc int32, fp uint32) bool) bool {
	p := g.panics
	more, unwinding := true, false
	m.eachWindow(g, func(fn *bytecode.Func, pc int32, fp uint32) bool {
		if unwinding {
			for p != 0 && m.word(p, pnFlags)&pfAborted != 0 {
				p = m.word(p, pnLink)
			}
			if p != 0 {
				more = m.eachUnwoundFrame(p, fp, f)
				p = m.word(p, pnLink)
			}
		}
		more = more && f(fn.ID, pc, fp)
		unwinding = g.Stack[fp-hdrLink]>>32&frPanicDefer != 0
		return more
	})
	return more
}

// eachUnwoundFrame calls f for the frames above stack word fp when panic p was raised.
func (m *Machine) eachUnwoundFrame(p ptr, fp uint32, f func(id uint32, pc int32, fp uint32) bool) bool {
	if m.word(p, pnFlags)&pfGoexit == 0 && !f(m.rt[rtGopanic], 0, fp+1) {
		return false
	}
	w := m.traceWords(m.word(p, pnTrace))
	for i := 0; i < len(w) && uint32(w[i+1]) > fp; i += 2 {
		if !f(uint32(w[i]>>32), int32(uint32(w[i])), uint32(w[i+1])) {
			return false
		}
	}
	return true
}

// Stack returns the stack of goroutine id, innermost frame first, without the
// machine's own frames.
func (v Report) Stack(id trace.GID) []SourceFrame {
	m := v.m
	g := m.gOf(id)
	if g.status == gEnded {
		return nil
	}
	if g.overflow != nil {
		return g.overflow.frames
	}
	n := 0
	m.eachWindow(g, func(*bytecode.Func, int32, uint32) bool { n++; return n < maxTrace })
	frames := make([]SourceFrame, 0, n)
	m.eachLogicalFrame(g, func(id uint32, pc int32, _ uint32) bool {
		frames = m.addFrame(frames, id, pc)
		return len(frames) < maxTrace
	})
	return frames
}

// addFrame appends a frame unless stacks leave it out. They leave out wrappers, the runtime's own functions
// other than gopanic, and functions of models that Go's own library does not have. Programs search their
// stacks for functions of that library; goleak, for example, searches for testing.(*T).Run at the top.
func (m *Machine) addFrame(frames []SourceFrame, id uint32, pc int32) []SourceFrame {
	f := m.code(id)
	if id == 0 || f.Wrapper {
		return frames
	}
	fr := m.frame(f, pc)
	shown := fr.Func
	switch {
	case id == m.rt[rtGopanic]:
		shown = "panic"
	case fr.Func == "testing.(*T).hbAwait":
		//mutant: a test that runs shows the harness in stacks [test ./cmd/hbcheck TestScripts/testmain]
		shown = "testing.(*T).Run"
	case fr.helper, hiddenInStacks(fr.Func):
		return frames
	case f.SSA != nil && f.SSA.Synthetic == "package initializer" && !fr.Pos.IsValid():
		return frames // natively the runtime calls the init functions and the other packages' initialisers
	}
	frames = append(frames, *fr)
	frames[len(frames)-1].Func = shown
	return frames
}

// frame returns the description of a frame. Millions of steps share it.
func (m *Machine) frame(f *bytecode.Func, pc int32) *SourceFrame {
	at := uint64(f.ID)<<32 | uint64(uint32(pc))
	fr := m.frames[at]
	if fr == nil {
		n := m.newFrame(f, pc)
		fr = &n
		if m.frames == nil {
			m.frames = map[uint64]*SourceFrame{}
		}
		m.frames[at] = fr
	}
	return fr
}

func (m *Machine) newFrame(f *bytecode.Func, pc int32) SourceFrame {
	fr := SourceFrame{Func: funcName(f), Args: f.NParam > 0, Pos: m.fset.Position(f.PosAt(int(pc))), PC: pc}
	if f.SSA == nil { // a builtin of a go or defer statement
		in := func(dir string) bool { return strings.HasPrefix(fr.Pos.Filename, dir) }
		fr.Std = !fr.Pos.IsValid() || in("$hbcheck/") || in(m.prog.GOROOT)
	} else {
		fr.Std = m.prog.InLibrary(f.SSA) || m.prog.InHarness(f.SSA)
		fr.helper = fr.Std && isHelper(fr.Func)
	}
	fr.Own = !fr.Std && m.ownModule(f, fr.Pos.Filename)
	return fr
}

// ownModule reports whether f, in the given file, belongs to the entry's module, or to another
// module under development.
func (m *Machine) ownModule(f *bytecode.Func, file string) bool {
	prog := m.prog
	entry := prog.PackageOf(m.entry.Func)
	own := func(p *load.Package) bool { return p.Main || entry != nil && p.Module == entry.Module }
	if f.SSA != nil {
		p := prog.PackageOf(original(f.SSA))
		return p != nil && own(p)
	}
	return slices.ContainsFunc(prog.All, func(p *load.Package) bool { return p.Dir == filepath.Dir(file) && own(p) })
}

// isHelper reports whether name, of a function of the library, shows that the function or its type
// belongs to a model: such names begin with hb.
func isHelper(name string) bool {
	_, name, _ = strings.Cut(name[strings.LastIndexByte(name, '/')+1:], ".")
	for part := range strings.SplitSeq(name, ".") {
		if strings.HasPrefix(strings.TrimPrefix(part, "(*"), "hb") {
			return true
		}
	}
	return false
}

// code returns the bytecode of function id.
func (m *Machine) code(id uint32) *bytecode.Func {
	if f := m.link.Code[id]; f != nil {
		return f
	}
	var f *bytecode.Func
	m.growth.ask(m, Growth{Compiled: id + 1}, func() { f = m.compile(id) })
	return f
}

// hiddenInStacks reports whether name is an unexported function of the runtime.
func hiddenInStacks(name string) bool {
	const pkg = "runtime."
	if len(name) <= len(pkg) || name[:len(pkg)] != pkg {
		return false
	}
	c := name[len(pkg)]
	return !('A' <= c && c <= 'Z' || c == '(')
}

// callerPos returns the position of the innermost frame of g that is not a model's.
func (m *Machine) callerPos(g *goroutine) token.Position {
	var pos token.Position
	m.eachFrame(g, func(f *bytecode.Func, pc int32) bool {
		if !f.Trusted {
			pos = m.fset.Position(f.PosAt(int(pc)))
		}
		return !pos.IsValid()
	})
	return pos
}

// Pos returns the source position of an operation.
func (v Report) Pos(op trace.Op) token.Position {
	m := v.m
	return m.fset.Position(m.link.Code[op.Func].PosAt(int(op.PC)))
}

// userFrame returns the innermost position on g's stack that is in the user's code, if there is
// one, and the name of the library function called there, if any.
func (m *Machine) userFrame(g *goroutine) (pos token.Position, called string, found bool) {
	m.eachLogicalFrame(g, func(id uint32, pc int32, _ uint32) bool {
		f := m.code(id)
		if id == 0 || f.SSA == nil {
			return true
		}
		p, library := m.prog.PackageOf(f.SSA), m.prog.InLibrary(f.SSA)
		if p != nil && !library && f.Refused == "" {
			pos, found = m.fset.Position(f.PosAt(int(pc))), true
			return false
		}
		if !f.Wrapper && (p == nil || library) {
			called = funcName(f)
		}
		return true
	})
	return pos, called, found
}

// stdCaller reports whether the function that called the running one belongs to the standard
// library.
func (m *Machine) stdCaller(g *goroutine) bool {
	link, ra := g.Stack[g.FP-hdrLink], g.Stack[g.FP-hdrReturn]
	if link>>32&frBottom != 0 {
		return false
	}
	return m.isStd(m.link.Code[ra>>32])
}

// place returns g's place in the program, as messages name it.
func (m *Machine) place(g *goroutine) string {
	pos, _ := m.userCall(g)
	return m.relative(pos)
}

// isStd reports whether f is a function of the standard library.
func (m *Machine) isStd(f *bytecode.Func) bool {
	if f.SSA == nil {
		return true // the frame is the machine's own
	}
	return m.prog.InLibrary(f.SSA)
}
