package check_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/oracle/check"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/static/pointer"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

var everyForm = flag.Bool("every-form", false, "TestMethodForms: every form of a call with every receiver, not every fourteenth")

// methodTypes are the declarations of the programs of TestMethodForms. All methods end in Put of a cell: q
// has its last argument, and done is set after that.
const methodTypes = `package main

import (
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
)

type cell[T any] struct {
	mu   sync.Mutex
	q    *T
	done chan bool
}

func (c *cell[T]) put(p *T) { c.mu.Lock(); c.q = p; c.mu.Unlock(); c.done <- true }

func newCell() *cell[int] { return &cell[int]{done: make(chan bool, 2)} }

type plain struct { pad *int; c *cell[int]; v *int }
func (b *plain) Set(p *int) { b.v = p; b.c.put(p) }
func (b plain) Val(p *int) { b.c.put(p) }

type gen[T any] struct { pad *T; c *cell[T]; v *T }
func (b *gen[T]) Set(p *T) { b.v = p; b.c.put(p) }
func (b gen[T]) Val(p *T) { b.c.put(p) }

// one is pointer-shaped: in an interface it is its own data word.
type one[T any] struct { c *cell[T] }
func (b *one[T]) Set(p *T) { b.c.put(p) }
func (b one[T]) Val(p *T) { b.c.put(p) }

type list[T any] []*cell[T]
func (l *list[T]) Set(p *T) { (*l)[0].put(p) }
func (l list[T]) Val(p *T) { l[0].put(p) }

type table[T any] map[string]*cell[T]
func (m *table[T]) Set(p *T) { (*m)["c"].put(p) }
func (m table[T]) Val(p *T) { m["c"].put(p) }

type fun[T any] func(*T)
func (f *fun[T]) Set(p *T) { (*f)(p) }
func (f fun[T]) Val(p *T) { f(p) }

type (
	alias = plain
	genAlias = gen[int]
	aliasOf[T any] = gen[T]
	inValue struct { pad *int; gen[int] }
	inPointer struct { pad *int; *gen[int] }
	onlyPointer struct { *gen[int] }
	genInValue[T any] struct { pad *T; gen[T] }
	genInPointer[T any] struct { pad, pad2 *T; *gen[T] }
	deep struct { pad *int; *genInValue[int] }
	deeper[T any] struct { pad *T; genInPointer[T] }
	ofAlias[T any] struct { pad *T; *aliasOf[T] }
)

type setter interface { Set(*int); Val(*int) }
type setterOf[T any] interface { Set(*T); Val(*T) }
type inInterface struct { pad *int; setter }
type genInInterface[T any] struct { pad *T; setterOf[T] }

func pass[P any](f func(P), p P) { f(p) }
func passExpr[R, P any](f func(R, P), r R, p P) { f(r, p) }

// SetOf and ValOf name the methods by a type parameter.
func SetOf[R interface{ Set(*T) }, T any](r R, p *T) { f := R.Set; f(r, p) }
func ValOf[R interface{ Val(*T) }, T any](r R, p *T) { f := r.Val; f(p) }
// SetBy and ValBy name those of generic types within generic code.
func SetBy[T any](b *gen[T], p *T) { f := (*gen[T]).Set; f(b, p) }
func ValBy[T any](b *gen[T], p *T) { go (*gen[T]).Val(b, p) }

func check(name string, c *cell[int], p *int) {
	<-c.done
	if c.q != p {
		panic(name)
	}
}

var _ = reflect.ValueOf
var _ atomic.Int64
var _ = fmt.Sprint
`

// A methodReceiver is a type with methods Set and Val. At least Val has a value receiver.
type methodReceiver struct {
	name  string
	typ   string // the type
	value string // an expression of this type, with a cell c
	both  bool   // Set is in the method set of the type, and not only of pointers to it
	iface bool   // pointers to it have no methods
}

const genOf = "gen[int]{new(int), c, nil}"

var methodReceivers = []methodReceiver{
	{"plain", "plain", "plain{new(int), c, nil}", false, false},
	{"generic", "gen[int]", genOf, false, false},
	{"one word", "one[int]", "one[int]{c}", false, false},
	{"slice", "list[int]", "list[int]{c}", false, false},
	{"map", "table[int]", `table[int]{"c": c}`, false, false},
	{"func", "fun[int]", "fun[int](func(p *int) { c.put(p) })", false, false},
	{"alias", "alias", "alias{new(int), c, nil}", false, false},
	{"alias of generic", "genAlias", "genAlias{new(int), c, nil}", false, false},
	{"generic alias", "aliasOf[int]", "aliasOf[int]{new(int), c, nil}", false, false},
	{"embedded", "inValue", "inValue{new(int), " + genOf + "}", false, false},
	{"embedded pointer", "inPointer", "inPointer{new(int), &" + genOf + "}", true, false},
	{"one pointer", "onlyPointer", "onlyPointer{&" + genOf + "}", true, false},
	{"generic embeds", "genInValue[int]", "genInValue[int]{new(int), " + genOf + "}", false, false},
	{"generic embeds pointer", "genInPointer[int]", "genInPointer[int]{new(int), new(int), &" + genOf + "}", true, false},
	{"deep", "deep", "deep{new(int), &genInValue[int]{new(int), " + genOf + "}}", true, false},
	{"deeper", "deeper[int]", "deeper[int]{new(int), genInPointer[int]{nil, nil, &" + genOf + "}}", true, false},
	{"embeds alias", "ofAlias[int]", "ofAlias[int]{new(int), &" + genOf + "}", true, false},
	{"anonymous", "struct { pad *int; *gen[int] }", "struct { pad *int; *gen[int] }{new(int), &" + genOf + "}", true, false},
	{"interface", "setter", "setter(&" + genOf + ")", true, true},
	{"interface of struct", "setter", "setter(inPointer{new(int), &" + genOf + "})", true, true},
	{"generic interface", "setterOf[int]", "setterOf[int](&" + genOf + ")", true, true},
	{"embeds interface", "inInterface", "inInterface{new(int), &" + genOf + "}", true, false},
	{"embeds generic interface", "genInInterface[int]", "genInInterface[int]{new(int), inPointer{nil, &" + genOf + "}}", true, false},
}

// methodForms are the forms of a call: x is a variable of type X, r of type R, which is X or *X;
// Set is the method, p its argument.
var methodForms = []string{
	"x.Set(p)",
	"f := x.Set; f(p)",
	"f := r.Set; f(p)",
	"f := (R).Set; f(r, p)",
	"(R).Set(r, p)",
	"s := struct{ f func(*int) }{x.Set}; s.f(p)",
	"s := &struct{ f func(R, *int) }{(R).Set}; s.f(r, p)",
	`m := map[string]func(*int){"f": r.Set}; m["f"](p)`,
	`m := map[string]func(R, *int){"f": (R).Set}; m["f"](r, p)`,
	"l := []func(R, *int){(R).Set}; l[0](r, p)",
	"pass(r.Set, p)",
	"passExpr((R).Set, r, p)",
	"func() func(*int) { return x.Set }()(p)",
	"func() func(R, *int) { return (R).Set }()(r, p)",
	"go x.Set(p)",
	"go (R).Set(r, p)",
	"f := (R).Set; go f(r, p)",
	"f := r.Set; go f(p)",
	"func() { defer r.Set(p) }()",
	"func() { defer (R).Set(r, p) }()",
	"func() { f := (R).Set; defer f(r, p) }()",
	"func() { defer func() { recover(); (R).Set(r, p) }(); panic(1) }()",
	"any((R).Set).(func(R, *int))(r, p)",
	"ch := make(chan func(R, *int), 1); ch <- (R).Set; (<-ch)(r, p)",
	"var i any = r; i.(interface{ Set(*int) }).Set(p)",
	"type I interface{ Set(*int) }; f := I.Set; f(r, p)",
	"type I interface{ Set(*int) }; f := I(r).Set; f(p)",
	"type local struct{ pad *int; e R }; f := local{nil, r}.e.Set; f(p)",
	"f := func(g func(R, *int)) func() { return func() { g(r, p) } }((R).Set); f()",
	`reflect.ValueOf(r).MethodByName("Set").Call([]reflect.Value{reflect.ValueOf(p)})`,
	"reflect.ValueOf((R).Set).Call([]reflect.Value{reflect.ValueOf(&r).Elem(), reflect.ValueOf(p)})",
	"reflect.ValueOf(r.Set).Call([]reflect.Value{reflect.ValueOf(p)})",
	"var once sync.Once; once.Do(func() { (R).Set(r, p) })",
	"var v atomic.Value; v.Store((R).Set); v.Load().(func(R, *int))(r, p)",
	"SetOf[R](r, p)",
}

// libraryForms are calls of methods that are operations of the machine.
var libraryForms = []string{
	"f := (*cell[int]).put; f(c, p)",
	"var a atomic.Pointer[int]; f := (*atomic.Pointer[int]).Store; f(&a, p); g := a.Load; c.put(g())",
	"a := new(atomic.Pointer[int]); go func() { defer c.put(p); (*atomic.Pointer[int]).CompareAndSwap(a, nil, p) }()",
	"lock, unlock := (*sync.Mutex).Lock, c.mu.Unlock; lock(&c.mu); c.q = p; unlock(); c.done <- true",
	"func() { c.mu.Lock(); defer (*sync.Mutex).Unlock(&c.mu); c.q = p }(); c.done <- true",
	"var wg sync.WaitGroup; wg.Add(1); go func() { defer c.put(p); wait := wg.Wait; wait() }(); f := (*sync.WaitGroup).Done; go f(&wg)",
	"l := map[string]func(sync.Locker){\"l\": sync.Locker.Lock, \"u\": sync.Locker.Unlock}; l[\"l\"](&c.mu); c.q = p; l[\"u\"](&c.mu); c.done <- true",
	"var m sync.Map; f := (*sync.Map).Store; f(&m, 1, p); g := m.Load; v, _ := g(1); c.put(v.(*int))",
	"var o sync.Once; f := (*sync.Once).Do; f(&o, func() { c.put(p) })",
	"f := SetBy[int]; f(&" + genOf + ", p)",
	"f := ValBy[int]; f(&" + genOf + ", p)",
	"setter(&inPointer{nil, &gen[int]{nil, newCell(), nil}}).Val(new(int)); setter(inPointer{nil, &" + genOf + "}).Val(p)",
	"type l struct{ *gen[int] }; f := l.Set; f(l{&" + genOf + "}, p)",
	"type l struct{ pad *int; gen[int] }; x := l{nil, " + genOf + "}; f := (*l).Val; go f(&x, p)",
}

// methodCase is one call. Its setup declares a variable x of the receiver's type, and r, which is x or its
// address.
type methodCase struct{ name, setup, call string }

// receiverWord is where a form names the type of its receiver.
var receiverWord = regexp.MustCompile(`\bR\b`)

// methodCases returns the calls, every step-th of each receiver.
func methodCases(step int) []methodCase {
	var cases []methodCase
	n := 0
	for _, recv := range methodReceivers {
		for _, method := range []string{"Set", "Val"} {
			for _, pointer := range []bool{false, true} {
				if recv.iface && pointer || method == "Set" && !recv.both && !pointer {
					continue
				}
				typ, r := recv.typ, "x"
				if pointer {
					typ, r = "*"+typ, "&x"
				}
				for i, form := range methodForms {
					if n++; n%step != 0 {
						continue
					}
					call := receiverWord.ReplaceAllLiteralString(strings.ReplaceAll(form, "Set", method), typ)
					cases = append(cases, methodCase{fmt.Sprintf("%s, %s of %s, form %d", recv.name, method, typ, i),
						fmt.Sprintf("var x %s = %s; r := %s; _ = r", recv.typ, recv.value, r), call})
				}
			}
		}
	}
	for i, form := range libraryForms {
		cases = append(cases, methodCase{fmt.Sprintf("library, form %d", i), "", form})
	}
	return cases
}

// methodProgram returns a program whose main makes all calls one after the other. In each function Both,
// two goroutines execute the call at the same time.
func methodProgram(cases []methodCase, both int) (source string, entries []string) {
	var b, calls strings.Builder
	b.WriteString(methodTypes)
	for i, c := range cases {
		fmt.Fprintf(&b, "\nfunc case%d() {\n\tc, p := newCell(), new(int)\n\t%s\n\t%s\n\tcheck(%q, c, p)\n}\n", i, c.setup, c.call, c.name)
		fmt.Fprintf(&calls, "\tcase%d()\n", i)
		if i%both == 0 {
			entries = append(entries, fmt.Sprintf("Both%d", i))
			fmt.Fprintf(&b, "\nfunc Both%d() {\n\tc, p := newCell(), new(int)\n\t%s\n\tgo c.put(new(int))\n\t%s\n\t<-c.done; <-c.done\n"+
				"\tif c.q == p { println(1) } else { println(2) }\n}\n", i, c.setup, c.call)
		}
	}
	fmt.Fprintf(&b, "\nfunc main() {\n%s\tfmt.Println(\"ok\")\n}\n", calls.String())
	return b.String(), entries
}

// TestMethodForms: method values and method expressions, of all kinds of types in all kinds of places,
// behave in the machine as natively, point to the objects of the analysis, and do not hide their effects
// from the oracles.
func TestMethodForms(t *testing.T) {
	step, both := 14, 32
	if *everyForm {
		step, both = 1, 4
	}
	cases := methodCases(step)
	src, entries := methodProgram(cases, both)
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": src, "go.mod": "module test\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if !deep.Quick() {
		cmd := exec.Command("go", "run", ".")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != "ok\n" {
			t.Fatalf("natively: %v\n%s", err, out)
		}
	}
	prog, err := load.Load(load.Config{Dir: dir, Implicit: []string{"runtime"}, Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	if out := walks(t, prog, pointer.Analyze(prog, prog.Entries[0]), vm.Config{Check: vm.CheckStops}, 1, 1e6); out != "ok\n" {
		t.Errorf("in the machine: %s", out)
	}
	t.Logf("%d calls, %d pairs", len(cases), len(entries))
	for _, name := range entries {
		e, err := prog.Lookup("test." + name)
		if err != nil {
			t.Fatal(err)
		}
		var outcomes []map[string]bool
		for _, h := range []oracle.Kind{oracle.None, oracle.MHB, oracle.Full} {
			m, err := vm.New(prog, e, vm.Config{})
			if err != nil {
				t.Fatal(err)
			}
			seen := &methodOutcomes{m: m, found: map[string]bool{}}
			if h == oracle.None {
				stateful.JPF(m, seen, por.Config{Match: true})
			} else {
				o := oracle.New(m, prog, e, h)
				c := check.NewMachine(m, prog, e, o)
				stateful.JPF(c, seen, por.Config{Match: true, Oracle: c.Oracle(o)})
				if err := c.Err(); err != nil {
					t.Errorf("%s, hybrid %s: %v", name, h, err)
				}
			}
			outcomes = append(outcomes, seen.found)
		}
		for _, found := range outcomes {
			if len(found) != 2 || fmt.Sprint(found) != fmt.Sprint(outcomes[0]) {
				t.Errorf("%s: %v", name, outcomes)
				break
			}
		}
	}
}

// methodOutcomes collects the output of the executions of a search.
type methodOutcomes struct {
	m     *vm.Machine
	found map[string]bool
}

func (o *methodOutcomes) Leaf(_ trace.Schedule, st por.Status) bool {
	o.found[fmt.Sprint(st, " ", o.m.Report().Output(2))] = true
	return true
}

func (o *methodOutcomes) Race(trace.Schedule, trace.Op, trace.Op) bool { return true }
func (o *methodOutcomes) Livelock(trace.Schedule, int) bool            { return true }
func (o *methodOutcomes) Restart()                                     {}
