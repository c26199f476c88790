package progen

import (
	"fmt"
	"strings"
)

// Source returns the program as a file of package main, with an entry function
// of its own and names that no other program has: many can form one package
// with Helpers. Every statement has a line of its own, which names its place in Explore
// and the machine.
func (p *Prog) Source() string {
	s := &source{p: p, b: new(strings.Builder), line: 1}
	s.decls()
	return s.b.String()
}

// source prints a program.
type source struct {
	p      *Prog
	b      *strings.Builder
	line   int
	indent int
	jitter bool
}

// ln prints one line.
func (s *source) ln(format string, args ...any) {
	s.b.WriteString(strings.Repeat("\t", s.indent))
	fmt.Fprintf(s.b, format, args...)
	s.b.WriteByte('\n')
	s.line++
}

func (s *source) open(format string, args ...any) {
	s.ln(format, args...)
	s.indent++
}

func (s *source) close(format string, args ...any) {
	s.indent--
	s.ln(format, args...)
}

// id returns a package-level name of the program's own.
func (s *source) id(kind string, n int) string {
	return fmt.Sprintf("%s_%s%d", strings.ToLower(s.p.Name), kind, n)
}

func (s *source) decls() {
	p := s.p
	s.ln("package main")
	s.ln("")
	if p.Mus+p.RWs+len(p.Conds)+p.WGs+p.Onces > 0 {
		s.ln(`import "sync"`)
	}
	if p.Atoms > 0 {
		s.ln(`import "sync/atomic"`)
	}
	for t, name := range typeNames {
		s.ln("type %s %s", s.id("c", t), name)
	}
	for i, v := range p.Vars {
		t := typeNames[v.Type]
		switch v.Place {
		case PkgVar:
			for k := range v.N {
				s.ln("var %s_%d %s", s.id("v", i), k, t)
			}
		case PkgStruct:
			s.ln("var %s struct { _ int8; f [1]%s; %s %s }", s.id("v", i), t, s.fields(v.N), t)
		case PkgArray:
			s.ln("var %s [%d]%s", s.id("v", i), v.N, t)
		case PkgSlice:
			s.ln("var %s = make([]%s, %d)", s.id("v", i), t, v.N)
		case PtrField:
			s.ln("type %s struct { %s %s }", s.id("s", i), s.fields(v.N), t)
		case ListField:
			s.ln("type %s struct { f %s; next *%s }", s.id("s", i), t, s.id("s", i))
		}
	}
	for i := range p.Mus {
		s.ln("var %s sync.Mutex", s.id("mu", i))
	}
	for i := range p.RWs {
		s.ln("var %s sync.RWMutex", s.id("rw", i))
	}
	for i, m := range p.Conds {
		s.ln("var %s = sync.NewCond(&%s)", s.id("cv", i), s.id("mu", m))
	}
	for i := range p.WGs {
		s.ln("var %s sync.WaitGroup", s.id("wg", i))
	}
	for i := range p.Onces {
		s.ln("var %s sync.Once", s.id("once", i))
	}
	for i := range p.Atoms {
		s.ln("var %s atomic.Int64", s.id("at", i))
	}
	s.ln("")
	s.open("func %s() {", p.Name)
	for i, v := range p.Vars {
		t := typeNames[v.Type]
		switch v.Place {
		case Captured:
			for k := range v.N {
				s.ln("var v%d_%d %s", i, k, t)
				s.ln("_ = v%d_%d", i, k)
			}
		case PtrField:
			s.ln("v%d := new(%s)", i, s.id("s", i))
			s.ln("_ = v%d", i)
		case SliceElem:
			s.ln("v%d := make([]%s, %d)", i, t, v.N)
			s.ln("_ = v%d", i)
		case ListField:
			s.ln("v%d := new(%s)", i, s.id("s", i))
			at := fmt.Sprintf("v%d", i)
			for range v.N - 1 {
				at += ".next"
				s.ln("%s = new(%s)", at, s.id("s", i))
			}
		}
	}
	for i, c := range p.Chans {
		s.ln("var ch%d chan %s", i, s.id("c", int(c.Type)))
		s.ln("_ = ch%d", i)
		if !c.Nil {
			s.ln("ch%d = make(chan %s, %d)", i, s.id("c", int(c.Type)), c.Cap)
		}
	}
	for i := range p.Maps {
		s.ln("m%d := make(map[int]int)", i)
		s.ln("_ = m%d", i)
	}
	s.locals(false)
	s.body(p.Main)
	s.close("}")
}

// fields names the n fields of a struct.
func (s *source) fields(n int) string {
	var f []string
	for k := range n {
		f = append(f, fmt.Sprintf("f%d", k))
	}
	return strings.Join(f, ", ")
}

// locals declares a goroutine's local variables. With arg, the first one has
// the value of arg.
func (s *source) locals(arg bool) {
	if arg {
		s.ln("l0 := arg")
	} else {
		s.ln("var l0 int")
	}
	for i := 1; i < Locals; i++ {
		s.ln("var l%d int", i)
	}
	for i := range Locals {
		s.ln("_ = l%d", i)
	}
}

func (s *source) expr(e Expr) string {
	switch {
	case e.L < 0:
		return fmt.Sprint(e.K)
	case e.K == 0:
		return fmt.Sprintf("l%d", e.L)
	}
	return fmt.Sprintf("l%d+%d", e.L, e.K)
}

// group returns the text of group g, of its k-th cell if k is not empty.
func (s *source) group(g int, k string) string {
	v := s.p.Vars[g]
	name := fmt.Sprintf("v%d", g)
	if v.Place <= PkgArray || v.Place == PkgSlice {
		name = s.id("v", g)
	}
	switch v.Place {
	case PkgVar, Captured:
		return name + "_" + k
	case PkgStruct, PtrField:
		return name + ".f" + k
	case ListField:
		for range int(k[0] - '0') {
			name += ".next"
		}
		return name + ".f"
	}
	return name + "[" + k + "]"
}

// cell returns the text of a cell and its type.
func (s *source) cell(c int) (string, string) {
	for g, v := range s.p.Vars {
		if c < v.first+v.N {
			return s.group(g, fmt.Sprint(c-v.first)), typeNames[v.Type]
		}
	}
	panic("progen: no such cell")
}

func (s *source) elem(ch int) string { return s.id("c", int(s.p.Chans[ch].Type)) }

func (s *source) body(list []Stmt) {
	for i := range list {
		s.stmt(&list[i])
	}
}

// block prints "head {", the body, "}".
func (s *source) block(list []Stmt, head string, args ...any) {
	s.open(head+" {", args...)
	s.body(list)
	s.close("}")
}

// orElse prints if cond { Body; last } else { Else }.
func (s *source) orElse(x *Stmt, cond, last string) {
	s.open("if %s {", cond)
	s.body(x.Body)
	if last != "" {
		s.ln("%s", last)
	}
	if len(x.Else) > 0 {
		s.indent--
		s.open("} else {")
		s.body(x.Else)
	}
	s.close("}")
}

func (s *source) stmt(x *Stmt) {
	if s.jitter {
		s.ln("jitter()")
		defer func(line int) { x.line = line }(x.line)
	}
	x.line = s.line
	e := s.expr(x.E)
	obj := func(kind string) string { return s.id(kind, x.A) }
	switch x.Op {
	case Set:
		s.ln("l%d = %s", x.A, e)
	case Load:
		c, _ := s.cell(x.B)
		s.ln("l%d = int(%s)", x.A, c)
	case Store:
		c, t := s.cell(x.B)
		s.ln("%s = %s(%s)", c, t, e)
	case Add:
		c, t := s.cell(x.B)
		if x.E == (Expr{-1, 1}) {
			s.ln("%s++", c)
		} else {
			s.ln("%s += %s(%s)", c, t, e)
		}
	case LoadAt:
		s.ln("l%d = int(%s)", x.A, s.group(x.B, fmt.Sprintf("uint(%s)%%%d", e, s.p.Vars[x.B].N)))
	case LoadAtRaw:
		s.ln("l%d = int(%s)", x.A, s.group(x.B, e))
	case StoreAt:
		s.ln("%s = %s(%s)", s.group(x.B, fmt.Sprintf("uint(l%d)%%%d", x.A, s.p.Vars[x.B].N)), typeNames[s.p.Vars[x.B].Type], e)
	case If:
		s.orElse(x, fmt.Sprintf("l%d == %d", x.A, x.B), "")
	case Loop:
		s.block(x.Body, "for range %d", x.A)
	case Lock:
		s.ln("%s.Lock()", obj("mu"))
	case Unlock:
		s.ln("%s.Unlock()", obj("mu"))
	case TryLock:
		s.orElse(x, obj("mu")+".TryLock()", obj("mu")+".Unlock()")
	case RLock:
		s.ln("%s.RLock()", obj("rw"))
	case RUnlock:
		s.ln("%s.RUnlock()", obj("rw"))
	case WLock:
		s.ln("%s.Lock()", obj("rw"))
	case WUnlock:
		s.ln("%s.Unlock()", obj("rw"))
	case TryRLock:
		s.orElse(x, obj("rw")+".TryRLock()", obj("rw")+".RUnlock()")
	case TryWLock:
		s.orElse(x, obj("rw")+".TryLock()", obj("rw")+".Unlock()")
	case Wait:
		s.ln("%s.Wait()", obj("cv"))
	case WaitWhile:
		c, _ := s.cell(x.B)
		s.ln("for int(%s) == %d { %s.Wait() }", c, x.C, obj("cv"))
	case Signal:
		s.ln("%s.Signal()", obj("cv"))
	case Broadcast:
		s.ln("%s.Broadcast()", obj("cv"))
	case WgAdd:
		s.ln("%s.Add(%d)", obj("wg"), x.B)
	case WgDone:
		s.ln("%s.Done()", obj("wg"))
	case WgWait:
		s.ln("%s.Wait()", obj("wg"))
	case Once:
		s.open("%s.Do(func() {", obj("once"))
		s.body(x.Body)
		s.close("})")
	case Go:
		s.goStmt(x, e)
	case Call:
		s.open("func() {")
		s.body(x.Body)
		s.close("}()")
	case Defer:
		s.open("defer func() {")
		s.body(x.Body)
		s.close("}()")
	case Recover:
		s.ln("if r := recover(); r != nil { l%d = %d }", x.A, x.B)
	case Panic:
		s.ln("panic(%s)", e)
	case Divide:
		s.ln("l%d = 7 / l%d", x.A, x.B)
	case Return:
		s.ln("if l0 >= 0 || l0 < 0 { return }") // opaque to vet and the compiler
	case Print:
		s.ln("say(%s)", e)
	case Final:
		s.final()
	default:
		s.stmt2(x, e)
	}
}

// stmt2 prints operations on channels, atomics and maps.
func (s *source) stmt2(x *Stmt, e string) {
	switch x.Op {
	case Send:
		s.ln("ch%d <- %s(%s)", x.A, s.elem(x.A), e)
	case Recv:
		switch {
		case x.C >= 0:
			s.open("{")
			x.line = s.line
			s.ln("v, ok := <-ch%d", x.A)
			s.ln("_ = v")
			if x.B >= 0 {
				s.ln("l%d = int(v)", x.B)
			}
			s.ln("l%d = b2i(ok)", x.C)
			s.close("}")
		case x.B >= 0:
			s.ln("l%d = int(<-ch%d)", x.B, x.A)
		default:
			s.ln("<-ch%d", x.A)
		}
	case Close:
		s.ln("close(ch%d)", x.A)
	case Range:
		s.open("for v := range ch%d {", x.A)
		s.ln("l%d = int(v)", x.B)
		s.body(x.Body)
		s.close("}")
	case Select:
		s.selectStmt(x)
	case ChanLen:
		s.ln("l%d = len(ch%d)", x.B, x.A)
	case AtomLoad:
		s.ln("l%d = int(%s.Load())", x.A, s.id("at", x.B))
	case AtomStore:
		s.ln("%s.Store(int64(%s))", s.id("at", x.B), e)
	case AtomAdd:
		if x.A < 0 {
			s.ln("%s.Add(int64(%s))", s.id("at", x.B), e)
			break
		}
		s.ln("l%d = int(%s.Add(int64(%s)))", x.A, s.id("at", x.B), e)
	case AtomSwap:
		s.ln("l%d = int(%s.Swap(int64(%s)))", x.A, s.id("at", x.B), e)
	case AtomCAS:
		s.orElse(x, fmt.Sprintf("%s.CompareAndSwap(%d, int64(%s))", s.id("at", x.B), x.C, e), "")
	case MapSet:
		s.ln("m%d[%d] = %s", x.A, x.B, e)
	case MapGet:
		s.ln("l%d = m%d[%d]", x.C, x.A, x.B)
	case MapDel:
		s.ln("delete(m%d, %d)", x.A, x.B)
	case MapLen:
		s.ln("l%d = len(m%d)", x.C, x.A)
	case MapSum:
		s.ln("for k, v := range m%d { l%d += 3*k + v }", x.A, x.C)
	default:
		panic(fmt.Sprintf("progen: no source for operation %d", x.Op))
	}
}

func (s *source) goStmt(x *Stmt, e string) {
	if s.p.Param {
		s.open("go func(arg int) {")
	} else {
		s.open("{")
		s.ln("arg := %s", e)
		x.line = s.line
		s.open("go func() {")
	}
	s.locals(true)
	s.body(x.Body)
	if s.p.Param {
		s.close("}(%s)", e)
	} else {
		s.close("}()")
		s.close("}")
	}
}

func (s *source) selectStmt(x *Stmt) {
	s.open("select {")
	s.indent--
	for i := range x.Cases {
		c := &x.Cases[i]
		switch {
		case c.Send:
			s.ln("case ch%d <- %s(%s):", c.Chan, s.elem(c.Chan), s.expr(c.E))
		case c.Ok >= 0:
			s.ln("case v, ok := <-ch%d:", c.Chan)
			s.ln("\t_, l%d = v, b2i(ok)", c.Ok)
			if c.L >= 0 {
				s.ln("\tl%d = int(v)", c.L)
			}
		case c.L >= 0:
			s.ln("case v := <-ch%d:", c.Chan)
			s.ln("\tl%d = int(v)", c.L)
		default:
			s.ln("case <-ch%d:", c.Chan)
		}
		s.indent++
		s.body(c.Body)
		s.indent--
	}
	if x.A != 0 {
		s.ln("default:")
		s.indent++
		s.body(x.Body)
		s.indent--
	}
	s.indent++
	s.close("}")
}

// final prints all shared objects, each read once in order.
func (s *source) final() {
	var all []string
	for c := range s.p.cells {
		name, _ := s.cell(c)
		all = append(all, "int("+name+")")
	}
	for i := range s.p.Atoms {
		all = append(all, "int("+s.id("at", i)+".Load())")
	}
	for i := range s.p.Maps {
		for k := range mapKeys {
			all = append(all, fmt.Sprintf("m%d[%d]", i, k))
		}
	}
	for i := range Locals {
		all = append(all, fmt.Sprintf("l%d", i))
	}
	s.ln("say(%s)", strings.Join(all, ", "))
}
