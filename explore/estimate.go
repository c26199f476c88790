package explore

import (
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/sample"
	"hbcheck.dev/hbcheck/vm"
)

// An estimate says about how many executions there are, during a long search. It is
// made on a replica of the machine, and no count of the search depends on it.
type estimate struct {
	replicas Machine
	await    vm.Await
	cfg      por.Config
	e        *sample.Estimator // nil: not begun
	off      bool              // there will be none
}

const (
	estimateAfter = 1 << 18 // transitions of a search that is worth an estimate, which takes a replica
	estimateShare = 16      // the search executes so many transitions for one of the sample, whose error so decreases
	estimateBatch = 1 << 14 // steps at a time, for which a search hardly stops
)

// newEstimate returns the estimate for a search; nil if no progress is reported, or there can
// be none. It ends when over holds.
func newEstimate(m Machine, opts *Options, cfg por.Config, over func() bool) *estimate {
	if opts.Progress == nil || !opts.POR.OnePerClass {
		return nil
	}
	return &estimate{replicas: m, await: opts.await(),
		cfg: por.Config{MaxSteps: cfg.MaxSteps, IgnoreOutput: cfg.IgnoreOutput, Over: over}}
}

// update adds to the sample and fills in p.
func (x *estimate) update(p *por.Progress) {
	if x == nil || x.off || p.Transitions < estimateAfter {
		return
	}
	if x.e == nil {
		m, err := x.replicas.Replica()
		if err != nil {
			x.off = true
			return
		}
		m.Await(x.await)
		x.e = sample.NewEstimator(m, x.cfg, 1)
	}
	for most := min(x.e.Steps()+estimateBatch, p.Transitions/estimateShare); x.e.Steps() < most; {
		if !x.e.Sample() {
			x.off = true
			return
		}
	}
	if mean, err := x.e.Executions(); mean > float64(p.Executions) { // or else it is refuted
		p.Estimate, p.Error = mean, err
	}
}
