// Package readsfrom has the explorer of reads-from classes (--por=optimal --equivalence=rf): one
// execution of each class of executions in which each read reads from the same write.
//
//   - readsfrom.go: the search, its guarantees, and the proof that each class is explored once.
//   - graph.go: the execution graph, and the linearization of it that is executed.
//   - revisits.go: which reads can read from a write that was added after them.
//   - linearize.go: whether there is a linearization in which each read reads what it should
//     (VSC-read).
//
// It is a variant of package optimal. Programs that do anything but access memory and use
// locks, WaitGroups and Once are explored by package optimal without reads-from classes.
package readsfrom
