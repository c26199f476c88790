// Package describe shows a machine in source terms: goroutines with their names and stacks, pending
// operations with the names of their operands, the end of an execution, accesses of a race, inputs,
// and the data of pages about a whole schedule (Observe).
//
//	vm.Machine ──▶ Machine ──▶ Event, Goroutine, Ending, Access, Holding, Input
//
// Machine is the machine of package explore's searches and reports: a por.System with methods that
// describe its present state. NewMachine makes one over a vm.Machine; tests have another
// implementation (internal/faketest).
//
// The files:
//
//	machine         the interface and the values
//	program         the implementation
//	event           steps
//	calls           calls and locks, which a repetition records
//	access          the sides of a race
//	inputs          values of hbtest.Nondet
//	place           positions that a report shows
//	source, value   names of operands, and values, in the program's text
//	observe         the states of a schedule
package describe
