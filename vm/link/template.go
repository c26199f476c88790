package link

import (
	"go/token"
	"go/types"
	"slices"
	"sync"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/compile"
	"hbcheck.dev/hbcheck/vm/layout"
)

// In a repository the tests of each package have a machine of their own, which initialises the packages that
// they import: usually the same packages, in another order. So machines compile the same functions, and only
// the numbers in the code differ: those of functions and layouts, and the addresses of variables, literals
// and descriptors. The second machine that compiles a function makes a template of it for the others:
//
//	compile with numbers from the first range     Const r1 │ 51000003 00000000 │ ...   at 1, the high half:
//	compile with numbers from the second range    Const r1 │ 2e800003 00000000 │ ...   the fourth number
//
// Where the two codes differ, a number must be inserted. The template also has the compiler's questions, in
// their order, and the answers that are no numbers.
//
// Claim 1: the code from a template is that of the compiler, up to the allocation of registers. The compiler
// uses numbers only as operands and to recognise equal constants, and different questions have different
// numbers here. (Variables of no bytes, or a table and a literal with the same bytes, are one constant for
// the compiler and two in a template.) TestTemplates compares both.
//
// Claim 2: numbers are the same as without templates: a machine that uses a template asks its linker the same
// questions in the same order.
//
// Claim 3: if an answer that is no number differs, for example whether the order of a map matters to this
// entry, the function is compiled.

// templates has the templates of a program.
type templates struct {
	mu    sync.Mutex
	of    map[*ssa.Function]*template // nil values: compiled once
	never map[*ssa.Function]bool      // no template can be made
}

// template is the code of a function without the numbers of a machine.
type template struct {
	code    *bytecode.Func
	asked   []question
	inserts []insert
}

// insert says where a number belongs.
type insert struct {
	at     int32 // index in the code
	number int32 // index in template.asked
	high   bool  // the high half of the word
}

// A question is a question of the compiler about a program.
type question struct {
	kind questionKind
	arg  any
	stub stubQuestion
	is   uint8 // an answer that is no number; for a table: whether there is one
}

type stubQuestion struct {
	sig *types.Signature
	at  token.Pos
}

type questionKind uint8

const (
	asksGlobal questionKind = iota
	asksLiteral
	asksFunc
	asksStub
	asksType
	asksMap
	asksLayout
	asksZero
	asksTable // the last one with a number
	asksOrdered
	asksUntried
	asksOutput
	asksClocked
	asksPuns
)

// address reports whether answers are addresses: they have their number in the high half.
func (q questionKind) address() bool {
	switch q {
	case asksGlobal, asksLiteral, asksType, asksZero, asksTable:
		return true
	}
	return false
}

// templatesOf returns the templates of prog.
func templatesOf(prog *load.Program) *templates {
	prog.Code.Lock()
	defer prog.Code.Unlock()
	t, ok := prog.Code.Value.(*templates)
	if !ok {
		t = &templates{of: map[*ssa.Function]*template{}, never: map[*ssa.Function]bool{}}
		prog.Code.Value = t
	}
	return t
}

// compile returns the code of fn, as compile.Compile does.
func (k *Linker) compile(fn *ssa.Function, id uint32) (*bytecode.Func, error) {
	ts := k.templates
	ts.mu.Lock()
	t, again := ts.of[fn]
	if !again {
		ts.of[fn] = nil
	}
	again = again && !ts.never[fn]
	ts.mu.Unlock()
	if again && t == nil {
		t = k.newTemplate(fn)
		ts.mu.Lock()
		if t == nil {
			ts.never[fn] = true
		} else {
			ts.of[fn] = t
		}
		ts.mu.Unlock()
	}
	if t != nil {
		if f := t.codeFor(k, id); f != nil {
			return f, nil
		}
	}
	return compile.Compile(fn, id, k)
}

// codeFor returns the code for the machine of k; nil if an answer differs.
func (t *template) codeFor(k *Linker, id uint32) *bytecode.Func {
	numbers := make([]uint32, len(t.asked))
	for i := range t.asked {
		q := &t.asked[i]
		answer, is := k.answer(q)
		//mutant: answers that are no numbers may differ [templates]: "is != q.is" -> "is != is"
		if is != q.is {
			return nil
		}
		if numbers[i] = uint32(answer); q.kind.address() {
			numbers[i] = uint32(answer >> 32)
		}
	}
	f := new(bytecode.Func)
	*f = *t.code // the lists do not change any more
	f.ID, f.Code = id, slices.Clone(f.Code)
	for _, x := range t.inserts {
		w := f.Code[x.at].Word()
		if n := uint64(numbers[x.number]); x.high {
			w = w&0xffffffff | n<<32
		} else {
			w = w&^0xffffffff | n
		}
		f.Code[x.at] = bytecode.RawWord(w)
	}
	return f
}

// answer answers q. is holds for questions without a number, and for tables.
func (k *Linker) answer(q *question) (number uint64, is uint8) {
	of := func(b bool) uint8 {
		if b {
			return 1
		}
		return 0
	}
	switch q.kind {
	case asksGlobal:
		number = k.Global(q.arg.(*ssa.Global))
	case asksLiteral:
		number = k.Literal(q.arg.(string))
	case asksFunc:
		number = uint64(k.Func(q.arg.(*ssa.Function)))
	case asksStub:
		number = uint64(k.Stub(q.arg.(*ssa.Builtin), q.stub.sig, q.stub.at))
	case asksType:
		number = k.TypeWord(q.arg.(types.Type))
	case asksMap:
		number = uint64(k.MapType(q.arg.(types.Type)))
	case asksLayout:
		number = uint64(k.Layout(q.arg.(types.Type)).ID)
	case asksZero:
		number = k.ZeroBase()
	case asksTable:
		number = k.Table(q.arg.(*ssa.Alloc))
		is = of(number != 0)
	case asksOrdered:
		is = of(k.Ordered(q.arg.(*ssa.Range)))
	case asksUntried:
		is = of(k.Untried(q.arg.(*ssa.MakeChan)))
	case asksOutput:
		is = of(k.ReadsOutput())
	case asksClocked:
		is = of(k.Clocked(q.arg.(*ssa.Function)))
	case asksPuns:
		check, walks := k.Puns(q.arg.(*ssa.Function))
		is = of(check)<<1 | of(walks)
	}
	return number, is
}

// The two ranges of numbers.
const firstRange, secondRange = 0x51000000, 0x2e800000

// newTemplate makes a template of fn; nil if the codes for the two ranges do not correspond.
func (k *Linker) newTemplate(fn *ssa.Function) *template {
	first, second := newAsker(k, firstRange), newAsker(k, secondRange)
	f, err := compile.Compile(fn, 0, first)
	if err != nil {
		return nil
	}
	g, err := compile.Compile(fn, 0, second)
	if err != nil || len(f.Code) != len(g.Code) || f.Window != g.Window || f.NRegs != g.NRegs || len(first.asked) != len(second.asked) {
		return nil
	}
	t := &template{code: f, asked: first.asked}
	for i, x := range f.Code {
		a, b := x.Word(), g.Code[i].Word()
		for _, high := range []bool{false, true} {
			p, q := uint32(a), uint32(b)
			if high {
				p, q = uint32(a>>32), uint32(b>>32)
			}
			if p == q {
				continue
			}
			n := p - firstRange
			//mutant: numbers of the two ranges do not correspond [templates]: "n != q-secondRange ||" -> "n+1 != q-secondRange ||"
			if n != q-secondRange || n >= uint32(len(first.asked)) {
				return nil
			}
			t.inserts = append(t.inserts, insert{at: int32(i), number: int32(n), high: high})
		}
	}
	t.inserts = slices.Clip(t.inserts)
	return t
}

// An asker is the linker of a template. Its numbers are the places of questions in a list, from a base on.
type asker struct {
	*Linker
	base    uint32
	asked   []question
	index   map[questionKey]uint32
	layouts map[*layout.Layout]*layout.Layout
}

type questionKey struct {
	kind questionKind
	arg  any
}

var _ compile.Linker = (*asker)(nil)

func newAsker(k *Linker, base uint32) *asker {
	return &asker{Linker: k, base: base, index: map[questionKey]uint32{}, layouts: map[*layout.Layout]*layout.Layout{}}
}

// ask returns the number of q, whose answer by the linker is given. Questions are equal if their keys are.
func (x *asker) ask(key questionKey, q question) (number uint32, is uint8) {
	n, known := x.index[key]
	if !known {
		_, q.is = x.Linker.answer(&q)
		n = uint32(len(x.asked))
		x.index[key] = n
		x.asked = append(x.asked, q)
	}
	return x.base + n, x.asked[n].is
}

func (x *asker) number(kind questionKind, arg any) uint32 {
	n, _ := x.ask(questionKey{kind: kind, arg: arg}, question{kind: kind, arg: arg})
	return n
}

func (x *asker) is(kind questionKind, arg any) uint8 {
	_, is := x.ask(questionKey{kind: kind, arg: arg}, question{kind: kind, arg: arg})
	return is
}

func (x *asker) Global(g *ssa.Global) uint64 { return uint64(x.number(asksGlobal, g)) << 32 }

func (x *asker) Literal(s string) uint64 { return uint64(x.number(asksLiteral, s)) << 32 }

func (x *asker) Func(fn *ssa.Function) uint32 { return x.number(asksFunc, fn) }

func (x *asker) Stub(b *ssa.Builtin, sig *types.Signature, at token.Pos) uint32 {
	// The linker knows which stubs are equal.
	id := x.Linker.Stub(b, sig, at)
	n, _ := x.ask(questionKey{kind: asksStub, arg: id}, question{kind: asksStub, arg: b, stub: stubQuestion{sig, at}})
	return n
}

func (x *asker) TypeWord(t types.Type) uint64 {
	key := questionKey{kind: asksType, arg: x.Linker.Layout(t)}
	n, _ := x.ask(key, question{kind: asksType, arg: t})
	return uint64(n) << 32
}

func (x *asker) MapType(t types.Type) uint32 {
	// The number of a map type is that of its layout, but the linker does more than assign the number.
	x.ask(questionKey{kind: asksMap, arg: x.Linker.Layout(t)}, question{kind: asksMap, arg: t})
	return x.Layout(t).ID
}

func (x *asker) Layout(t types.Type) *layout.Layout {
	l := x.Linker.Layout(t)
	c, ok := x.layouts[l]
	if !ok {
		copied := *l
		c = &copied
		c.ID, _ = x.ask(questionKey{kind: asksLayout, arg: l}, question{kind: asksLayout, arg: t})
		x.layouts[l] = c
	}
	return c
}

func (x *asker) ZeroBase() uint64 { return uint64(x.number(asksZero, nil)) << 32 }

func (x *asker) Table(v *ssa.Alloc) uint64 {
	n, is := x.ask(questionKey{kind: asksTable, arg: v}, question{kind: asksTable, arg: v})
	if is == 0 {
		return 0
	}
	return uint64(n) << 32
}

func (x *asker) Ordered(r *ssa.Range) bool     { return x.is(asksOrdered, r) != 0 }
func (x *asker) Untried(mk *ssa.MakeChan) bool { return x.is(asksUntried, mk) != 0 }
func (x *asker) ReadsOutput() bool             { return x.is(asksOutput, nil) != 0 }
func (x *asker) Clocked(fn *ssa.Function) bool { return x.is(asksClocked, fn) != 0 }

func (x *asker) Puns(fn *ssa.Function) (check, walks bool) {
	is := x.is(asksPuns, fn)
	return is&2 != 0, is&1 != 0
}
