package testing

import (
	"fmt"
	"reflect"
)

// F is a type passed to fuzz tests. The machine runs either one of the seed inputs given to
// Add, as go test does without -fuzz, or the target with symbolic arguments: a choice.
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
	f.corpus = append(f.corpus, args)
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
	parent := &T{common{name: f.name, parent: &f.common, level: f.level, owner: f.owner}}
	name := "inputs"
	seed := hbPick(len(f.corpus) + 1)
	if seed < len(f.corpus) {
		name = fmt.Sprintf("seed#%d", seed)
	}
	t := &T{common{name: f.unique(name), parent: &f.common, level: f.level + 1,
		signal: make(chan bool, 1), barrier: make(chan bool), isFuzz: true}}
	parent.runChild(t, func(t *T) {
		if seed == len(f.corpus) {
			runSymbolic(t, ff, fn)
			return
		}
		in := []reflect.Value{reflect.ValueOf(t)}
		for _, a := range f.corpus[seed] {
			in = append(in, reflect.ValueOf(a))
		}
		fn.Call(in)
	})
}

// shortText is how many bytes there are at most in a symbolic string or []byte.
const shortText = 4

// symbolic is always true. What runSymbolic does if it is not is what hbTarget does, for static
// analyses.
var symbolic = true

// runSymbolic calls the fuzz target ff with symbolic arguments.
func runSymbolic(t *T, ff any, fn reflect.Value) {
	typ := fn.Type()
	var texts [][]byte // of its parameters that are strings or []byte
	for i := 1; i < typ.NumIn(); i++ {
		p := typ.In(i)
		if p.Kind() == reflect.String || p.Kind() == reflect.Slice && p.Elem().Kind() == reflect.Uint8 {
			b := make([]byte, hbPick(shortText+1))
			for i := range b {
				b[i] = hbByte()
			}
			texts = append(texts, b)
		}
	}
	if symbolic {
		hbTarget(t, ff, texts)
		return
	}
	in := []reflect.Value{reflect.ValueOf(t)}
	for i := 1; i < typ.NumIn(); i++ {
		in = append(in, reflect.New(typ.In(i)).Elem())
	}
	for _, b := range texts {
		in = append(in, reflect.ValueOf(b))
	}
	fn.Call(in)
}

// hbPick returns a number below n, of which all are explored.
func hbPick(n int) int

// hbByte returns a symbolic byte.
func hbByte() byte

// hbTarget calls ff, a func(*T, ...), with symbolic arguments and the given texts.
func hbTarget(t *T, ff any, texts [][]byte)
