package hbtest

import (
	"math/rand"
	"os"
	"reflect"
	"strconv"
	"sync"
)

// Nondet returns a value of type T. hbcheck explores the program for all of them at once: it follows
// the value as a symbol, and where the program branches on it, it explores both sides that are
// possible. A bug is reported with the least value that leads to it.
//
// T is a bool or an integer, or a type of one of these. Under plain go test the value is the zero
// value; if the environment variable HBTEST_SEED is a number, a random one that depends on the number.
//
// hbcheck replaces this function.
func Nondet[T any]() T {
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

// random returns the source of values that HBTEST_SEED asks for, or nil.
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
