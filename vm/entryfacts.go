package vm

import "hbcheck.dev/hbcheck/load"

// entryFacts are facts about the program that begins at an entry.
type entryFacts struct {
	clockUsed        bool             // it reads the clock, so the clock is part of the state
	looksAtAll       bool             // see load.Program.LooksAtAll
	inspects         bool             // see load.Program.InspectsAll
	bubbles          bool             // it imports testing/synctest
	counted          bool             // it can count its goroutines
	callsGC          bool             // it can ask for collections
	setsEnv          bool             // it can change its environment
	showsDescriptors bool             // it can see numbers of descriptors
	seedsRand        bool             // it can seed the global functions of math/rand
	arguments        bool             // it is a main function that reads the arguments of the command line
	labels           bool             // it can have no inputs: see package shadow
	testing          load.TestMethods // methods that it may call
}

// factsKey is the key of the facts about an entry.
type factsKey struct {
	entry   *load.Entry
	ordered bool
}

// factsOf returns the facts about e. The program keeps them, because each refinement needs them again.
func factsOf(prog *load.Program, e *load.Entry, c *Config) entryFacts {
	k := factsKey{e, c.OrderedTime}
	prog.Facts.Lock()
	known, _ := prog.Facts.Value.(map[factsKey]entryFacts)
	f, ok := known[k]
	prog.Facts.Unlock()
	if ok {
		return f
	}
	f = newFacts(prog, e, c)
	prog.Facts.Lock()
	defer prog.Facts.Unlock()
	if known, _ = prog.Facts.Value.(map[factsKey]entryFacts); known == nil {
		known = make(map[factsKey]entryFacts)
		prog.Facts.Value = known
	}
	known[k] = f
	return f
}

func newFacts(prog *load.Program, e *load.Entry, c *Config) entryFacts {
	looksAtAll := prog.LooksAtAll(e)
	return entryFacts{
		clockUsed:        prog.UsesClock(e) || c.OrderedTime && prog.UsesDeadlines(e),
		looksAtAll:       looksAtAll,
		inspects:         looksAtAll && prog.InspectsAll(e), // which implies the other one
		bubbles:          looksAtAll && prog.ImportsBubbles(e),
		counted:          prog.CountsGoroutines(e),
		callsGC:          prog.Collects(e),
		setsEnv:          prog.SetsEnvironment(e),
		showsDescriptors: prog.ShowsDescriptors(e),
		seedsRand:        prog.SeedsRand(e),
		arguments:        e.Kind == load.Main && prog.TakesArguments(e),
		labels:           !e.Symbolic && !e.Fuzz && !prog.UsesHarness(),
		testing:          prog.TestMethods(e),
	}
}
