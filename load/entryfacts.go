package load

import "sync"

// EntryFacts are facts about the program that begins at an entry.
type EntryFacts struct {
	ClockUsed        bool        // the program reads the clock, so the clock is part of the state
	LooksAtAll       bool        // see Program.LooksAtAll
	Inspects         bool        // see Program.InspectsAll
	Bubbles          bool        // the program imports testing/synctest
	Counted          bool        // the program can count its goroutines
	CallsGC          bool        // the program can ask for collections
	SetsEnv          bool        // the program can change its environment
	ShowsDescriptors bool        // the program can see numbers of descriptors
	Watches          bool        // the program can watch files with inotify
	SeedsRand        bool        // the program can seed the global functions of math/rand
	Arguments        bool        // the program is a main function that reads the arguments of the command line
	Labels           bool        // the program can have no inputs, so values may have labels
	Testing          TestMethods // methods that the program may call
}

// factsKey is the key of the facts about an entry.
type factsKey struct {
	entry   *Entry
	ordered bool
}

// keptFacts are the facts about the entries of a program, because each refinement needs them again.
type keptFacts struct {
	sync.Mutex
	known map[factsKey]EntryFacts
}

// EntryFacts returns the facts about e. ordered: timers fire in the order of their deadlines.
func (prog *Program) EntryFacts(e *Entry, ordered bool) EntryFacts {
	k := factsKey{e, ordered}
	prog.facts.Lock()
	f, ok := prog.facts.known[k]
	prog.facts.Unlock()
	if ok {
		return f
	}
	f = prog.newFacts(e, ordered)
	prog.facts.Lock()
	defer prog.facts.Unlock()
	if prog.facts.known == nil {
		prog.facts.known = make(map[factsKey]EntryFacts)
	}
	prog.facts.known[k] = f
	return f
}

func (prog *Program) newFacts(e *Entry, ordered bool) EntryFacts {
	looksAtAll := prog.LooksAtAll(e)
	return EntryFacts{
		ClockUsed:        prog.UsesClock(e) || ordered && prog.UsesDeadlines(e),
		LooksAtAll:       looksAtAll,
		Inspects:         looksAtAll && prog.InspectsAll(e), // Inspects implies LooksAtAll
		Bubbles:          looksAtAll && prog.ImportsBubbles(e),
		Counted:          prog.CountsGoroutines(e),
		CallsGC:          prog.Collects(e),
		SetsEnv:          prog.SetsEnvironment(e),
		ShowsDescriptors: prog.ShowsDescriptors(e),
		Watches:          prog.Watches(e),
		SeedsRand:        prog.SeedsRand(e),
		Arguments:        e.Kind == Main && prog.TakesArguments(e),
		Labels:           !e.Symbolic && !e.Fuzz && !prog.UsesHarness(),
		Testing:          prog.TestMethods(e),
	}
}
