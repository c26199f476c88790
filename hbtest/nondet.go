package hbtest

import (
	"math/rand"
	"os"
	"reflect"
	"strconv"
	"sync"
)

// Nondet returns a value of type T. hbcheck explores the program for all values at once: it treats the
// value as a symbol, and where the program branches on it, hbcheck explores the possible sides. A bug is
// reported with the least value that leads to it.
//
// T is a bool, an integer or a string, an array or slice of these, or a struct of these. Strings and slices
// have at most as many bytes or elements as --input-len says, 4 by default (Bytes has its own bound), and
// slices are not nil. Other types are refused by name.
//
// Under plain go test the value is the zero value; if the environment variable HBTEST_SEED is a number, it
// is a random value that depends on this number.
func Nondet[T any]() T { return nondet[T]() }

// shortText bounds the bytes or elements of random strings and slices.
const shortText = 4

// Bytes returns at most n bytes. hbcheck explores all lengths and values. Under plain go test it returns no
// bytes; with HBTEST_SEED, a random number of random bytes.
func Bytes(n int) []byte {
	size := 0
	if n > 0 {
		size = length(n)
	}
	b := make([]byte, size)
	for i := range b {
		b[i] = nondet[byte]()
	}
	return b
}

// length returns a number from 0 to n.
func length(n int) int {
	if Running() {
		return Choose(n + 1)
	}
	r := random()
	if r == nil {
		return 0
	}
	r.Lock()
	defer r.Unlock()
	return r.Intn(n + 1)
}

// nondet is Nondet.
//
// hbcheck replaces this function.
func nondet[T any]() T {
	var x T
	if r := random(); r != nil {
		r.Lock()
		defer r.Unlock()
		fill(reflect.ValueOf(&x).Elem(), r.Rand)
	}
	return x
}

// source is the source of random values.
type source struct {
	sync.Mutex
	*rand.Rand
}

// random returns the source of random values seeded by HBTEST_SEED, or nil.
var random = sync.OnceValue(func() *source {
	seed, err := strconv.ParseInt(os.Getenv("HBTEST_SEED"), 10, 64)
	if err != nil {
		return nil
	}
	return &source{Rand: rand.New(rand.NewSource(seed))}
})

// fill makes v a random value. Every second number is a small one.
func fill(v reflect.Value, r *rand.Rand) {
	bits := r.Uint64()
	if r.Intn(2) == 0 {
		bits = uint64(r.Intn(8) - 3)
	}
	switch {
	case v.Kind() == reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), r)
		}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			f := v.Field(i)
			fill(reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem(), r) // an unexported one, too
		}
	case v.Kind() == reflect.String:
		b := make([]byte, r.Intn(shortText+1))
		for i := range b {
			fill(reflect.ValueOf(&b[i]).Elem(), r)
		}
		v.SetString(string(b))
	case v.Kind() == reflect.Slice:
		s := reflect.MakeSlice(v.Type(), r.Intn(shortText+1), shortText)
		for i := range s.Len() {
			fill(s.Index(i), r)
		}
		v.Set(s)
	case v.Kind() == reflect.Bool:
		v.SetBool(bits&1 != 0)
	case v.CanInt():
		v.SetInt(int64(bits) << (64 - v.Type().Bits()) >> (64 - v.Type().Bits()))
	case v.CanUint():
		v.SetUint(bits >> (64 - v.Type().Bits()))
	default:
		panic("hbtest.Nondet: a value of type " + v.Type().String() + " cannot be symbolic")
	}
}
