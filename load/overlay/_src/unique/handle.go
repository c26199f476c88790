// Package unique gives comparable values a canonical identity. The machine's
// package never forgets a value, which no program can notice.
package unique

import "internal/stringslite"

// A Handle is the identity of a value of type T: two handles are equal exactly
// if the values they were made from are.
type Handle[T comparable] struct {
	value *T
}

// Value returns a copy of the value that h was made from.
func (h Handle[T]) Value() T { return *h.value }

// handles holds a *T for every key[T].
var handles = make(map[any]any)

// Make returns the handle of value.
func Make[T comparable](value T) Handle[T] {
	k := key[T]{value}
	if p, ok := handles[k]; ok {
		return Handle[T]{p.(*T)}
	}
	// A part of a string must not keep the whole string alive.
	if s, ok := any(value).(string); ok {
		k.value = any(stringslite.Clone(s)).(T)
	}
	p := new(one[T])
	p.value = k.value
	handles[k] = &p.value
	return Handle[T]{&p.value}
}

// key[T] distinguishes the values of T from those of other types.
type key[T comparable] struct{ value T }

// one has a size even if T has none, so that its values have different addresses.
type one[T any] struct {
	value T
	_     byte
}
