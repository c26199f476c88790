// Package observable computes whether code can notice a difference between alternatives of the
// machine: the order of a map, the clock, printed output, an iteration of a loop. Where code cannot
// notice the difference, the machine need not offer the choice. The answers are about SSA alone, and
// never depend on a state.
//
//	order*.go       whether a loop over a map can notice the order of the entries
//	clock.go        comparisons of times, and numbers that are made of them
//	durations.go    durations that leave the function in which they are measured
//	text.go         whether a text is only printed
//	variables.go    package variables that never change, and whether a program reads its output
//	address.go      where addresses become numbers
//	names.go        numbers that are perhaps used as names
//	counting.go     loops whose iterations differ by a counter
//	moment.go       loops that only time ends
//	cycles.go       which nodes of a graph are on a cycle
//	tried.go        whether a channel is used by operations that do not wait
//	returns.go      whether control can get from an instruction to a return
//
// vm/compile emits operations where code can notice a difference, and vm asks about single loops and calls.
package observable
