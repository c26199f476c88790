package vm

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/trace"
)

// Failures of programs. The texts are the real runtime's, because readers and programs may expect them.

// Text returns the beginning of the message that the runtime prints for the fault.
func (f *Fault) Text() string {
	switch {
	case f.Fatal:
		return "fatal error: " + f.Message
	case f.Kind == TestFailure:
		return "failure: " + f.Message
	}
	return "panic: " + f.Message
}

// crash ends the program with fault f of g; text goes to stderr.
//
// The machine stays in that state: nothing is enabled any more (executionOver), and Rewind brings
// it back to life.
//
// A fault is not a panic of the guest: nothing in the program can run after it. It is part
// of the state (scalars), so a rewind removes it.
func (m *Machine) crash(g *goroutine, f Fault, text string) {
	m.output(2, []byte(text))
	f.G, f.Exit = g.ID, 2
	if len(f.Frames) > 0 {
		f.Pos = f.Frames[0].Pos
	}
	m.fault = &f
	m.halt(g)
}

// halt leaves g where it is, forever.
//
// With a pending overflow it keeps the operation at which the overflow was found.
func (m *Machine) halt(g *goroutine) {
	g.status = gReady
	if g.overflow == nil {
		g.pending = trace.Op{G: g.ID, Kind: trace.Crash, Func: g.Fn.ID, PC: uint32(g.PC)}
	}
}

// fatal ends the program as the runtime's fatal errors do: they cannot be recovered.
func (m *Machine) fatal(g *goroutine, kind FaultKind, msg string) {
	text := "fatal error: " + indent(msg) + "\n"
	text += m.goroutineText(g, "running") + m.othersText(g)
	m.crash(g, Fault{Kind: kind, Fatal: true, Message: msg, Frames: m.Report().Stack(g.ID)}, text)
}

// overflowStack ends the program as the runtime does. Other goroutines can notice that, so it is a
// visible operation and becomes pending: they may move first, and the program may end in another
// way.
//
// The instruction is not executed again. The finding is kept, but the stack is dropped: g does nothing any
// more, and a gigabyte in each state would be too much for a search.
func (m *Machine) overflowStack(g *goroutine) {
	frames := m.Report().Stack(g.ID)
	const text = "runtime: goroutine stack exceeds 1000000000-byte limit\nfatal error: stack overflow\n"
	x := &stackOverflow{text: text + m.goroutineText(g, "running"), frames: frames}
	if m.auto {
		m.crashOverflow(g, x)
		return
	}
	m.halt(g)
	g.overflow = x
	g.scheduled = false
	m.arrivals++
	g.wait.seq = m.arrivals
	for {
		link, ra := g.Stack[g.FP-hdrLink], g.Stack[g.FP-hdrReturn]
		if link>>32&frBottom != 0 {
			break
		}
		g.FP, g.Fn, g.PC = uint32(link), m.link.Code[ra>>32], int32(uint32(ra))
	}
	// Everything from savedLo up is restored when the step is undone.
	if n := max(minStackWords, g.savedLo, g.FP+uint32(g.Fn.Window)); int(n) < len(g.Stack) {
		g.Stack = slices.Clone(g.Stack[:n])
	}
}

// crashOverflow ends the program because of x.
func (m *Machine) crashOverflow(g *goroutine, x *stackOverflow) {
	m.crash(g, Fault{Kind: FatalError, Fatal: true, Message: "stack overflow", Frames: x.frames}, x.text)
}

// noGoroutines returns the fault of a main function that calls runtime.Goexit now, for the case
// that no other goroutine is left.
func (m *Machine) noGoroutines() *Fault {
	const msg = "no goroutines (main called runtime.Goexit) - deadlock!"
	f := &Fault{Kind: FatalError, Fatal: true, Message: msg, Exit: 2, Frames: m.Report().Stack(0)}
	if len(f.Frames) > 0 {
		f.Pos = f.Frames[0].Pos
	}
	return f
}

// deadlock ends the program because no goroutine is enabled.
func (m *Machine) deadlock() {
	msg := "all goroutines are asleep - deadlock!"
	if m.goexited && m.alive == 0 {
		msg = m.lonely.Message
	}
	g := m.gs[0]
	text := "fatal error: " + msg + "\n" + m.othersText(nil)
	m.crash(g, Fault{Kind: FatalError, Fatal: true, Message: msg, Frames: m.Report().Stack(g.ID)}, text)
}

// crashPanic ends the program because of panic p and the panics below it.
//
// Panics are linked newest first. The report shows the first one that was raised, as the
// runtime's text begins with it; Goexit does not count.
func (m *Machine) crashPanic(g *goroutine, p ptr) {
	first := p
	for q := p; q != 0; q = m.word(q, pnLink) {
		if m.word(q, pnFlags)&pfGoexit == 0 {
			first = q
		}
	}
	var frames []SourceFrame
	w := m.traceWords(m.word(p, pnTrace))
	for i := 0; i < len(w); i += 2 {
		frames = m.addFrame(frames, uint32(w[i]>>32), int32(uint32(w[i])))
	}
	text := m.panicsText(p)
	if len(w) > 0 && uint32(w[0]>>32) == m.rt[rtPanicMem] {
		pc := uint64(0)
		if len(w) > 2 {
			pc = w[2]
		}
		text += fmt.Sprintf("[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=%#x]\n", pc)
	}
	text += "\ngoroutine " + m.goid(g) + " [running]:\n" + m.framesText(frames) + m.createdText(g)
	value := m.panicValue(m.word(first, pnType), m.word(first, pnData))
	m.crash(g, Fault{Kind: m.panicKind(first), Message: value, Frames: frames}, text)
}

// panicKind returns the kind of panic p, by the function that raised it:
//
//  1. Run-time panics are raised by functions of the overlay's runtime that only the machine calls.
//  2. The models in package sync panic with constant texts about misuse. Other panics there
//     pass on a panic of the program (WaitGroup.Go, OnceFunc): their values are not constant.
//  3. Everything else is a panic statement of the program or of a library.
func (m *Machine) panicKind(p ptr) FaultKind {
	w := m.traceWords(m.word(p, pnTrace))
	if len(w) == 0 {
		return GoPanic
	}
	id, pc := uint32(w[0]>>32), int(uint32(w[0]))
	if i := slices.Index(m.rt[:], id); i >= 0 {
		return rtFuncs[i].fault
	}
	f := m.code(id)
	if f.SSA == nil || !f.Trusted || m.prog.PackageOf(f.SSA).Path != "sync" {
		return GoPanic
	}
	if at, ok := f.InstrAt(pc).(*ssa.Panic); ok {
		if x, ok := at.X.(*ssa.MakeInterface); ok {
			if _, constant := x.X.(*ssa.Const); constant {
				return SyncMisuse
			}
		}
	}
	return GoPanic
}

// rtFuncs are the overlay's functions, with the kinds of faults of their panics.
var rtFuncs = [numRtFuncs]struct {
	name  string
	fault FaultKind
}{
	rtPanicMem:          {"hbPanicMem", RuntimePanic},
	rtPanicDivide:       {"hbPanicDivide", RuntimePanic},
	rtPanicShift:        {"hbPanicShift", RuntimePanic},
	rtPanicIndex:        {"hbPanicIndex", RuntimePanic},
	rtPanicSlice:        {"hbPanicSlice", RuntimePanic},
	rtPanicUncomparable: {"hbPanicUncomparable", RuntimePanic},
	rtPanicUnhashable:   {"hbPanicUnhashable", RuntimePanic},
	rtPanicTypeAssert:   {"hbPanicTypeAssert", RuntimePanic},
	rtPanicMakeSlice:    {"hbPanicMakeSlice", RuntimePanic},
	rtPanicMakeChan:     {"hbPanicMakeChan", RuntimePanic},
	rtPanicNilMap:       {"hbPanicNilMap", RuntimePanic},
	rtPanicSendClosed:   {"hbPanicSendClosed", ChannelMisuse},
	rtPanicCloseClosed:  {"hbPanicCloseClosed", ChannelMisuse},
	rtPanicCloseNil:     {"hbPanicCloseNil", ChannelMisuse},
	rtPanicArrayConv:    {"hbPanicArrayConv", RuntimePanic},
	rtPanicText:         {"hbPanicText", FatalError},
	rtPanicNil:          {"hbPanicNil", GoPanic},
	rtPanicRange:        {"hbPanicRange", RuntimePanic},
	rtPanicString:       {"hbPanicString", GoPanic}, // raised for a model, which provides the text
	rtPanicUnsafe:       {"hbPanicUnsafe", RuntimePanic},
	rtPanicWrap:         {"hbPanicWrap", RuntimePanic},
	rtFatalPanic:        {"hbFatalPanic", GoPanic}, // the text of the panic's value was not available
	rtGopanic:           {"gopanic", GoPanic},
	rtMain:              {"main", GoPanic},
	rtGoexit:            {"goexit", GoPanic},
	rtCollector:         {"collector", GoPanic},
}
