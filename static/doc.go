// Package static computes, for each point of a program, the events that a goroutine at that point may still
// execute before its function returns. Package hybrid merges these partial facts over a live call stack
// into facts about everything the goroutine may still do (Parízek and Jančík, "Approximating Happens-Before
// Order: Interplay between Static Analysis and State Space Traversal", SPIN 2014, section 4.1).
//
// The analyses are backward, flow-sensitive within functions and
// context-insensitive across calls; calling contexts come back at run time,
// from the stack.
//
// # The analyses
//
// All but stage A of the lock patterns are domains of one backward engine
// (engine.go), whose values summarise paths and can be composed. It runs over skeletons of functions
// (code.go) with abstract events (event.go) on objects that are named by access paths (path.go). Deferred
// calls run in the order defers.go finds (unwinding.go). Which functions of package sync are which events
// is in the table of operations (trace.Row).
//
//	fieldaccess    fieldaccess.go   memory read and written         paper, section 2
//	maywait        mustlock.go      what may be waited for first    section 4.2, item I1
//	mustwait       mustwait.go      what comes only after waiting   section 4.4, item I2
//	maynotify      maynotify.go     what may enable others          section 4.5, item I3
//	mustlock       mustlock.go      locks before an access          section 4.3, item I4
//	mustjoin       mustlock.go      joins before an access          section 4.3, item I4
//	futurealloc    alloc.go         sync objects to be allocated    section 4.6, item I5
//	guardedby      guardedby.go     locks held at accesses          section 4.7, item I6
//	               held.go          stage A of it
//	minprefix      minprefix.go     how far counters go down        only in Go
//	unheldunlock   foreignunlock.go unlocks of what others locked   only in Go
//
// A fact at a point is in terms of the values of the function there. env.go
// evaluates it in a live state, whose values an Env knows.
//
// # Locations
//
// A class of locations is named by types, as in the paper: field i of struct type S, the elements of type T,
// the variable g. Two accesses can touch the same memory only under two conditions. First, the classes of one
// location, from the outermost struct inwards (LocationKeys), include the class of the other access. Second,
// by the points-to analysis both locations may lie in one object. If code converts an unsafe.Pointer, the
// type is not reliable, and only the objects are compared.
//
// The code of the models (package sync and others) is analysed like other code, although its accesses are
// not separate operations in the machine. natives.go has the effects of their natives.
package static
