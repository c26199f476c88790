package por

import (
	"fmt"
	"slices"
)

// A Search explores a system from its present state, in which it leaves it, and reports to a
// visitor.
type Search func(System, Visitor, Config) Result

// An Explorer is a search algorithm by name, with what it can do and its options.
// The fields other than Name and Doc are of the explorer with the options that have been set.
type Explorer struct {
	Name string
	Doc  string
	// Needs names what it needs of a System besides System's methods.
	Needs []Capability
	// Stateless and Stateful say whether it can run without and with Config.Match.
	Stateless, Stateful bool
	// Samples says that it executes as many schedules as Config.MaxExecutions says (if that is 0,
	// as many as sample.DefaultSamples), which depend on Config.Seed, and is never exhaustive.
	Samples bool
	// NoPreemptionBound says that it cannot honour Config.LimitPreempt: it leaves out schedules
	// that others stand for, which may have more preemptions.
	NoPreemptionBound bool
	// NoDuplicates says that it executes each class of equivalent executions at most once, and so
	// can honour Config.CheckDuplicates.
	NoDuplicates bool
	// OnePerClass says that it completes one execution of each class of equivalent ones, so that an
	// estimator can say about how many there are.
	OnePerClass bool
	// Serial is the flag that leaves it one worker, "" if it can use several, as one that is Stateful can
	// if it stores states. The result does not depend on how many; that of one worker may differ in
	// counts, and in which bug is first, if states are stored.
	Serial string
	// NotSaved says that its searches cannot be saved (Config.Keeper).
	NotSaved bool
	// Equivalence names the relation whose classes it explores, if that is not Mazurkiewicz's.
	Equivalence string

	// Options are its own options, in the order in which they are documented.
	Options []Option
	// Run is the search. Use Explore, which also knows what to do with programs it cannot explore.
	Run Search
	// Fallbacks are the explorers to which it may fall back (Result.FallbackTo).
	Fallbacks []*Explorer
}

// An Option is a setting of one explorer. The command line has a flag for each.
type Option struct {
	Name    string // of the flag; no other flag has it
	Doc     string // one clause, with the values in backquotes
	Default string // as good as none: the command line does not call Set for it
	List    bool   // the flag takes several values, separated by commas; each is set
	Hidden  bool   // for tests and benchmarks; there is no flag
	// Set takes a value. The error says what is wrong with it, and does not repeat it.
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

// Explore runs the explorer, and if that falls back to another one, that.
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
