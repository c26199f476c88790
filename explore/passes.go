package explore

import (
	"context"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/vm"
)

// A pass explores an entry again after an exploration, on a machine with another configuration, and changes
// the result.
type pass struct {
	// when reports whether the pass follows an exploration with result r.
	when func(r *Result, opts *Options) bool
	// change changes the configuration of the machine.
	change func(*vm.Config)
	// The searches are executed one after the other, until one has an answer.
	searches func(opts Options) []Options
	// pointless, if set, reports whether the pass cannot change the result, according to the machine.
	pointless func(s *exploration) bool
	// work returns the amount of work that each search may do. It does not depend on the speed of the
	// computer.
	work func(r *Result) uint64
	// merge returns the result for r and the last search; answered reports whether the last search has an
	// answer.
	merge func(r *Result, s *exploration, found por.Result, answered bool) (*Result, error)
}

// run executes the pass after an exploration of e with opts that has result r.
func (p *pass) run(ctx context.Context, e Entry, opts Options, r *Result) (*Result, error) {
	if opts.Timeout > 0 {
		opts.spent += r.Stats.Explore
	}
	e.New = r.again.with(p.change)
	list, work := p.searches(opts), p.work(r)
	var s *exploration
	for i := 0; ; {
		var err error
		if s == nil || s.broken {
			s, err = prepare(ctx, e, list[i])
		} else {
			s, err = s.again(list[i])
		}
		if err != nil {
			return nil, err
		}
		if p.pointless != nil && p.pointless(s) {
			s.limit.release()
			return r, nil
		}
		s.stopAfter(work)
		found := s.search()
		answered := s.answers(&found)
		if again := s.refinement(); again.needed() && !s.limit.passed() && !(found.Stopped && answered) {
			e, list[i] = again.refine(e, list[i])
			s.limit.release()
			s = nil
			continue
		}
		if i++; answered || s.limit.passed() || i == len(list) {
			defer s.limit.release()
			cut := !answered && s.limit.passed()
			r, err := p.merge(r, s, found, answered)
			if err == nil {
				//mutant: a pass that is stopped is as good as one that ends [test ./explore TestTimedOut]: "|| cut" -> "|| cut && r == nil"
				r.cutShort = r.cutShort || cut
				// Time may also be up while the bugs are described.
				//mutant: the end of the time while a pass describes its bugs is forgotten [test ./explore TestTimedOutAnywhere]: "s.limit.passed()" -> "false"
				r.cutShort = r.cutShort || s.limit.passed()
			}
			return r, err
		}
	}
}
