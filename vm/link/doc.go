// Package link gives numbers and addresses to what code refers to, on first use: functions, package
// variables, literals, types. A [Linker] is the machine's memory of the program. Nothing in it depends on
// the path of an execution, and nothing is undone.
//
//	linker.go    functions, variables, literals, maps, and the code of functions
//	numbers.go   the numbers, which several machines share
//	adapters.go  functions for calls and selects by package reflect
//	copy.go      a linker for a copy of the machine
//	types.go     descriptors of types, methods of dynamic types
//	order.go     for which loops over maps, and comparisons of times, code with a choice is compiled
//	embed.go     variables with go:embed
//	names.go     hashes of functions, types and variables that do not depend on their numbers
package link
