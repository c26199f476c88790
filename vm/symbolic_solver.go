package vm

import (
	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/vm/shadow"
)

// Solvers are the external programs for conditions on inputs (Config.Solver).
func Solvers() []string { return symbolic.Externals() }

// Solving counts the questions about inputs.
type Solving = shadow.Solving

// Solving returns the counts since the machine was made.
func (v Environment) Solving() (x Solving) {
	m := v.m
	if m.sym == nil {
		return x
	}
	return m.sym.Solving()
}

// SolverTrouble returns why the external solver (Config.Solver) is not in use, or not always; "" if there was
// no trouble with it.
func (v Environment) SolverTrouble() string {
	m := v.m
	if m.sym == nil {
		return ""
	}
	return m.sym.SolverTrouble()
}
