package explore

import "hbcheck.dev/hbcheck/oracle"

// A OneWorker says why a search has one worker although it may have several (Options.Jobs). Its verdict
// is that of several, as theirs is that of one. Package report says it in words.
type OneWorker uint8

// The reasons, the first that applies being given.
const (
	NotAsked       OneWorker = iota // it has as many as Jobs says
	SerialExplorer                  // the search of the explorer, or of its variant, is not divided
	SerialBounds                    // nor is a tree of prefixes, or a search with exact bounds, of one that stores states
	SerialOracle                    // the oracle learns: its answers depend on what it was asked before
	SerialCheck                     // what is checked or written down is of one search
	NumOneWorker
)

// OneWorker returns why the search has one worker.
func (o *Options) OneWorker() OneWorker {
	switch {
	case o.Jobs <= 1:
		return NotAsked
	case o.Portfolio != nil:
		return o.Portfolio.oneWorker()
	case o.POR.Serial != "":
		return SerialExplorer
	case o.POR.Stateful && (!o.Match || o.MaxExecs > 0 || o.MaxStates > 0):
		return SerialBounds
	case o.POR.Stateful && (o.CheckStatic || o.Explain != nil || o.Finals || o.Trace != nil):
		return SerialCheck
	case o.POR.Stateful:
		return NotAsked // what an oracle has learned makes its answers no wrong ones
	case o.Hybrid == oracle.Full || o.LazyAnalysis:
		return SerialOracle
	case o.CheckStatic || o.CheckDuplicates || o.Explain != nil || o.Finals || o.Trace != nil:
		return SerialCheck
	}
	return NotAsked
}

// oneWorker returns why none of p's exhaustive searches has several workers.
func (p *Portfolio) oneWorker() (why OneWorker) {
	for i := range p.Searches {
		if why = max(why, p.Searches[i].OneWorker()); p.Searches[i].OneWorker() == NotAsked {
			return NotAsked
		}
	}
	return why
}
