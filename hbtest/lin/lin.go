package lin

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/hbtest"
)

// An Object describes the tested object: how it is made, and its operations.
type Object[T any] struct {
	// New returns an object. It is called once for each execution, and for each order of operations that
	// the specification executes.
	New func() T

	// Ops are the operations that the goroutines execute.
	Ops []Op[T]

	// Goroutines bounds the goroutines, and Operations the operations of each goroutine; 0 means 2.
	Goroutines, Operations int

	// Scenarios bounds the scenarios; those with few operations come first. 0: all.
	Scenarios int

	// Initial operations are executed before the goroutines start, final ones after all of them have ended.
	// They are part of the history. An operation with several arguments stands for one execution with each
	// of them.
	Initial, Final []Op[T]
}

// An Op is an operation with its possible arguments.
type Op[T any] struct {
	calls []call[T]
	group string
}

// By returns op as one of a group of operations. In each scenario a single goroutine executes all
// operations of a group, such as those of one producer.
func (op Op[T]) By(group string) Op[T] {
	op.group = group
	return op
}

// A call is an operation with one argument.
type call[T any] struct {
	name string
	do   func(T) any
}

// Do is an operation without arguments. Its result is compared with that of the specification: with ==;
// errors by their messages; slices and other types without == by the text that fmt prints.
func Do[T any](name string, f func(T) any) Op[T] {
	return Op[T]{calls: []call[T]{{name + "()", f}}}
}

// With is an operation with an argument: each of args.
func With[T, A any](name string, f func(T, A) any, args ...A) Op[T] {
	op := Op[T]{}
	for _, a := range args {
		op.calls = append(op.calls, call[T]{fmt.Sprintf("%s(%s)", name, show(a)), func(x T) any { return f(x, a) }})
	}
	return op
}

// With2 is an operation with two arguments: each of as with each of bs.
func With2[T, A, B any](name string, f func(T, A, B) any, as []A, bs []B) Op[T] {
	op := Op[T]{}
	for _, a := range as {
		for _, b := range bs {
			op.calls = append(op.calls, call[T]{fmt.Sprintf("%s(%s, %s)", name, show(a), show(b)), func(x T) any { return f(x, a, b) }})
		}
	}
	return op
}

// Results is the result of an operation that returns several values: lin.Results(q.Take()). There are
// at most four.
func Results(values ...any) any {
	r := results{n: len(values)}
	for i, v := range values {
		r.v[i] = plain(v)
	}
	return r
}

// results are comparable.
type results struct {
	n int
	v [4]any
}

// plain returns the value by which v is compared.
func plain(v any) any {
	switch v := v.(type) {
	case nil, bool, int, string, results:
	case error:
		return printed(v.Error())
	default:
		if !reflect.TypeOf(v).Comparable() {
			return printed(fmt.Sprint(v))
		}
	}
	return v
}

// A printed result is compared by its text.
type printed string

// show prints an argument or a result.
func show(v any) string {
	switch v := v.(type) {
	case results:
		s := ""
		for i := range v.n {
			if i > 0 {
				s += ", "
			}
			s += show(v.v[i])
		}
		return s
	case printed:
		return string(v)
	case string:
		return fmt.Sprintf("%q", v)
	}
	return fmt.Sprint(v)
}

// Check tests that objects are linearizable: for every execution of every scenario, its operations
// have the same results when they are executed one after another in some order. The order respects
// real time: if an operation has returned before another one is called, it comes first.
//
// Under go test hbcheck does that (see hbtest.Explore, whose options these are). With HBCHECK=skip some
// random scenarios are executed natively, which finds only frequent failures.
func Check[T any](t *testing.T, o Object[T], opts ...hbtest.Option) {
	t.Helper()
	hbtest.Explore(t, func(t *testing.T) { t.Helper(); check(t, o, o) }, opts...)
}

// CheckModel tests that objects are linearizable with model as their specification: another, simpler
// implementation. Its operations, initial and final ones have the names and arguments of those of o.
func CheckModel[T, M any](t *testing.T, o Object[T], model Object[M], opts ...hbtest.Option) {
	t.Helper()
	for i, pair := range [][2][]string{
		{names(o.Ops), names(model.Ops)}, {names(o.Initial), names(model.Initial)}, {names(o.Final), names(model.Final)},
	} {
		if !slices.Equal(pair[0], pair[1]) {
			t.Fatalf("lin: %soperations of the object: %v; of the model: %v", []string{"", "initial ", "final "}[i], pair[0], pair[1])
		}
	}
	hbtest.Explore(t, func(t *testing.T) { t.Helper(); check(t, o, model) }, opts...)
}

// check executes one scenario, which hbcheck chooses; without hbcheck it executes some of them.
func check[T, M any](t *testing.T, o Object[T], model Object[M]) {
	t.Helper()
	calls := flat(o.Ops)
	k, m := cmp.Or(o.Goroutines, 2), cmp.Or(o.Operations, 2)
	if k < 1 || k > most || m < 1 || m > 255 || len(calls) == 0 || o.New == nil || model.New == nil {
		t.Fatalf("lin: an object needs New and operations, and there are at most %d goroutines and 255 operations of each", most)
	}
	all := shapes(k, m, len(calls))
	n := 0
	for _, s := range all {
		n += s.count
	}
	if n >= mostScenarios && o.Scenarios == 0 {
		t.Fatalf("lin: %d calls for each of %d operations of %d goroutines: too many scenarios; bound them with Scenarios", len(calls), m, k)
	}
	if o.Scenarios > 0 {
		n = min(n, o.Scenarios)
	}
	if !hbtest.Running() {
		stress(t, o, model, all, n)
		return
	}
	once(t, o, model, nth(all, len(calls), hbtest.Choose(n)))
}

// once executes a scenario, unless several goroutines have operations of one group.
func once[T, M any](t *testing.T, o Object[T], model Object[M], sc scenario) {
	t.Helper()
	if !grouped(o.Ops, sc) {
		return
	}
	spec := specify(model, sc)
	h := execute(o, sc)
	if !h.linearizable(spec) {
		t.Fatal(h.picture(spec, names(o.Initial), names(o.Ops), names(o.Final)))
	}
}

// stressed is the number of executions without hbcheck.
const stressed = 1000

// stress executes random ones of n scenarios natively.
func stress[T, M any](t *testing.T, o Object[T], model Object[M], all []shape, n int) {
	t.Helper()
	t.Logf("%d native executions of %d scenarios", stressed, n)
	r := rand.New(rand.NewPCG(1, 2))
	for range stressed {
		once(t, o, model, nth(all, len(flat(o.Ops)), r.IntN(n)))
	}
}

// grouped reports whether one goroutine executes all operations of each group.
func grouped[T any](ops []Op[T], sc scenario) bool {
	var groups []string // by call
	for _, op := range ops {
		for range op.calls {
			groups = append(groups, op.group)
		}
	}
	for g, a := range sc {
		for _, x := range a {
			for _, b := range sc[:g] {
				for _, y := range b {
					if groups[x] != "" && groups[x] == groups[y] {
						return false
					}
				}
			}
		}
	}
	return true
}

// flat returns the calls of ops.
func flat[T any](ops []Op[T]) (all []call[T]) {
	for _, op := range ops {
		all = append(all, op.calls...)
	}
	return all
}

func names[T any](ops []Op[T]) []string { return callNames(flat(ops)) }

func callNames[T any](calls []call[T]) (names []string) {
	for _, c := range calls {
		names = append(names, c.name)
	}
	return names
}
