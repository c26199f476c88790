package litmus

import (
	"fmt"
	"go/format"
	"regexp"
	"slices"
	"strings"
)

// Source returns a Go package main with a function called name(i) for the i-th of the
// programs, and a main that does nothing.
func Source(programs []*Program, name func(i int) string) (string, error) {
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n\"sync\"\n\"sync/atomic\"\n)\n\nfunc main() {}\n")
	b.WriteString("\n// Both are used by every program, however small.\nvar (\n_ sync.Mutex\n_ atomic.Int64\n)\n")
	b.WriteString("\n// Additions whose result nobody uses commute, which they do not in the tables.\nfunc seen(int64) {}\n")
	for i, p := range programs {
		fmt.Fprintf(&b, "\n%s", p.function(name(i)))
	}
	text, err := format.Source([]byte(b.String()))
	if err != nil {
		return "", fmt.Errorf("litmus: %w in\n%s", err, b.String())
	}
	return string(text), nil
}

// function returns the program as a Go function, not formatted.
func (p *Program) function(name string) string {
	w := &writer{p: p}
	w.line("func %s() {", name)
	for _, v := range p.vars {
		if p.arrays[v] {
			w.line("var %s [%d]atomic.Int64", v, p.size)
		} else {
			w.line("var %s atomic.Int64", v)
		}
	}
	for _, l := range p.locks {
		w.line("var %s sync.Mutex", l)
	}
	w.line("var wg sync.WaitGroup")
	w.line("wg.Add(%d)", len(p.threads))
	for _, t := range p.threads {
		w.line("go func() {")
		w.line("defer wg.Done()")
		w.used = used(t, nil)
		if len(w.used) > 0 {
			w.line("var %s int64", strings.Join(w.used, ", "))
		}
		w.list(t)
		w.line("}()")
	}
	w.line("wg.Wait()")
	w.line("}")
	return w.String()
}

// writer writes one function.
type writer struct {
	strings.Builder
	p    *Program
	used []string // registers of the thread whose values are used
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

func (w *writer) list(list []stmt) {
	for _, s := range list {
		w.stmt(&s)
	}
}

func (w *writer) stmt(s *stmt) {
	switch s.op {
	case "IF":
		w.line("if %s {", condition(s.args[0]))
		w.list(s.body)
		if s.other != nil {
			w.line("} else {")
			w.list(s.other)
		}
		w.line("}")
	case "WHILE":
		w.line("for %s {", condition(s.args[0]))
		w.list(s.body)
		w.line("}")
	case "REP":
		w.line("for range %s {", s.args[0])
		w.list(s.body)
		w.line("}")
	case "ASSUME":
		w.line("if !(%s) {\nselect {}\n}", condition(s.args[0]))
	case ":=":
		w.line("%s = %s", s.reg, s.args[0])
	case "W":
		w.line("%s.Store(%s)", s.loc, s.args[0])
	case "R":
		w.line("%s%s.Load()", w.assign(s), s.loc)
	case "XCHG":
		w.line("%s%s.Swap(%s)", w.assign(s), s.loc, s.args[0])
	case "FADD":
		if a := w.assign(s); a != "" {
			w.line("%s%s.Add(%s) - (%s)", a, s.loc, s.args[0], s.args[0])
		} else {
			w.line("seen(%s.Add(%s))", s.loc, s.args[0])
		}
	case "CAS":
		w.line("%s.CompareAndSwap(%s, %s)", s.loc, s.args[0], s.args[1])
	case "LOCK":
		w.line("%s.Lock()", s.loc)
	case "UNLOCK":
		w.line("%s.Unlock()", s.loc)
	default:
		panic("BUG: statement " + s.op)
	}
}

// assign returns the beginning of an assignment to the register of s, if its value is used.
func (w *writer) assign(s *stmt) string {
	if s.reg == "" || !slices.Contains(w.used, s.reg) {
		return ""
	}
	return s.reg + " = "
}

// condition makes an expression a condition.
func condition(e string) string {
	if strings.ContainsAny(e, "<>") || strings.Contains(e, "==") || strings.Contains(e, "!=") {
		return e
	}
	return e + " != 0"
}

var register = regexp.MustCompile(`[A-Za-z]\w*`)

// used appends to regs the registers in the expressions of list, each once.
func used(list []stmt, regs []string) []string {
	for _, s := range list {
		_, index, _ := strings.Cut(s.loc, "[")
		for _, e := range append([]string{index}, s.args...) {
			for _, r := range register.FindAllString(e, -1) {
				if !slices.Contains(regs, r) {
					regs = append(regs, r)
				}
			}
		}
		regs = used(s.other, used(s.body, regs))
	}
	return regs
}
