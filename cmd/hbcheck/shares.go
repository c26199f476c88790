package main

import (
	"time"

	"hbcheck.dev/hbcheck/explore"
)

// earlyShare returns the time of an entry in a pass before the last one, if left entries remain. It is
// share, or less if the budget would be used up before the last pass.
func (f *exploreFlags) earlyShare(share time.Duration, end time.Time, workers, left int) time.Duration {
	if f.budget <= 0 {
		return share
	}
	return max(min(leastTime, share), min(share, time.Until(end)*time.Duration(workers)/time.Duration(left)))
}

// initialising returns for how long the packages of e may be initialised, besides e's share, if left entries
// are to come. Other entries of the package use the result, so a package has a bound of its own; all of them
// have half of the budget.
func (x *wholeRun) initialising(e *explore.Entry, end time.Time, left int) time.Duration {
	x.mu.Lock()
	defer x.mu.Unlock()
	//mutant: a package is initialised in the share of an entry [test ./cmd/hbcheck TestInitialisingPackages]: "mostInitialising - x.loading[e.Package]" -> "time.Duration(0)"
	most := mostInitialising - x.loading[e.Package]
	if x.f.budget > 0 {
		most = min(most, x.f.budget/2-x.loadingAll)
	}
	return max(most, x.f.earlyShare(mostInitialising, end, x.capacity(), left))
}

// loaded notes how long making the machine for an attempt, which began at a time, has taken. Attempts at
// entries of one package wait for each other then, so what they need at the same time counts once.
func (x *wholeRun) loaded(a *attempt, begin time.Time) {
	if a.result == nil || a.cached {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	end, until := begin.Add(a.result.Stats.Load), x.loadedUntil[a.entry.Package]
	//mutant: who waits for initialisers executes them [test ./cmd/hbcheck TestLoadedTogether]: remove
	if begin.Before(until) {
		begin = until
	}
	if took := end.Sub(begin); took > 0 {
		x.loading[a.entry.Package] += took
		x.loadingAll += took
		x.loadedUntil[a.entry.Package] = end
	}
}
