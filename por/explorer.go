package por

import (
	"fmt"
	"slices"
)

// A Search explores a system from its current state, reports to a visitor, and restores that state.
type Search func(System, Visitor, Config) Result

// An Explorer is a search algorithm with a name, its properties and its options.
// Setting an option can change all fields except Name and Doc.
type Explorer struct {
	Name string
	Doc  string
	// Needs are the capabilities of a System that it requires.
	Needs []Capability
	// Stateless: it can run without Config.Match. Stateful: it can run with it.
	Stateless, Stateful bool
	// Samples: it executes Config.MaxExecutions schedules (sample.DefaultSamples if that is 0), which
	// depend on Config.Seed, and is never exhaustive.
	Samples bool
	// NoPreemptionBound: it cannot honour Config.LimitPreempt, because it leaves out schedules
	// whose equivalent ones may have more preemptions.
	NoPreemptionBound bool
	// NoDuplicates: it executes each class of equivalent executions at most once, and so
	// can honour Config.CheckDuplicates.
	NoDuplicates bool
	// OnePerClass: it completes one execution of each class of equivalent ones, so that an
	// estimator can estimate their number.
	OnePerClass bool
	// Serial is the flag that restricts it to one worker, "" if it can use several. A Stateful
	// explorer can use several if it stores states. The result does not depend on the number of
	// workers from two on; with one worker, the counts and the first bug may differ if states are
	// stored.
	Serial string
	// NotSaved: its searches cannot be saved (Config.Keeper).
	NotSaved bool
	// Equivalence names the relation whose classes it explores, if that is not Mazurkiewicz's.
	Equivalence string

	// Options are its own options, in the order of their documentation.
	Options []Option
	// Run is the search. Use Explore, which also handles fallbacks.
	Run Search
	// Piece explores what Run has sent to another process (Config.Elsewhere); nil: Run sends nothing.
	Piece PieceSearch
	// Fallbacks are the explorers to which it may fall back (Result.FallbackTo).
	Fallbacks []*Explorer
}

// An Option is a setting of one explorer. The command line has a flag for each.
type Option struct {
	Name    string // name in the flag; no other flag has it
	Doc     string // one clause, with the values in backquotes
	Default string // the command line does not call Set for it
	List    bool   // the flag takes several values, separated by commas; each is set
	Hidden  bool   // for tests and benchmarks: no flag selects the explorer
	// Set takes a value. The error describes the fault, and does not repeat the value.
	Set func(value string) error
}

// Set sets one of the explorer's own options.
func (e *Explorer) Set(option, value string) error {
	i := slices.IndexFunc(e.Options, func(o Option) bool { return o.Name == option })
	if i < 0 {
		return fmt.Errorf("--%s is not for --por=%s", option, e.Name)
	}
	if err := e.Options[i].Set(value); err != nil {
		return fmt.Errorf("--%s %s: %v", option, value, err)
	}
	return nil
}

// Explore runs the explorer, and then the explorer to which it falls back, if any.
func (e *Explorer) Explore(sys System, v Visitor, cfg Config) Result {
	if missing := MissingOf(sys, e.Needs); missing != "" {
		panic(fmt.Sprintf("BUG: --por=%s needs a system that is a por.%s", e.Name, missing))
	}
	var r Result
	resumed, leave := cfg.Enter(&r.FallbackTo)
	defer leave()
	if resumed = resumed && r.FallbackTo != ""; !resumed {
		r = e.Run(sys, v, cfg)
	}
	for _, other := range e.Fallbacks {
		if r.FallbackTo == other.Name {
			if !resumed {
				Restart(v, cfg, "the program is one for --por="+other.Name)
			}
			left := other.Explore(sys, v, cfg)
			if left.FallbackTo == "" {
				left.FallbackTo = other.Name
			}
			return left
		}
	}
	return r
}
