package explore

import "hbcheck.dev/hbcheck/oracle"

// A OneWorker says why a search has one worker although it could have several (Options.Jobs). The
// verdict is the same for one worker and for several. Package report has the sentences.
type OneWorker uint8

// The reasons; the first that applies is reported.
const (
	NotAsked       OneWorker = iota // the search has the number of workers that Jobs requests
	SerialExplorer                  // the search of the explorer, or of its variant, cannot be divided
	SerialBounds                    // nor can that of full or jpf without matching, or with exact bounds
	SerialOracle                    // the oracle learns: its answers depend on earlier questions
	SerialCheck                     // a check or a transcript belongs to one search
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
		return NotAsked // the answers of an oracle that has learned are still right
	case o.Hybrid == oracle.Full || o.LazyAnalysis:
		return SerialOracle
	case o.CheckStatic || o.CheckDuplicates || o.Explain != nil || o.Finals || o.Trace != nil:
		return SerialCheck
	}
	return NotAsked
}

// hasWorkers reports whether the search has several workers in this process.
func (o *Options) hasWorkers() bool {
	//mutant: several workers count what stays [test ./explore TestJobsLeft]: "&& !o.countsLeft()" -> ""
	return o.Jobs > 1 && o.OneWorker() == NotAsked && !o.countsLeft()
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
