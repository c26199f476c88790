// Package static computes, for each point of a program, what a goroutine that
// stands there may still do before the function it is in returns. Package
// hybrid merges these partial facts over a live call stack into facts about
// everything the goroutine may still do (Parízek and Jančík, "Approximating
// Happens-Before Order: Interplay between Static Analysis and State Space
// Traversal", SPIN 2014, section 4.1).
//
// The analyses are backward, flow-sensitive within functions and
// context-insensitive across calls; calling contexts come back at run time,
// from the stack.
//
// # Locations
//
// A class of locations is named by types, as in the paper: field i of struct
// type S, the elements of type T, the variable g. Two accesses can touch the same
// memory only if the classes of one location, seen from the outside in
// (LocationKeys), include the class of the other access, and if the points-to
// analysis says that both may lie in one object. Where code converts an
// unsafe.Pointer the type says nothing, and only the objects count.
//
// The code of the models (package sync and others) is code like any other here,
// though its accesses are no operations of their own in the machine; what their
// natives do is said in natives.go.
package static
