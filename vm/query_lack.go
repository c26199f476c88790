package vm

// A Lack is something that the world outside of the machine has and the machine does not, so that a
// program which needs it fails.
type Lack uint8

// The kinds.
const (
	LackNothing     Lack = iota
	LackNetwork          // a connection was refused, because there is no network
	LackChange           // a file that changes was read, and had its old contents
	LackAllocations      // memory statistics, which do not count allocations, were read again
	LackArguments        // a program that reads its arguments had none, and exited with a status other than 0
)

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
	if m.lacks == LackNothing && m.exited && m.exit != 0 && m.facts.arguments && len(m.cfg.Args) <= 1 {
		return LackArguments
	}
	return m.lacks
}
