package vm

import "hbcheck.dev/hbcheck/load"

// lack records a lack. Only the first one counts: it may have caused everything after it.
func (m *Machine) lack(what Lack) {
	if m.lacks == LackNothing {
		m.lacks = what
	}
}

// miss records that something does not exist that a program may need.
func (m *Machine) miss(what Lack) {
	if m.missed == LackNothing {
		m.missed = what
	}
}

// Lacks returns the features of a native execution that this path lacked. A program (no test) that exits with
// a status other than 0 may need arguments, a file or a server that are not here.
func (v Report) Lacks() Lack {
	m := v.m
	//mutant: a program needs no arguments [test ./cmd/hbcheck TestScripts/arguments]: "m.lacks != LackNothing || " -> "true || "
	if m.lacks != LackNothing || !m.exited || m.exit == 0 {
		return m.lacks
	}
	if m.facts.Arguments && len(m.cfg.Args) <= 1 {
		return LackArguments
	}
	if m.entry.Kind == load.Main {
		return m.missed
	}
	return LackNothing
}
