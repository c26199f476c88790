package vm

import (
	"strings"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/compile"
	"math"
	"strconv"
	"unsafe"
)

// runAuto executes goroutines in turn, granting whatever is enabled, until
// auto ends (packages are initialised), the program is over, or nobody can go on.
func (m *Machine) runAuto() {
	for m.auto && !m.over() {
		ran := false
		for i := 0; i < len(m.gs) && m.auto && !m.over(); i++ {
			g := m.gs[i]
			for !m.over() && (g.status == gReady && m.peekAuto(g) > 0 || g.status == gLocal) {
				ran = true
				g.status = gLocal
				m.exec(g)
				if g.status == gLocal {
					break // its turn is over
				}
			}
		}
		m.ready = m.ready[:0]
		if m.cfg.Interrupt != nil && m.cfg.Interrupt() {
			m.cut = "interrupted"
		}
		if m.heap.sinceGC > gcThreshold && m.heap.sinceGC > m.heap.live/2 {
			m.collect()
		}
		if !ran && m.auto && !m.passTime() {
			return
		}
		if m.cfg.Run && m.mainEnd {
			m.exited = true
		}
	}
	if !m.over() {
		m.settle2()
	}
}

// settle2 brings every goroutine to its next visible operation after auto ended.
func (m *Machine) settle2() {
	for i := 0; i < len(m.gs) && !m.over(); i++ {
		for m.gs[i].status == gLocal && !m.over() {
			m.exec(m.gs[i])
		}
	}
	m.ready = m.ready[:0]
}

// peekAuto is peek for run mode, where those who wait for time do not run by themselves.
func (m *Machine) peekAuto(g *goroutine) int {
	if k := g.pending.Kind; k == trace.Sleep || k == trace.Timer {
		return 0
	}
	return m.peek(g)
}

// passTime wakes the goroutine with the earliest deadline in run mode.
func (m *Machine) passTime() bool {
	var first *goroutine
	for _, g := range m.gs {
		if m.sleeping(g) && (first == nil || m.deadline(g) < m.deadline(first)) {
			first = g
		}
	}
	if first == nil {
		return false
	}
	first.status = gLocal
	m.exec(first)
	return true
}

// autoChoice picks one of n alternatives in run mode: pseudo-random, the same
// in every run.
func (m *Machine) autoChoice(n int) int32 {
	if n <= 1 {
		return 0
	}
	m.rand ^= m.rand << 13
	m.rand ^= m.rand >> 7
	m.rand ^= m.rand << 17
	return int32(m.rand >> 33 % uint64(n))
}

// output appends b to stream fd.
func (m *Machine) output(fd int, b []byte) {
	if m.cfg.Run {
		if w := m.cfg.Stdout; fd == 1 && w != nil {
			w.Write(b)
			return
		}
		if w := m.cfg.Stderr; fd == 2 && w != nil {
			w.Write(b)
			return
		}
	}
	m.out = append(m.out, b...)
	if n := len(m.runs); n > 0 && m.runs[n-1].fd == fd && len(m.marks) == 0 {
		m.runs[n-1].end = len(m.out)
		return
	}
	m.runs = append(m.runs, outRun{len(m.out), fd})
}

// Output returns what the path so far has written to stream fd.
func (m *Machine) Output(fd int) string {
	var b strings.Builder
	start := 0
	for _, r := range m.runs {
		if r.fd == fd {
			b.Write(m.out[start:r.end])
		}
		start = r.end
	}
	return b.String()
}

// print executes one operand of the print builtins, which write to stderr.
func (m *Machine) print(a *uint64, class uint16) {
	var s string
	f := func(x float64) string { return formatFloat(x) }
	a1 := *(*uint64)(unsafe.Add(unsafe.Pointer(a), 8))
	switch class {
	case compile.PrintBool:
		s = strconv.FormatBool(*a != 0)
	case compile.PrintInt:
		s = strconv.FormatInt(int64(*a), 10)
	case compile.PrintUint:
		s = strconv.FormatUint(*a, 10)
	case compile.PrintFloat:
		s = f(math.Float64frombits(*a))
	case compile.PrintFloat32:
		s = f(float64(math.Float32frombits(uint32(*a))))
	case compile.PrintComplex:
		s = "(" + f(math.Float64frombits(*a)) + f(math.Float64frombits(a1)) + "i)"
	case compile.PrintComplex64:
		s = "(" + f(float64(math.Float32frombits(uint32(*a)))) + f(float64(math.Float32frombits(uint32(*a>>32)))) + "i)"
	case compile.PrintString:
		s = m.str(*a, a1)
	case compile.PrintPointer:
		s = "0x" + strconv.FormatUint(*a, 16)
	case compile.PrintIface:
		s = "(0x" + strconv.FormatUint(*a, 16) + ",0x" + strconv.FormatUint(a1, 16) + ")"
	case compile.PrintSlice:
		s = "[" + strconv.FormatInt(int64(a1), 10) + "/" + strconv.FormatInt(int64(*(*uint64)(unsafe.Add(unsafe.Pointer(a), 16))), 10) + "]0x" + strconv.FormatUint(*a, 16)
	case compile.PrintSpace:
		s = " "
	case compile.PrintNewline:
		s = "\n"
	}
	m.output(2, []byte(s))
}

// formatFloat writes x as the print builtin does since Go 1.26: the shortest
// digits that read back as x, with an exponent.
func formatFloat(x float64) string {
	switch {
	case x != x:
		return "NaN"
	case math.IsInf(x, 1):
		return "+Inf"
	case math.IsInf(x, -1):
		return "-Inf"
	}
	return strconv.FormatFloat(x, 'e', -1, 64)
}

// unsupported ends the execution's claim to completeness at the call g is in.
func (m *Machine) unsupported(g *goroutine, text string) {
	pos := m.callerPos(g)
	m.fault = nil
	m.cut = pos.String() + ": unsupported: " + text
	g.status = gReady
	g.pending = trace.Op{G: g.id, Kind: trace.Crash}
}

// stackOverflow ends the program as the runtime does.
func (m *Machine) stackOverflow(g *goroutine) {
	m.crash(g, "fatal", "stack overflow", "runtime: goroutine stack exceeds 1000000000-byte limit\nfatal error: stack overflow\n")
}

// crash ends the program with a fault.
func (m *Machine) crash(g *goroutine, kind, msg, text string) {
	m.output(2, []byte(text))
	f := &Fault{Kind: kind, Message: msg, G: g.id, Exit: 2, Frames: m.Stack(g.id)}
	if len(f.Frames) > 0 {
		f.Pos = f.Frames[0].Pos
	}
	m.fault = f
	g.status = gReady
	g.pending = trace.Op{G: g.id, Kind: trace.Crash}
}

// literal returns the address of a host text's bytes.
func (m *Machine) literal(s string) uint64 { return m.link.Literal(s) }

// clockHash is the part of the clock that matters for what can still happen.
func (m *Machine) clockHash() int64 {
	if !m.link.clockUsed {
		return 0
	}
	return m.clock
}
