// Package values has operations on values that need only the memory of a machine: equality, hashes, the text
// of print, the capacity of slices, complex numbers.
package values
