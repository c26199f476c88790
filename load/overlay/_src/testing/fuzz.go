package testing

import (
	"fmt"
	"math"
	"reflect"
)

// F is a type passed to fuzz tests. An execution runs one of the seed inputs that go test runs
// without -fuzz (those given to Add, and those in testdata/fuzz), or the target with symbolic
// arguments.
type F struct {
	common
	corpus [][]any
	fuzzed bool
}

// InternalFuzzTarget is a fuzz test by name.
type InternalFuzzTarget struct {
	Name string
	Fn   func(f *F)
}

// Add adds the arguments to the seed corpus.
func (f *F) Add(args ...any) {
	for _, a := range args {
		if t := reflect.TypeOf(a); !fuzzable(t) {
			panic(fmt.Sprintf("testing: unsupported type to Add %v", t))
		}
	}
	f.corpus = append(f.corpus, args)
}

// fuzzable reports whether a fuzz target may have an argument of type t.
func fuzzable(t reflect.Type) bool {
	if t == nil {
		return false
	}
	switch k := t.Kind(); k {
	case reflect.Slice:
		return t == reflect.TypeFor[[]byte]()
	case reflect.Uintptr:
		return false
	default:
		return t.PkgPath() == "" && (k <= reflect.Float64 || k == reflect.String)
	}
}

// Fuzz runs the fuzz function, ff, as a subtest.
func (f *F) Fuzz(ff any) {
	if f.fuzzed {
		panic("testing: F.Fuzz called more than once")
	}
	f.fuzzed = true
	fn := reflect.ValueOf(ff)
	typ := fn.Type()
	if typ.Kind() != reflect.Func {
		panic("testing: F.Fuzz must receive a function")
	}
	if typ.NumIn() < 2 || typ.In(0) != reflect.TypeFor[*T]() {
		panic("testing: fuzz target must receive at least two arguments, where the first argument is a *T")
	}
	if typ.NumOut() != 0 {
		panic("testing: fuzz target must not return a value")
	}
	for i := 1; i < typ.NumIn(); i++ {
		if t := typ.In(i); !fuzzable(t) {
			panic(fmt.Sprintf("testing: unsupported type for fuzzing %v", t))
		}
	}
	ways := f.ways(typ)
	if len(ways) == 0 {
		f.Skip("no such seed")
	}
	way := ways[hbWay(len(ways))]
	parent := &T{common{name: f.name, parent: &f.common, level: f.level, owner: f.owner}}
	t := &T{common{name: way.name, parent: &f.common, level: f.level + 1,
		signal: make(chan bool, 1), barrier: make(chan bool), isFuzz: true, seed: way.seed}}
	parent.hbRunChild(t, func(t *T) {
		if way.symbolic {
			runSymbolic(t, ff, typ)
			return
		}
		in := []reflect.Value{reflect.ValueOf(t)}
		for _, a := range way.args {
			in = append(in, reflect.ValueOf(a))
		}
		fn.Call(in)
	})
}

// A way is one way to run a fuzz target.
type way struct {
	name     string
	seed     string // name of the seed; "": none
	args     []any
	symbolic bool
}

// ways returns the selected ways: the seeds, by the names that go test gives them, and last the target of
// type typ with symbolic arguments, with the name inputs.
func (f *F) ways(typ reflect.Type) []way {
	var list []way
	for i, args := range f.corpus {
		list = append(list, way{name: fmt.Sprintf("seed#%d", i), args: args})
	}
	for i := 0; ; i++ {
		name, n := hbSeed(i)
		if n < 0 {
			break
		}
		w := way{name: name}
		for k := range n {
			w.args = append(w.args, seedValue(hbValue(i, k)))
		}
		list = append(list, w)
	}
	for _, w := range list {
		if err := checkSeed(w.args, typ); err != "" {
			f.Fatal(err)
		}
	}
	list = append(list, way{name: "inputs", symbolic: true})
	selected := list[:0]
	for _, w := range list {
		if !w.symbolic {
			w.seed = w.name
		}
		if w.name = f.name + "/" + w.name; hbSelected(w.name) {
			selected = append(selected, w)
		}
	}
	return selected
}

// checkSeed returns the error in a seed for a target of type typ, in the words of go test.
func checkSeed(args []any, typ reflect.Type) string {
	if len(args) != typ.NumIn()-1 {
		return fmt.Sprintf("wrong number of values in corpus entry: %d, want %d", len(args), typ.NumIn()-1)
	}
	for i, a := range args {
		if reflect.TypeOf(a) != typ.In(i+1) {
			return fmt.Sprintf("mismatched types in corpus entry: %v, want %v", typesOf(args), targetTypes(typ))
		}
	}
	return ""
}

func typesOf(args []any) (list []reflect.Type) {
	for _, a := range args {
		list = append(list, reflect.TypeOf(a))
	}
	return list
}

func targetTypes(typ reflect.Type) (list []reflect.Type) {
	for i := 1; i < typ.NumIn(); i++ {
		list = append(list, typ.In(i))
	}
	return list
}

// seedValue is a value of a file of the seed corpus.
func seedValue(typ string, bits uint64, text string) any {
	switch typ {
	case "bool":
		return bits != 0
	case "int":
		return int(bits)
	case "int8":
		return int8(bits)
	case "int16":
		return int16(bits)
	case "int32":
		return int32(bits)
	case "int64":
		return int64(bits)
	case "uint":
		return uint(bits)
	case "uint8":
		return uint8(bits)
	case "uint16":
		return uint16(bits)
	case "uint32":
		return uint32(bits)
	case "uint64":
		return bits
	case "float32":
		return math.Float32frombits(uint32(bits))
	case "float64":
		return math.Float64frombits(bits)
	case "[]byte":
		return []byte(text)
	}
	return text
}

// runSymbolic calls the fuzz target ff, of type typ, with symbolic arguments.
func runSymbolic(t *T, ff any, typ reflect.Type) {
	var texts [][]byte // its parameters that are strings or []byte
	for i := 1; i < typ.NumIn(); i++ {
		if k := typ.In(i).Kind(); k == reflect.String || k == reflect.Slice {
			texts = append(texts, hbText(ff, i))
		}
	}
	hbTarget(t, ff, texts)
}

// hbWay returns a number below n. All of these numbers are explored.
func hbWay(n int) int

// hbSeed returns the name of the i-th file of the seed corpus and its number of values, or -1 if there is
// no such file.
func hbSeed(i int) (name string, n int)

// hbValue returns value k of that file: the name of its type, and its bits or its text.
func hbValue(i, k int) (typ string, bits uint64, text string)

// hbText returns the bytes of the i-th argument of ff, a string or []byte, which are symbolic.
func hbText(ff any, i int) []byte

// hbTarget calls ff, a func(*T, ...), with symbolic arguments and the given texts.
func hbTarget(t *T, ff any, texts [][]byte)
