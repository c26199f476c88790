// Package values has operations on values that depend on nothing of a machine but its memory: equality,
// hashes, the text of print, the capacity of slices, complex numbers.
package values
