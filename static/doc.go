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
// (LocationKeys), include the class of the other access. This needs that memory
// has one type: conversions through unsafe.Pointer in the user's code make an
// access that may touch anything. Where the address is known to lie in one
// variable or allocation, the access remembers it as its root.
//
// # What is not looked at
//
// Code of the models (trusted packages) makes no plain accesses: their
// operations are synchronisation.
package static
