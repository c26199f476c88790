package mhb

// Stages are parts of the reasoning that can be turned off one by one (see Oracle.Off). Each makes a walk
// find less. Without it a walk finds more, so that fewer choices are skipped, but no outcome is lost. Tests
// compare the outcomes.
type Stages uint16

// The stages.
const (
	Guards           Stages = 1 << iota // locks on objects that are not known (guards.go)
	Receivers                           // receivers of dynamic calls: their types, and their places
	Narrowing                           // operands that are not certain lie where the points-to analysis says
	Conds                               // waiters of a Cond need a signal and its lock
	Disjoint                            // accesses to other objects, or to objects that do not exist yet
	Stability                           // memory that can be written, but not while T_c waits
	SyncOps                             // operations that synchronise
	Channels                            // operations on channels
	HeapReachability                    // objects that no other goroutine can reach

	AllStages Stages = 1<<iota - 1
)

// NumStages is the number of stages.
const NumStages = 9

// has reports whether a stage is on.
func (o *Oracle) has(s Stages) bool { return o.Off&s == 0 }
