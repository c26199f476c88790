// Package symbolic has terms, values that depend on variables, and a solver that says whether
// constraints on them can hold. It knows integers of Go, nothing of programs or the machine.
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
// Terms are immutable, simplified when they are made, and owned by a Context, in which equal terms
// are one pointer. Arithmetic wraps, and division, shifts and conversions are those of Go.
package symbolic
