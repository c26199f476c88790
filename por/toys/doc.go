// Package toys has systems that are small enough to be right: programs of a few goroutines over
// shared variables, mutexes, a WaitGroup and a condition, and brute force that finds everything in them.
// They serve as tests of explorers, and as examples in their documentation.
//
// A program is a list of instructions for each goroutine. Goroutine 0 runs at the start; a Go
// instruction starts another one:
//
//	toys.New(
//		[]toys.Instr{{Op: toys.Go, A: 1}, {Op: toys.Store, A: 0, B: 1}, {Op: toys.Load, A: 1}},
//		[]toys.Instr{{Op: toys.Store, A: 1, B: 1}, {Op: toys.Load, A: 0}},
//	)
//
// Each goroutine has one register, reg. See OpCode for the instructions; A and B are their
// operands. Each is a visible operation, except Inc and Jump, which are local. A goroutine ends
// with a visible operation of its own after its last instruction.
//
//   - system.go: the interpreter. A mark is a copy of the whole state, so that rewinding cannot be
//     wrong.
//   - effects.go: por.Effects, for reductions by dependence.
//   - programs.go: programs by name, and random ones.
//   - stategraph.go: the state graph by breadth-first search: endings, races, executions,
//     livelocks.
//   - classes.go: the Mazurkiewicz class of an execution, from its definition.
//   - findings.go: a visitor that collects the reports of a search.
//
// The package shares no code with the explorers, so that it does not share their mistakes.
package toys
