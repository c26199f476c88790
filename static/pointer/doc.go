// Package pointer computes the objects to which pointers may point, and the functions that calls may call,
// in all executions of one entry of a program.
//
// # Algorithm
//
// Inclusion-based ("Program Analysis and Specialization for the C Programming
// Language", L. O. Andersen, 1994), flow-insensitive, with the call graph built
// on the fly and only for code that is reached. Constraints are solved by
// difference propagation ("Online cycle detection and difference propagation
// for pointer analysis", D. J. Pearce, P. H. J. Kelly and C. Hankin, SCAM 2003).
// Collapsing cycles gained nothing on Go programs and is left out.
//
//	analyze.go, analyses.go       entries; several analyses of one program
//	gen.go, builtin.go, call.go   SSA to constraints
//	solve.go                      variables, copies, propagation
//	layout.go, access.go          fields: types as memory, and access to it
//	object.go                     abstract objects
//	context.go, policy.go         contexts
//	instance.go                   functions in contexts and their registers
//	model.go, natives.go          the machine's own functions
//	external*.go                  opaque code: package reflect, and the users of a library
//	held.go                       memory that opaque code may read and write
//	query.go, callgraph.go        answers
//	alpha.go                      from the machine's objects to abstract ones
//
// # Memory
//
// An address is a leaf of an object: a scalar at its offset in the layout of package vm/layout, gc's on
// amd64. So an address corresponds to a pointer of the machine, except that all elements of an array have
// one address ("A practical flow-sensitive and context-sensitive C and C++ memory leak detector", D. L.
// Heine and M. S. Lam, PLDI 2003, treats C like this). Converting a pointer through unsafe.Pointer copies
// it, and an access finds whatever is at its offsets, whichever type it has.
//
//	slice      the address of element 0 of an array
//	map        an object with one key and one element
//	channel    an object with one element
//	func       a Func or Closure; the latter has the captured variables
//	interface  a Boxed object: dynamic type and content
//	string     nothing; unsafe code finds the one object Text
//
// # Contexts
//
// Some functions are analysed once per context, so that their allocations are distinguished: see Policy.
// Contexts can be computed from the machine's call stack.
//
// # What the result means
//
// Let an execution of the machine start at the entry, and an activation of function f
// with context c compute a pointer v in it. Then the object that v points to was
// allocated at a place and in a context that Allocated maps to an object in
// PointsTo(v, c), and the set has a label for the offset of v. If site calls g in
// this activation, then g is among Callees(site, c). Package oracle/check compares this with
// running programs, in its tests and for hbcheck explore --check-static. It holds in the
// presence of unsafe, reflection, panics, timers and goroutines, with these
// exceptions:
//
//   - Pointers in memory whose type has none there (a pointer kept in a uintptr
//     field or a []byte through unsafe.Pointer) are not seen; the garbage
//     collector does not see them either. Conversions between uintptr and
//     unsafe.Pointer are followed.
//   - The result has nothing about values and calls in opaque code (see Result.IsOpaque). It covers the
//     values that opaque code returns and writes, and the functions outside that it calls; a Set that is
//     Universal represents all objects to which opaque code may refer.
//   - Functions of the standard library without a body that the machine refuses
//     to execute are treated as if they returned new objects and did nothing
//     else. Those of other modules (assembly) can do anything with their
//     arguments; their accesses to variables that they name are not covered.
//   - For a load.Library, external_client.go describes the code that uses it.
//   - Finalizers and cleanups are called by the machine at some time;
//     explorations never run them.
//   - If unsafe code treats an element of an array of structs as an array of
//     another type, an index beyond the end may be missed.
//
// Nil is not represented: any pointer may be nil, also one that points to nothing.
//
// # Speed
//
// BenchmarkAnalyze, in processor time with bodies already built (go1.26.8):
//
//	fmt, sync and context     0.02 s   410 functions
//	a program with net/http   0.2 s    4300 functions, 0.6 million facts
//
// hbcheck analyze net/http, a library: 1.5 s, 6000 functions, 3.2 million facts.
package pointer
