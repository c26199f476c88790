package vm

// A Lack is something that the world outside of the machine has and the machine does not, so that a
// program which needs it fails.
type Lack uint8

// The kinds.
const (
	LackNothing     Lack = iota
	LackNetwork          // a connection was refused, because there is no network
	LackChange           // a file that changes was read, and had its old contents
	LackAllocations      // memory statistics were read again, which do not count what was allocated
)

// lack records a lack. Only the first one counts: it may have caused everything after it.
func (m *Machine) lack(what Lack) {
	if m.lacks == LackNothing {
		m.lacks = what
	}
}

// Lacks returns what this path lacked.
func (v Report) Lacks() Lack { return v.m.lacks }
