// Package link gives numbers and addresses to functions, package variables, literals and types when code
// first refers to them. A [Linker] holds them for the machine. It does not depend on the path of an
// execution, and a rewind does not change it.
//
//	linker.go    functions, variables, literals, maps, and the code of functions
//	numbers.go   the numbers, which several machines share
//	adapters.go  functions for calls and selects by package reflect
//	copy.go      a linker for a copy of the machine
//	types.go     descriptors of types, methods of dynamic types
//	order.go     the loops over maps and the comparisons of times that are compiled with a choice
//	template.go  the code of functions that several machines compile
//	embed.go     variables with go:embed
//	names.go     hashes of functions, types and variables, independent of their numbers
package link
