// Package symbolic has terms, which are values that depend on variables, and a solver that decides whether
// constraints on them can hold. It supports the integers of Go, and is independent of programs and the
// machine.
//
//	c := symbolic.NewContext()
//	x := c.Var(1, 64, "x")
//	s := symbolic.NewSolver(c, symbolic.Options{})
//	s.Push()                                     // a branch
//	s.Assert(c.LtS(x, c.Const(64, 10)))          // ... on which x < 10
//	s.Check(c.Eq(c.RemS(x, c.Const(64, 7)), x))  // Sat: is x%7 == x possible on it as well?
//	s.Least([]*symbolic.Term{x}, ...)            // x = 0
//	s.Pop()
//
// # Terms
//
// A Term is a Bool or a bit vector of 1 to 64 bits. Terms are immutable and owned by a Context, in which
// equal ones are one pointer. Arithmetic wraps; division, shifts and conversions are those of Go
// (term_test.go compares them with Go's own). There are 23 operations; the others are made of them. Each
// function of a Context simplifies its result (build.go), so conditions that are mathematically equal are
// usually the same pointer, and many conditions become constants without a solver. A Term knows a range of
// its values, from those of its arguments (range.go, forward.go).
//
// A term's number depends on earlier terms, its hash only on its structure. If an order of terms is needed,
// it is an order of structures, or of variables' numbers.
//
// # The solver
//
//	Push, Assert, Check, Pop        solver.go   the stack
//	     │ cache.go                             all constraints together: known?
//	     │                                      does the model of the stack do as well?
//	     ▼
//	parts without a common variable             each of them: known?
//	     ▼
//	1. built-in    arith.go, order.go           ranges, orders, small enumerations
//	     │ Unknown
//	2. a program   smt.go, integers.go          z3 or cvc5 over a pipe, if asked for
//	     │ Unknown
//	3. bits        blast.go, linear.go          sums in one form, as circuits
//	     │ circuit.go                           gates, each once
//	     ▼ sat.go, sat_learn.go                 can the outputs be true?
//	     │ Unknown
//	Unknown                                     which callers have to report
//
// Layers are asked for sets of constraints and have no scopes. Scopes are a stack in Solver only,
// of constraints and of the sums of their hashes:
//
//	Push Assert(a)  Push Assert(b) Assert(c)  Pop  Push Assert(c) Assert(b)
//
//	stack  │ a │ b   c                        │ a │ c   b
//	sums 0 │ a │ a+b a+b+c              0     │ a │ a+c a+b+c    the same set: known
//
// Claims:
//
//  1. Scopes: the answer of Check is one for the constraints on the stack. Each answer is found for
//     a set, and remembered for the sum of that set's hashes. Pop removes constraints together
//     with their sums. So nothing that was known in a scope is taken for known outside.
//  2. Sat: every model has been evaluated (Context.Holds), whichever layer it is from. A model of
//     the earlier constraints has to be evaluated for the new constraint only. A layer that lies is
//     counted as wrong, and the next one is asked.
//  3. Unsat is believed, without a check of its own. That is justified for the built-in layer by
//     the claim in arith.go, for integers instead of bit vectors by that of integers.go, and for
//     circuits by those of sat.go. An external program is believed if circuits have no model within
//     some steps (Solver.confirm). Tests compare all layers with each other, and with all values of
//     small widths.
//  4. Parts: constraints hold together if and only if the parts do, as no variable is in two of
//     them. For Unsat, one part without a model is enough.
//  5. Results do not depend on maps, addresses or time. What a layer does is bounded by steps: those of
//     circuits are a function of the set alone (blaster), programs count their own. Only a program that
//     does not answer in a minute is taken for one that hangs, which is a warning. Which model is found
//     may depend on all checks before; Least, Min, Max and Values are functions of the constraints alone.
package symbolic
