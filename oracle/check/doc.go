// Package check compares the results of static analyses with executions (--check-static). A mistake in an
// oracle loses executions silently. So this package verifies the conclusions of oracles by independent
// means.
//
//	claim                                       compared with                       by
//	a pointer may point only to ...             every pointer in operands, memory   Pointers
//	a call may call only ...                    every call on a stack               Pointers
//	a goroutine may still access only ...       every operation executed            Machine
//	it locks, joins, waits before an access     every access                        Machine
//	it may still allocate only ...              every allocation                    Machine
//	no choice is needed before an operation     all that the others can do first    Machine.Oracle
//
// Machine is a por.System over a vm.Machine, so any explorer can drive it. It is slow: each skipped choice
// costs a separate search.
package check
