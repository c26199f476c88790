// Package debug executes a recorded schedule forwards and backwards, stops anywhere in it, and inspects the
// program's variables. `hbcheck dap` (package debug/dap, for editors) and `hbcheck replay -i` (package
// debug/console, for terminals) share it.
//
// # Places
//
// A schedule is a list of steps. Each executes one visible operation of a goroutine and then its local
// work, up to its next visible operation. A Place is between two steps, or within one, before one of its
// instructions:
//
//	            step 0           step 1                 step 2
//	prelude │ op, local work │ op, local work, ... │ op, local work │
//	        {0,0}            {1,0}  {1,1} {1,2}    {2,0}            {3,0}: the end
//
// The prelude is main's execution up to its first visible operation, before the first state of a search:
// {-1,1} is the entry's first instruction.
//
// # Going back
//
// The machine is deterministic and has marks (vm.Machine.Mark). A Session opens one before each
// step. To go to a place within a step, it executes the step from its mark in a coroutine, which
// stops before the place's instruction. Going back means going forward from an earlier mark: the
// Session searches the steps, from the present one to the first, for the last place that fits. The
// prelude has no mark: it is executed in a new machine.
//
// # Variables
//
// The code is SSA. A forward data flow analysis (names.go) computes the value, if any, that a variable of
// the source has at an instruction, from package ssa's records of variables (load.Naming). A variable is
// lost where two paths with different values meet, and where its register gets another value. A lost
// variable is shown as such, never guessed.
package debug
