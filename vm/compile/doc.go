// Package compile turns SSA functions (golang.org/x/tools/go/ssa) into the machine's bytecode
// (package vm/bytecode), one function at a time, when it is first called.
//
//	            compile.go    the passes, and what they share
//	prepare     fuse.go       which instructions are part of others: address computations of
//	            big.go        loads and stores, comparisons of branches, copies of large values
//	order       regs.go       blocks in reverse postorder
//	analyse     live.go       liveness, by iteration to a fixed point
//	allocate    regs.go       registers, by linear scan; coalesce.go: phis share registers with
//	                          their operands, so that loops need no moves
//	emitAll     emit.go       instructions; twice, as the first pass finds out how many scratch
//	                          registers and pinned constants there are
//	    ops.go convert.go     arithmetic and comparisons; conversions
//	    stackaddress.go       numbers made of the address of the stack
//	    memory.go element.go  loads and stores, parts of values
//	    branch.go             branches, and the moves of phis on their edges
//	    call.go closure.go    calls, go and defer, closures
//	    iface.go builtin.go print.go lookup.go select.go const.go
//	    rangefunc.go          the state of loops over functions
//	    huge.go               objects that are too large are refused where they are used
//	    pending.go            what is live where an operation may be pending
//	    position.go           where in the source an instruction is
//	    symbol.go             names of functions as the runtime shows them
//
// static/observable computes which orders of maps and which clock values a program can notice.
// clock.go emits the operations that this needs.
//
// A frame is a window of 64-bit registers on the goroutine's stack:
//
//	│ header │ parameters │ captured │ values ... │ pinned │ scratch ║ header │ arguments ...
//	  4 words  0 .. NParam   .. +NCap   .. NVals    consts    .. NRegs          outgoing window
//	                                                                   results are left in it
//
// A value of n bytes occupies ceil(n/8) consecutive registers as its memory image. Constants are made at
// their uses, or once on entry if a use is in a loop.
//
// Liveness affects the machine's semantics, not only its speed: at every instruction at which a goroutine
// may have an operation pending, and wherever a call returns to, the registers that are live are recorded
// with marks for pointers (Func.AddLive). Only these are part of a state, so two states that differ in dead
// registers are one. vm.CheckLiveness tests that.
//
// Two decisions make fewer operations visible without losing any execution. A variable is captured by
// value, as by gc, if no closure over it can see it change (capture.go): all reads see the value with which
// the closure was made. And operands that the language does not evaluate are not loaded (unevaluated.go).
//
// The compiler corrects differences of package ssa from gc that a program could notice:
//
//   - the message of make with a length out of range (fuseMake);
//   - named results that return statements assign to themselves (selfStore);
//   - RunDefers that ssa forgets (lateDefers);
//   - the reason why the body of a loop over a function must not be called any more (rangeStore).
package compile
