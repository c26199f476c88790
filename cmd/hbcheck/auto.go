package main

import (
	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// autoPOR is the value of --por that leaves the choice to hbcheck.
const autoPOR = "auto"

// The explorers of a portfolio that sample, and those that can be exhaustive.
var (
	autoSamples  = []string{"surw", "rff", "pos"}
	autoSearches = []string{"optimal", "jpf"}
)

// chosen returns the explorer that --por names. For auto it is the explorer that another flag selects;
// without such a flag, portfolio is set.
func (f *exploreFlags) chosen() (name string, portfolio bool) {
	switch own := f.own.explorer(); {
	case f.por != autoPOR:
		return f.por, false
	//mutant: a flag of one explorer does not select it [test ./cmd/hbcheck TestScripts/usage]: "own !=" -> "false && own !="
	case own != "":
		return own, false
	case len(f.target.texts) > 0:
		return "surw", false
	case f.checkDuplicates:
		return "optimal", false
	}
	ofFacts := f.hybrid != "auto" || f.explain != "" || f.checkStatic
	ofStates := f.match != "auto" || f.maxStates > 0
	if ofFacts || ofStates || f.preempt >= 0 || f.calls == "whole" || f.calls == "prompt" || f.traceSearch != "" {
		return "jpf", false
	}
	if f.maxExecutions > 0 { // a search that stores states may visit many before an execution ends
		return "optimal", false
	}
	return autoSearches[0], true
}

// portfolio sets o to the options of all explorers of --por=auto.
func (f *exploreFlags) portfolio(o *explore.Options) error {
	p := &explore.Portfolio{}
	names := autoSearches
	if !f.all && !f.outcomes { // --all and --outcomes need whole searches
		names = append(autoSamples, names...)
	}
	for _, name := range names {
		x := explore.Options{POR: explorers.Lookup(name)}
		if err := f.facts(&x); err != nil {
			return err
		}
		if err := f.search(&x); err != nil {
			return err
		}
		x.All, x.Outcomes, x.Observe, x.AllowLeak, x.Assume = o.All, o.Outcomes, o.Observe, o.AllowLeak, o.Assume
		if x.POR.Samples {
			x.Jobs = 1 // the work is less than the cost of another worker
			if x.MaxExecs = autoExecutions; p.First == nil {
				first := x // each goroutine continues as long as it can
				first.MaxExecs, first.LimitPreempt = 1, true
				p.First = &first
			}
			p.Samples = append(p.Samples, x)
			continue
		}
		x.MaxMemory /= int64(len(autoSearches)) // the searches store states at the same time
		x.Jobs = shareOfJobs(f.jobs, len(p.Searches))
		if err := x.Check(); err != nil {
			return err
		}
		p.Searches = append(p.Searches, x)
	}
	if p.Samples != nil { // only the first bug is wanted
		x := p.Searches[len(p.Searches)-1]
		x.Hybrid, x.LazyAnalysis, x.LimitPreempt = oracle.None, false, true
		x.MaxMemory, x.Jobs = x.MaxMemory/2, 1
		if err := x.Check(); err != nil {
			return err
		}
		p.Graded = &x
		// If the user refuses the assumption of uninterrupted calls, an answer that rests on it must not end
		// the search for an answer without it.
		refused := !f.assumes(vm.CallsWhole, o)
		//mutant: an assumption that is refused ends the search [test ./cmd/hbcheck TestScripts/calls_strict$]: "!refused &&" -> "!refused ||"
		if !refused && f.calls == "auto" {
			y := x
			y.LimitPreempt, y.WholeCalls = false, true
			p.Whole = &y
		}
	}
	f.heap = uint64(f.maxMemory) / uint64(len(autoSearches)) // each has a machine
	o.Portfolio = p
	return nil
}

// shareOfJobs returns how many of n workers search i of autoSearches gets. The searches run at the same
// time.
func shareOfJobs(n, i int) int {
	return max(1, (n+len(autoSearches)-1-i)/len(autoSearches))
}

// autoExecutions bounds the executions of each explorer that samples.
const autoExecutions = 100
