package strategy

import (
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/sample"
	"hbcheck.dev/hbcheck/vm"
)

// An Estimate is an estimated number of executions, during a long search. It runs on a replica of
// the machine, and no count of the search depends on it.
type Estimate struct {
	replicas describe.Machine
	await    vm.Await
	cfg      por.Config
	e        *sample.Estimator // nil: not begun
	off      bool              // no estimate is possible
}

const (
	estimateAfter = 1 << 18 // transitions after which an estimate is worth the cost of a replica
	estimateShare = 16      // transitions of the search for each one of the sample; so a longer search has a smaller error
	estimateBatch = 1 << 14 // steps at a time, short enough not to delay the search
)

// NewEstimate returns the estimate for a search of m with cfg. It ends when over returns true.
func NewEstimate(m describe.Machine, await vm.Await, cfg por.Config, over func() bool) *Estimate {
	return &Estimate{replicas: m, await: await, cfg: sampling(cfg, over)}
}

// sampling returns the configuration of a sample of the executions of a search with cfg.
func sampling(cfg por.Config, over func() bool) por.Config {
	return por.Config{MaxSteps: cfg.MaxSteps, IgnoreOutput: cfg.IgnoreOutput, Over: over}
}

// Update extends the sample and fills in p. If x is nil, it does nothing.
func (x *Estimate) Update(p *por.Progress) {
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

// workSteps is the number of steps of a sample for work.
const workSteps = 1 << 16

// Work returns the estimated steps of a search of all classes of m's executions, from a deterministic
// sample on a replica. ok is false if there is no estimate, or over has returned true.
func Work(m describe.Machine, await vm.Await, cfg por.Config, over func() bool) (steps float64, ok bool) {
	m, err := m.Replica()
	if err != nil {
		return 0, false
	}
	m.Await(await)
	e := sample.NewEstimator(m, sampling(cfg, over), 1)
	for e.Steps() < workSteps {
		// A machine that was interrupted while it was made has executions without steps.
		if !e.Sample() || e.Steps() == 0 || over() {
			return 0, false
		}
	}
	classes, _ := e.Executions()
	return classes * float64(e.Steps()) / float64(e.Samples()), true
}
