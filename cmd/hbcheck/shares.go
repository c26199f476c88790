package main

import (
	"cmp"
	"slices"
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

// choose chooses the entries of todo that get time in a pass. These are all entries if the time
// until end suffices to give each of them enough. Otherwise they are the entries with the shortest
// executions in their last attempt, because a search of theirs costs least. Entries without a
// step come first: the first entries of a package may have spent their share on work for all
// entries of the package. Entries without a result are always chosen. after[i] is the number of
// chosen entries from index i on.
func (x *wholeRun) choose(todo []attempt, end time.Time, enough time.Duration) (after []int) {
	order := make([]int, len(todo))
	for i := range order {
		order[i] = i
	}
	length := func(i int) int {
		switch r := todo[i].result; {
		case r == nil:
			return -2
		case r.Stats.Transitions == 0 && r.Stats.Load < mostInitialising/2:
			return -1
		default:
			return r.Stats.MaxDepth
		}
	}
	if x.f.budget > 0 && enough > 0 {
		//mutant: time is given to the longest executions [test ./cmd/hbcheck TestChoose]: "length(a), length(b)" -> "length(b), length(a)"
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(length(a), length(b)) })
		most := max(0, int(time.Until(end)*time.Duration(x.capacity())/enough))
		for most < len(order) && length(order[most]) == -2 {
			most++
		}
		order = order[:min(most, len(order))]
	}
	after = make([]int, len(todo)+1)
	for _, i := range order {
		after[i] = 1
	}
	for i := len(todo) - 1; i >= 0; i-- {
		after[i] += after[i+1]
	}
	return after
}

// initialising returns for how long the packages of e may be initialised, besides e's share, if left entries
// are to come. Other entries of the package use the result, and without it none of them can end. So a package
// has half of the time of its entries, and at least mostInitialising; all packages have half of the budget.
func (x *wholeRun) initialising(e *explore.Entry, end time.Time, left int) time.Duration {
	x.mu.Lock()
	defer x.mu.Unlock()
	//mutant: a package is initialised in the share of an entry [test ./cmd/hbcheck TestInitialisingPackages]: "mostInitialising - x.loading[e.Package]" -> "time.Duration(0)"
	most := mostInitialising - x.loading[e.Package]
	if x.f.budget > 0 {
		half := x.f.budget / 2 * time.Duration(x.capacity())
		of := 0
		for i := range x.entries {
			if x.entries[i].Package == e.Package {
				of++
			}
		}
		//mutant: a package with many tests is initialised in ten seconds [test ./cmd/hbcheck TestInitialisingPackages]: "max(most, " -> "min(most, "
		most = max(most, half/time.Duration(max(1, len(x.entries)))*time.Duration(of)-x.loading[e.Package])
		most = min(most, half-x.loadingAll)
	}
	return max(most, x.f.earlyShare(mostInitialising, end, x.capacity(), left))
}

// loaded records how long it took to make the machine for an attempt, which began at the given time.
// Meanwhile attempts at other entries of the package wait for that machine. So time that several attempts
// need at once counts only once.
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
