// Package inputs compares what is explored with symbolic inputs with what is explored when all inputs
// are enumerated. It has tests only.
package inputs
