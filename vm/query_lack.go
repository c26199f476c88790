package vm

// lack records a lack. Only the first one counts: it may have caused everything after it.
func (m *Machine) lack(what Lack) {
	if m.lacks == LackNothing {
		m.lacks = what
	}
}

// Lacks returns the features of a native execution that this path lacked.
func (v Report) Lacks() Lack {
	m := v.m
	//mutant: a program needs no arguments [test ./cmd/hbcheck TestScripts/arguments]: "m.lacks == LackNothing" -> "false"
	if m.lacks == LackNothing && m.exited && m.exit != 0 && m.facts.Arguments && len(m.cfg.Args) <= 1 {
		return LackArguments
	}
	return m.lacks
}
