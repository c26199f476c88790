// Package litmus turns litmus tests, one line each, into Go programs.
//
// A test is a number of threads: "T1: W x 1; a=R y | T2: W y 1; R x". Memory starts as 0.
//
//	W x e           store e in x
//	a=R x           load; without "a=" the value is not used
//	a=FADD x e      add e; a is the value before
//	a=XCHG x e      store e; a is the value before
//	CAS x e f       if x is e, store f
//	LOCK m          of a mutex
//	UNLOCK m
//	ASSUME e        continue only if e is not 0, else wait forever
//	a:=e            of a register, which belongs to the thread
//	IF e { ... } ELSE { ... }
//	WHILE e { ... }
//	REP n { ... }
//
// x may be an element of an array: v[1], v[i]. Expressions are those of Go and have no
// spaces. In the Go program variables are atomic.Int64 and threads are
// goroutines; main only starts them and waits for them, so that it adds no other order.
package litmus

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Program is a litmus test.
type Program struct {
	threads [][]stmt
	vars    []string // in the order of their first use
	arrays  map[string]bool
	size    int // of every array
	locks   []string
}

// stmt is a statement.
type stmt struct {
	op          string   // its first word, or ":="
	reg         string   // the register that is assigned, or ""
	loc         string   // variable or lock
	args        []string // expressions
	body, other []stmt   // of IF, WHILE and REP
}

// operands has the number of expressions after the location, for statements that have one.
var operands = map[string]int{"W": 1, "R": 0, "FADD": 1, "XCHG": 1, "CAS": 2, "LOCK": 0, "UNLOCK": 0}

// Parse reads a test.
func Parse(text string) (*Program, error) {
	p := &Program{arrays: make(map[string]bool), size: 1}
	for thread := range strings.SplitSeq(text, "|") {
		_, code, ok := strings.Cut(thread, ":")
		if !ok {
			return nil, fmt.Errorf("litmus: a thread without a name: %q", thread)
		}
		for _, sep := range []string{";", "{", "}"} {
			code = strings.ReplaceAll(code, sep, " "+sep+" ")
		}
		q := parser{words: strings.Fields(code), p: p}
		list, err := q.list()
		if err == nil && len(q.words) > 0 {
			err = fmt.Errorf("%q is not expected", q.words[0])
		}
		if err != nil {
			return nil, fmt.Errorf("litmus: %q: %w", thread, err)
		}
		p.threads = append(p.threads, list)
	}
	return p, nil
}

// parser has the rest of a thread.
type parser struct {
	words []string
	p     *Program
}

// word returns the next word, or "".
func (q *parser) word() string {
	if len(q.words) == 0 {
		return ""
	}
	w := q.words[0]
	q.words = q.words[1:]
	return w
}

func (q *parser) expect(want string) error {
	if w := q.word(); w != want {
		return fmt.Errorf("%q where %q should be", w, want)
	}
	return nil
}

// list reads statements up to the end or a closing brace.
func (q *parser) list() (list []stmt, err error) {
	for len(q.words) > 0 && q.words[0] != "}" {
		if q.words[0] == ";" {
			q.word()
			continue
		}
		s, err := q.stmt()
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

func (q *parser) block() ([]stmt, error) {
	if err := q.expect("{"); err != nil {
		return nil, err
	}
	list, err := q.list()
	if err != nil {
		return nil, err
	}
	return list, q.expect("}")
}

func (q *parser) stmt() (s stmt, err error) {
	w := q.word()
	if reg, e, ok := strings.Cut(w, ":="); ok {
		q.p.fits(e)
		return stmt{op: ":=", reg: reg, args: []string{e}}, nil
	}
	s.op = w
	if reg, op, ok := strings.Cut(w, "="); ok {
		s.reg, s.op = reg, op
	}
	switch s.op {
	case "ASSUME":
		s.args = []string{q.word()}
		return s, nil
	case "IF", "WHILE", "REP":
		s.args = []string{q.word()}
		if s.body, err = q.block(); err != nil {
			return s, err
		}
		if s.op == "IF" && len(q.words) > 0 && q.words[0] == "ELSE" {
			q.word()
			s.other, err = q.block()
		}
		return s, err
	}
	n, known := operands[s.op]
	if !known {
		return s, fmt.Errorf("no such statement: %q", s.op)
	}
	if s.loc = q.word(); s.loc == "" {
		return s, fmt.Errorf("%s of nothing", s.op)
	}
	q.p.declare(s.op, s.loc)
	for range n {
		s.args = append(s.args, q.word())
	}
	return s, nil
}

// declare notes that loc is used by op.
func (p *Program) declare(op, loc string) {
	list := &p.vars
	if op == "LOCK" || op == "UNLOCK" {
		list = &p.locks
	}
	name, index, array := strings.Cut(loc, "[")
	if !slices.Contains(*list, name) {
		*list = append(*list, name)
	}
	if array {
		p.arrays[name] = true
		p.fits(index)
	}
}

var number = regexp.MustCompile(`\b\d+`)

// fits makes arrays large enough for the numbers in an index, or in an expression that may become one.
func (p *Program) fits(e string) {
	for _, n := range number.FindAllString(e, -1) {
		if i, err := strconv.Atoi(n); err == nil {
			p.size = max(p.size, i+1)
		}
	}
}
