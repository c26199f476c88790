// Package inputs compares explorations with symbolic inputs and explorations of all inputs one by one.
// It has tests only.
package inputs
