package vm

// A Lack is something that the outside of the machine has and the machine has not, so that a program
// which needs it fails.
type Lack uint8

// What can be lacking.
const (
	LackNothing Lack = iota
	LackNetwork      // a connection was refused, as there is no network
	LackChange       // a file was read that changes, and was as it had been
)

// lack notes that something was not there. The first thing may have caused all that follows.
func (m *Machine) lack(what Lack) {
	if m.lacks == LackNothing {
		m.lacks = what
	}
}

// Lacks returns what was not there on this path.
func (v Report) Lacks() Lack { return v.m.lacks }
