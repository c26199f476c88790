package explore

import (
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/sample"
	"hbcheck.dev/hbcheck/vm"
)

// An estimate is an estimated number of executions, during a long search. It runs on a replica of
// the machine, and no count of the search depends on it.
type estimate struct {
	replicas describe.Machine
	await    vm.Await
	cfg      por.Config
	e        *sample.Estimator // nil: not begun
	off      bool              // no estimate is possible
}

const (
	estimateAfter = 1 << 18 // transitions after which an estimate is worth the cost of a replica
	estimateShare = 16      // transitions of the search for one of the sample; the error decreases accordingly
	estimateBatch = 1 << 14 // steps at a time, short enough not to delay the search
)

// newEstimate returns the estimate for a search; nil if the search reports no progress, or no
// estimate is possible. The estimate ends when over returns true.
func newEstimate(m describe.Machine, opts *Options, cfg por.Config, over func() bool) *estimate {
	if opts.Progress == nil || !opts.POR.OnePerClass {
		return nil
	}
	return &estimate{replicas: m, await: opts.await(),
		cfg: por.Config{MaxSteps: cfg.MaxSteps, IgnoreOutput: cfg.IgnoreOutput, Over: over}}
}

// update extends the sample and fills in p.
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
	if mean, err := x.e.Executions(); mean > float64(p.Executions) { // a smaller estimate is refuted
		p.Estimate, p.Error = mean, err
	}
}
