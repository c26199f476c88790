package describe

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// Name implements Machine.
func (m *machine) Name(g trace.GID) string {
	path := m.SpawnPath(g)
	if len(path) == 0 {
		return "main"
	}
	var b strings.Builder
	b.WriteByte('g')
	if m.System(g) {
		b.Reset()
		b.WriteString(m.Helper(g))
	}
	for i, n := range path {
		if i > 0 {
			b.WriteByte('.')
		}
		fmt.Fprint(&b, n+1)
	}
	return b.String()
}

// Describe implements Machine.
func (m *machine) Describe(g trace.GID) Event {
	op := m.Next(g)
	stack := m.Stack(g)
	all := slices.Concat(stack, m.created(g))
	e := m.event(g, op.Kind, all)
	if own := func(f Frame) bool { return f.Own }; slices.ContainsFunc(stack, own) {
		e.Noted.Call = m.calls.add(stack)
	} else {
		e.Noted.Call = m.calls.add(all)
	}
	m.inside = len(stack) > 0 && stack[0].Std
	if name, returns, ok := m.Operation(g); ok {
		if e.What, e.Word = name, "call"; returns {
			e.Word = "return"
		}
		e.Internal = ""
	}
	if op.Commutes == trace.Subtracts || op.Commutes == trace.SubtractsLast {
		e.Word = "wg-done" // Add(-1) is shown as Done, too
	}
	m.last, m.lastE, m.elem = op, e, ""
	if image, t, ok := m.MapElem(g); ok && !m.inside {
		m.elem = "no entry"
		if image != nil {
			m.elem = valueText(m.Machine, image, t)
		}
	}
	if op.Kind == trace.Go {
		m.alive = m.alive[:0]
		m.Machine.Live(func(g trace.GID) { m.alive = append(m.alive, g) })
	}
	if op.Kind == trace.Output {
		m.printed = [3]string{1: m.Output(1), 2: m.Output(2)}
	}
	return e
}

// event describes an operation of kind k that g executes with the given stack.
func (m *machine) event(g trace.GID, k trace.Kind, stack []vm.SourceFrame) Event {
	e := Event{G: g, Name: m.Name(g), Kind: k}
	e.Internal = internalPackage(stack)
	if m.System(g) {
		// g executes the machine's own code; there is no place in the program.
		switch m.Helper(g) {
		case "timer":
			e.What = "fires"
			return e
		case "signal":
			e.What = "arrives"
			return e
		case "collector":
			e.Word, e.What = "collector", "collects"
			return e
		case "finalizer":
			if len(stack) == 0 { // the runtime of finalizers, not a finalizer
				e.Internal = "runtime"
			}
		}
	}
	if at, ok := userFrame(stack); ok {
		e.Func, e.Pos, e.Library = at.Func, Plain(at.Pos), at.Std
	}
	switch k {
	case trace.Spin:
		e.What = ShortFunc(e.Func)
		return e
	case trace.Crash: // a message follows
		return e
	}
	var t types.Type
	e.What, t = m.src.what(k, e.Pos)
	if k == trace.Choose && t != nil {
		if _, isMap := t.Underlying().(*types.Map); isMap {
			e.What = RangeOver + e.What
		}
	}
	return e
}

// RangeOver begins the text of a choice of the next map entry.
const RangeOver = "range "

// internalPackage returns the package of the library function that code outside of the library called last,
// if that package synchronises internally and its callers do not see that; otherwise "".
func internalPackage(stack []vm.SourceFrame) string {
	for _, f := range stack {
		if !f.Std {
			break
		}
		for _, p := range []string{"testing", "context", "hbcheck.dev/hbcheck/hbtest/lin"} {
			if strings.HasPrefix(f.Func, p+".") {
				return p[strings.LastIndexByte(p, '/')+1:]
			}
		}
	}
	return ""
}
