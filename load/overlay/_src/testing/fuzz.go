package testing

import (
	"fmt"
	"reflect"
)

// F is a type passed to fuzz tests. The machine runs the seed inputs given to
// Add, as go test does without -fuzz.
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

// Fuzz runs the fuzz function, ff, on every seed input, as subtests.
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
	parent := &T{common{name: f.name, parent: &f.common, level: f.level}}
	for i, args := range f.corpus {
		t := &T{common{name: f.unique(fmt.Sprintf("seed#%d", i)), parent: &f.common, level: f.level + 1,
			signal: make(chan bool, 1), barrier: make(chan bool), isFuzz: true}}
		parent.runChild(t, func(t *T) {
			in := []reflect.Value{reflect.ValueOf(t)}
			for _, a := range args {
				in = append(in, reflect.ValueOf(a))
			}
			fn.Call(in)
		})
	}
}
