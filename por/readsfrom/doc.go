// Package readsfrom has the explorer of reads-from classes (--por=optimal --equivalence=rf): one
// execution of each class of executions in which each read reads from the same write.
//
//   - readsfrom.go: the search, its guarantees, and the proof that each class is explored once.
//   - graph.go: the execution graph, and the linearization of it that is executed.
//   - revisits.go: which reads can read from a write that was added after them.
//   - linearize.go: whether there is a linearization in which each read reads from its write
//     (VSC-read).
//
// It is a variant of package optimal. It supports programs that only access memory and use
// locks, WaitGroups and Once; package optimal explores others without reads-from classes.
package readsfrom
