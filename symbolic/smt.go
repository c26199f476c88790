package symbolic

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Externals are the solvers that can be used over a pipe, by the names of their programs.
func Externals() []string { return []string{"z3", "cvc5"} }

// command returns the command line of a solver and its first input. The solver is bounded by resources that
// it counts itself, so that its answers do not depend on time. Reaching this bound takes about as long as
// reaching the bound of circuits.
func command(program string, effort int) (args, options []string) {
	switch program {
	case "z3":
		return []string{"-in"}, []string{fmt.Sprintf("(set-option :rlimit %d)", max(effort/16, 1))}
	case "cvc5":
		return []string{"--lang=smt2", "--incremental", fmt.Sprintf("--rlimit-per=%d", max(effort/2048, 1))}, nil
	}
	return nil, nil
}

// smt asks a program in SMT-LIB 2. There is one process for each theory: integers, for sets in
// which nothing can wrap (integers.go), and bit vectors.
//
// The program is not trusted: its models are evaluated. If it ends, writes nonsense, or writes nothing for
// too long, it is killed, the answer is Unknown, and it is started again for the next check. The program is
// not asked any more after mostFailures failures in a row, or after a wrong answer (Solver.confirm).
type smt struct {
	c         *Context
	program   string
	effort    int
	patience  time.Duration // the time after which a program counts as hanging
	ints      *arith        // asserts the ranges
	processes *[2]*process
	failures  int
	trouble   string // the last fault
}

const mostFailures = 3

func newSMT(c *Context, program string, effort int) *smt {
	s := &smt{c: c, program: program, effort: effort, patience: time.Minute, ints: newArith(c), processes: new([2]*process)}
	runtime.AddCleanup(s, killAll, s.processes)
	return s
}

// killAll ends processes, also those of a solver that no variable refers to any more.
func killAll(processes *[2]*process) {
	for i, p := range processes {
		if p != nil {
			p.kill()
			processes[i] = nil
		}
	}
}

func (s *smt) name() string { return s.program }

func (s *smt) close() { killAll(s.processes) }

// distrust is called when an answer is wrong: the program is not asked any more.
func (s *smt) distrust() {
	s.failures, s.trouble = mostFailures, filepath.Base(s.program)+": its answers are wrong"
	s.close()
}

func (s *smt) check(set []*Term) (Result, Model) {
	if s.failures >= mostFailures {
		return Unknown, nil
	}
	theory := 0
	var e encoding = bitVectors{}
	if ints, ok := newIntegers(s.ints, set); ok {
		theory, e = 1, ints
	}
	p, err := s.process(theory, e)
	if err == nil {
		var r Result
		var m Model
		if r, m, err = p.ask(e, set, s.patience); err == nil {
			s.failures = 0
			return r, m
		}
	}
	s.failures++
	s.trouble = fmt.Sprintf("%s: %v", filepath.Base(s.program), err)
	if p != nil {
		p.kill()
		s.processes[theory] = nil
	}
	return Unknown, nil
}

// process returns the process for a theory, and starts it if necessary.
func (s *smt) process(theory int, e encoding) (*process, error) {
	if p := s.processes[theory]; p != nil {
		return p, nil
	}
	args, options := command(s.program, s.effort)
	p, err := start(s.program, args)
	if err != nil {
		return nil, err
	}
	p.say(append(options, "(set-option :produce-models true)", "(set-logic "+e.logic()+")")...)
	s.processes[theory] = p
	return p, nil
}

// ask decides whether a set of constraints holds for some values, and returns these.
func (p *process) ask(e encoding, set []*Term, limit time.Duration) (Result, Model, error) {
	p.say("(push 1)")
	w := writer{e: e, p: p, names: make(map[*Term]string)}
	vars := variables(set)
	var names []string
	for _, v := range vars {
		n := fmt.Sprintf("v%d", v.id)
		w.names[v] = n
		names = append(names, n)
		p.say("(declare-const " + n + " " + e.sort(v) + ")")
		w.assert(e.about(v))
	}
	for _, t := range set {
		w.assert(w.name(t))
	}
	p.say("(check-sat)")
	answer, err := p.read(limit)
	if err != nil {
		return Unknown, nil, err
	}
	defer p.say("(pop 1)")
	switch answer.atom {
	case "sat":
	case "unsat":
		return Unsat, nil, nil
	case "unknown", "timeout", "resourceout":
		return Unknown, nil, nil
	default:
		return Unknown, nil, fmt.Errorf("unexpected answer of the solver: %v", answer)
	}
	m := make(Model)
	if len(vars) == 0 {
		return Sat, m, nil
	}
	p.say("(get-value (" + strings.Join(names, " ") + "))")
	answer, err = p.read(limit) // ((v1 value) (v2 value))
	if err != nil {
		return Unknown, nil, err
	}
	for i, v := range vars {
		if i >= len(answer.list) || len(answer.list[i].list) != 2 {
			return Unknown, nil, fmt.Errorf("unexpected model of the solver: %v", answer)
		}
		x, ok := e.value(v, answer.list[i].list[1])
		if !ok {
			return Unknown, nil, fmt.Errorf("unexpected model of the solver: %v", answer)
		}
		m[v] = x
	}
	return Sat, m, nil
}

// An encoding writes terms in the language of a theory.
type encoding interface {
	logic() string
	sort(v *Term) string              // of a variable
	about(t *Term) string             // a constraint that t needs, or ""
	apply(t *Term, a []string) string // the text of t with arguments a
	value(v *Term, s sexpr) (uint64, bool)
}

// A writer defines a term after its arguments, each once.
type writer struct {
	e     encoding
	p     *process
	names map[*Term]string
}

func (w *writer) name(t *Term) string {
	if n, ok := w.names[t]; ok {
		return n
	}
	var args []string
	for _, a := range t.arg {
		if a != nil {
			args = append(args, w.name(a))
		}
	}
	n := w.e.apply(t, args)
	if t.op != OpConst {
		sort := "Bool"
		if t.width != Bool {
			sort = w.e.sort(t)
		}
		w.p.say(fmt.Sprintf("(define-fun t%d () %s %s)", t.id, sort, n))
		n = fmt.Sprintf("t%d", t.id)
	}
	w.names[t] = n
	w.assert(w.e.about(t))
	return n
}

func (w *writer) assert(s string) {
	if s != "" {
		w.p.say("(assert " + s + ")")
	}
}

// bitVectors is the theory that terms are made for.
type bitVectors struct{}

func (bitVectors) logic() string { return "QF_BV" }

func (bitVectors) sort(v *Term) string {
	if v.width == Bool {
		return "Bool"
	}
	return fmt.Sprintf("(_ BitVec %d)", v.width)
}

func (bitVectors) about(*Term) string { return "" }

var bvNames = map[Op]string{
	OpAdd: "bvadd", OpMul: "bvmul", OpDivS: "bvsdiv", OpDivU: "bvudiv", OpRemS: "bvsrem",
	OpRemU: "bvurem", OpAnd: "bvand", OpOr: "bvor", OpXor: "bvxor", OpShl: "bvshl", OpShrS: "bvashr",
	OpShrU: "bvlshr", OpIte: "ite", OpEq: "=", OpLtS: "bvslt", OpLtU: "bvult", OpBoolNot: "not",
	OpBoolAnd: "and",
}

func (bitVectors) apply(t *Term, a []string) string {
	switch t.op {
	case OpConst:
		if t.width == Bool {
			return fmt.Sprint(t.value == 1)
		}
		return fmt.Sprintf("(_ bv%d %d)", t.value, t.width)
	case OpTrunc:
		return fmt.Sprintf("((_ extract %d 0) %s)", t.width-1, a[0])
	case OpSExt:
		return fmt.Sprintf("((_ sign_extend %d) %s)", t.width-t.arg[0].width, a[0])
	case OpZExt:
		return fmt.Sprintf("((_ zero_extend %d) %s)", t.width-t.arg[0].width, a[0])
	}
	return "(" + bvNames[t.op] + " " + strings.Join(a, " ") + ")"
}

// value reads #b0101, #x0a and (_ bv10 8), or true and false.
func (bitVectors) value(v *Term, s sexpr) (uint64, bool) {
	var x uint64
	var n int
	switch {
	case s.atom == "true" || s.atom == "false":
		return truth(s.atom == "true"), true
	case strings.HasPrefix(s.atom, "#b"):
		n, _ = fmt.Sscanf(s.atom, "#b%b", &x)
	case strings.HasPrefix(s.atom, "#x"):
		n, _ = fmt.Sscanf(s.atom, "#x%x", &x)
	case len(s.list) == 3 && s.list[0].atom == "_":
		n, _ = fmt.Sscanf(s.list[1].atom, "bv%d", &x)
	}
	return x & mask(v.width), n == 1
}

// A process is a running solver.
type process struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   strings.Builder
	lines chan sexpr // the lines that the solver writes; closed when it ends
}

func start(program string, args []string) (*process, error) {
	cmd := exec.Command(program, args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, in: in, lines: make(chan sexpr, 16)}
	go func() {
		defer close(p.lines)
		r := bufio.NewReader(out)
		for {
			s, err := readSexpr(r)
			if err != nil {
				return
			}
			p.lines <- s
		}
	}()
	return p, nil
}

// say adds lines, which the next read writes.
func (p *process) say(lines ...string) {
	for _, l := range lines {
		p.out.WriteString(l)
		p.out.WriteByte('\n')
	}
}

// read writes the pending input and returns the next output of the process. If the process does not
// read its input, the goroutine that writes is blocked until the process is killed.
func (p *process) read(limit time.Duration) (sexpr, error) {
	text := p.out.String()
	p.out.Reset()
	go io.WriteString(p.in, text)
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case s, ok := <-p.lines:
		if !ok {
			return s, errors.New("has ended")
		}
		return s, nil
	case <-t.C:
		return sexpr{}, errors.New("does not answer")
	}
}

// kill ends the process and waits for it.
func (p *process) kill() {
	p.in.Close()
	p.cmd.Process.Kill()
	for range p.lines {
	}
	p.cmd.Wait()
}

// A sexpr is an atom or a list.
type sexpr struct {
	atom string
	list []sexpr
}

func (s sexpr) String() string {
	if s.list == nil {
		return s.atom
	}
	var b []string
	for _, x := range s.list {
		b = append(b, x.String())
	}
	return "(" + strings.Join(b, " ") + ")"
}

// largest is the number of bytes of one answer that are read: a program that writes more has
// failed.
const largest = 1 << 20

func readSexpr(r *bufio.Reader) (sexpr, error) {
	left := largest
	return parse(r, &left)
}

func parse(r *bufio.Reader, left *int) (sexpr, error) {
	var word []byte
	for {
		c, err := r.ReadByte()
		if *left--; err != nil || *left < 0 {
			return sexpr{}, io.ErrUnexpectedEOF
		}
		switch {
		case c == '(' && len(word) == 0:
			list := []sexpr{}
			for {
				s, err := parse(r, left)
				if err != nil {
					return s, err
				}
				if s.list == nil && s.atom == ")" {
					return sexpr{list: list}, nil
				}
				list = append(list, s)
			}
		case c == ')' && len(word) == 0:
			return sexpr{atom: ")"}, nil
		case c == '(' || c == ')':
			r.UnreadByte()
			return sexpr{atom: string(word)}, nil
		case c == '"':
			text, err := r.ReadBytes('"')
			if *left -= len(text); err != nil {
				return sexpr{}, err
			}
			return sexpr{atom: `"` + string(text)}, nil
		case slices.Contains([]byte(" \t\r\n"), c):
			if len(word) > 0 {
				return sexpr{atom: string(word)}, nil
			}
		default:
			word = append(word, c)
		}
	}
}
