package main

import (
	"hbcheck.dev/hbcheck/analyze"
	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/confirm"
	"hbcheck.dev/hbcheck/explore/target"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/static/findings"
	"hbcheck.dev/hbcheck/vm"
)

const (
	aimingWork = 1_000_000 // bound on the points-to analysis for the findings of an entry: about a second
	mostAims   = 24
)

// aims returns a function that finds targets for the walks of an entry: the findings of hbcheck analyze in
// the code that the entry reaches.
func (x *wholeRun) aims(e *explore.Entry) func(over func() bool) []target.Target {
	if e.Source == nil {
		return nil
	}
	return func(over func() bool) []target.Target {
		prog := x.dirs.prog
		p := analyze.New(prog, vm.NewModels(prog), []*load.Entry{e.Source})
		p.Work, p.Stop = aimingWork, over
		if !p.Solve() {
			return nil
		}
		reach := findings.NewReach(prog.Fset, p.Graph(), e.Source.Func)
		return confirm.Targets(prog.Fset, findings.Find(p.FindingConfig()), reach, mostAims)
	}
}
