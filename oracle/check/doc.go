// Package check compares what static analyses have said with what the machine does
// (--check-static). Whatever an oracle concludes, a mistake in it loses executions without a
// trace; so its conclusions are verified here by means that have nothing in common with it.
//
//	claim                                       compared with                       by
//	a pointer may point only to ...             every pointer in operands, memory   Pointers
//	a call may call only ...                    every call on a stack               Pointers
//	a goroutine may still access only ...       every operation executed            Machine
//	it locks, joins, waits before an access     every access                        Machine
//	it may still allocate only ...              every allocation                    Machine
//	no choice is needed before an operation     all that the others can do first    Machine.Oracle
//
// Machine is a por.System over a vm.Machine, so any explorer can drive it. It is slow: a skipped
// choice costs a search of its own.
package check
