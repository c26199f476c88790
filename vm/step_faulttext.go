package vm

import (
	"fmt"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/trace"
)

// panicsText prints a chain of panics, the oldest first.
func (m *Machine) panicsText(p ptr) string {
	var b strings.Builder
	if link := m.word(p, pnLink); link != 0 {
		b.WriteString(m.panicsText(link))
		if m.word(link, pnFlags)&pfAgain != 0 {
			return b.String()
		}
		if m.word(link, pnFlags)&pfGoexit == 0 {
			b.WriteByte('\t')
		}
	}
	fl := m.word(p, pnFlags)
	if fl&pfGoexit != 0 {
		return b.String()
	}
	b.WriteString("panic: " + m.panicValue(m.word(p, pnType), m.word(p, pnData)))
	switch {
	case fl&(pfRecovered|pfAgain) == pfRecovered|pfAgain:
		b.WriteString(" [recovered, repanicked]")
	case fl&pfRecovered != 0:
		b.WriteString(" [recovered]")
	}
	b.WriteByte('\n')
	return b.String()
}

// panicValue prints a panic's value. Errors and Stringers have been replaced
// by their texts (runtime.hbStringify).
func (m *Machine) panicValue(tw, data uint64) string {
	if tw == 0 {
		return "nil"
	}
	t := m.link.TypeAt(tw)
	if t == nil {
		return fmt.Sprintf("(%#x) %#x", tw, data)
	}
	name := m.typeString(tw)
	text, ok := m.basicText(tw, data)
	switch {
	case !ok:
		return fmt.Sprintf("(%s) %#x", name, data)
	case isPredeclared(t.Type):
		return text
	case isString(t.Type):
		return name + `("` + text + `")`
	case strings.HasPrefix(text, "("): // complex
		return name + text
	}
	return name + "(" + text + ")"
}

// indent puts a tab before every line except the first.
func indent(s string) string { return strings.ReplaceAll(s, "\n", "\n\t") }

// goid returns g's number in stacks: main is 1. Natively a test has a goroutine of its own.
func (m *Machine) goid(g *goroutine) string { return itoa(uint64(g.ID) + 1 + b2u(m.testOnMain())) }

// testerText is the stack of the goroutine that waits for a test, if the machine runs the test on main.
const testerText = `
goroutine 1 [chan receive]:
testing.(*T).Run(...)
	$hbcheck/testing/main.go:61 +0x1
testing.(*M).Run(...)
	$hbcheck/testing/main.go:82 +0x1
main.main()
	_testmain.go:46 +0x1
`

// goroutineText prints g's stack under a heading.
func (m *Machine) goroutineText(g *goroutine, status string) string {
	return "\ngoroutine " + m.goid(g) + " [" + status + "]:\n" + m.framesText(m.Report().Stack(g.ID)) + m.createdText(g)
}

// othersText prints all goroutines except g that have not ended.
func (m *Machine) othersText(g *goroutine) string {
	var b strings.Builder
	for _, s := range m.order {
		if q := m.gs[s]; q != g && q.status != gEnded && !q.system {
			b.WriteString(m.goroutineText(q, m.waitReason(q)))
		}
	}
	return b.String()
}

// showsProgram reports whether othersText shows a goroutine that executes code of the program, or has
// executed some since its last operation. A goroutine's place between two operations could be another one.
// (No program depends on the place inside of the library.)
func (m *Machine) showsProgram(g *goroutine) bool {
	return slices.ContainsFunc(m.order, func(s uint32) bool {
		q := m.gs[s]
		return q != g && q.status != gEnded && !q.system && !(q.leaves && q.ending())
	})
}

// framesText prints frames in the runtime's layout, without arguments.
func (m *Machine) framesText(frames []SourceFrame) string {
	var b strings.Builder
	for _, f := range frames {
		args := ""
		if f.Args {
			args = "..."
		}
		fmt.Fprintf(&b, "%s(%s)\n\t%s:%d +%#x\n", f.Func, args, m.prog.Recorded(f.Pos.Filename), f.Pos.Line, f.PC)
	}
	return b.String()
}

// createdText returns the text about the place where g was started.
func (m *Machine) createdText(g *goroutine) string {
	if g.parent == trace.NoGID {
		return ""
	}
	at := m.frame(m.code(g.goFunc), g.goPC)
	if stack := m.Report().CreationStack(g.ID); at.helper && len(stack) > 0 {
		at = &stack[0]
	}
	return fmt.Sprintf("created by %s in goroutine %d\n\t%s:%d +%#x\n", at.Func, g.parent+1, m.prog.Recorded(at.Pos.Filename), at.Pos.Line, at.PC)
}

// basicText returns the text of a value of basic kind as the print builtin
// writes it; ok is false for other kinds.
func (m *Machine) basicText(tw, data uint64) (text string, ok bool) {
	t := m.link.TypeAt(tw)
	class, ok := printable(t.Type)
	if !ok {
		return "", false
	}
	var image [2]uint64
	p := m.heap.Load(data, uint64(t.Layout.Size), 0)
	if p == nil {
		return "", false
	}
	t.Layout.Load(&image[0], p)
	text = m.mem.PrintText(&image[0], uint16(class))
	if isString(t.Type) {
		text = indent(text)
	}
	return text, true
}

// typeString returns the name of the type that tw denotes, as printed by %T.
func (m *Machine) typeString(tw uint64) string {
	return m.link.TypeName(m.link.TypeAt(tw).Type)
}
