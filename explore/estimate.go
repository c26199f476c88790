package explore

import (
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/sample"
)

// An estimate of how many executions there are is for people who wait. It is made on a machine of its own, while the search goes
// on, and no count of the search depends on it.
type estimate struct {
	m    twin
	opts *Options
	cfg  por.Config
	e    *sample.Estimator // nil: not begun
	off  bool              // there will be none
}

const (
	estimateAfter = 1 << 18 // transitions of a search that is worth an estimate, which takes another machine
	estimateShare = 16      // the search executes so many transitions for one of the sample, whose error so becomes less and less
	estimateBatch = 64      // executions at a time
)

// newEstimate returns the estimate for a search; nil: nobody asks for it, or there can be none.
func newEstimate(m Machine, opts *Options, cfg por.Config) *estimate {
	t, ok := m.(twin)
	if !ok || opts.Progress == nil || !opts.POR.OnePerClass {
		return nil
	}
	return &estimate{m: t, opts: opts, cfg: por.Config{MaxSteps: cfg.MaxSteps, IgnoreOutput: cfg.IgnoreOutput}}
}

// update adds to the sample and fills in p.
func (x *estimate) update(p *por.Progress) {
	if x == nil || x.off || p.Transitions < estimateAfter {
		return
	}
	if x.e == nil {
		m, err := x.m.another()
		if err != nil {
			x.off = true
			return
		}
		if a, ok := m.(awaiter); ok {
			a.Await(x.opts.await())
		}
		x.e = sample.NewEstimator(m, x.cfg, 1)
	}
	for i := 0; i < estimateBatch && x.e.Steps() < p.Transitions/estimateShare; i++ {
		if !x.e.Sample() {
			x.off = true
			return
		}
	}
	if mean, err := x.e.Executions(); mean > float64(p.Executions) { // or else it is refuted
		p.Estimate, p.Error = mean, err
	}
}
