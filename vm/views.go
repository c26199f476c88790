package vm

// The methods of a Machine are in groups, by their users. Machine itself has the methods of por.System and
// its capabilities, of marks, and of configurations.

// A Report answers questions of reports about an execution: its ending, the positions of its
// goroutines, the objects they wait for, and the values of variables.
type Report struct{ m *Machine }

// Report returns the report of m's present state and path.
func (m *Machine) Report() Report { return Report{m} }

// A StaticView answers questions of oracles, which compare static facts with the present state:
// activations, registers, objects, and reachability.
type StaticView struct{ m *Machine }

// StaticView returns the view of m's present state.
func (m *Machine) StaticView() StaticView { return StaticView{m} }

// An Environment reports which behaviours of the environment were not tried, and whether the search has to
// begin again with a finer machine because of that. It also reports which inputs lead to the present state.
type Environment struct{ m *Machine }

// Environment returns the environment of m.
func (m *Machine) Environment() Environment { return Environment{m} }

// A Debugger answers questions of a debugger: frames, registers, memory, and the points at which an
// execution can be watched.
type Debugger struct{ m *Machine }

// Debugger returns the debugger's view of m.
func (m *Machine) Debugger() Debugger { return Debugger{m} }
