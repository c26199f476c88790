package vm

// The methods of a Machine are in groups, by who asks. Machine itself has those of por.System and its
// capabilities, of marks, and of configurations.

// A Report answers what reports about an execution ask: how it ended, where its goroutines are, what they
// wait for, and what values are.
type Report struct{ m *Machine }

// Report returns the report of m's present state and path.
func (m *Machine) Report() Report { return Report{m} }

// A StaticView answers what oracles ask, which compare static facts with the present state: activations,
// registers, objects, and what reaches what.
type StaticView struct{ m *Machine }

// StaticView returns the view of m's present state.
func (m *Machine) StaticView() StaticView { return StaticView{m} }

// An Environment says which behaviours of the environment were not tried, whether the search has to begin
// again with a finer machine for that, and which inputs lead to the present state.
type Environment struct{ m *Machine }

// Environment returns the environment of m.
func (m *Machine) Environment() Environment { return Environment{m} }

// A Debugger answers what a debugger asks: frames, registers, memory, and the points at which an execution
// can be watched.
type Debugger struct{ m *Machine }

// Debugger returns the debugger's view of m.
func (m *Machine) Debugger() Debugger { return Debugger{m} }
