package sample

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// The predictor also predicts targets where one goroutine comes between two operations of another one
// (por.Interpose). g is at place 1 and h at place 0; then h continues until it has executed place 2, while
// g stays. So h begins before g has ended, which is impossible if h has synchronised with the steps of g.
//
//	g: load ·············· store        the execution that is read: first g, then h
//	h:                            load ··· store
//
//	g: load ····················· store
//	h:           load ··· store         what is predicted: the update of h is lost
type interposed struct {
	address uint64
	target  int
	by      [3][]*use // by place
}

// interposes records that x is at places of a target.
func (p *predictor) interposes(x moment, op *trace.Op, target int, at por.Places) {
	key := address(op.Access[0])
	i := slices.IndexFunc(p.interposed, func(y *interposed) bool { return y.address == key && y.target == target })
	if i < 0 {
		if len(p.interposed) == mostEdges {
			return
		}
		i = len(p.interposed)
		p.interposed = append(p.interposed, &interposed{address: key, target: target})
	}
	for place := range p.interposed[i].by {
		if at.Has(place) {
			useAt(&p.interposed[i].by[place], pointOf(op)).of(x.g).add(x)
		}
	}
}

// interpositions returns the plans for targets.
func (p *predictor) interpositions() (list []plan) {
	done := map[string]bool{}
	for _, y := range p.interposed {
		for _, store := range y.by[1] {
			for _, load := range y.by[0] {
				for _, over := range y.by[2] {
					x, ok := p.pair(store, load)
					if !ok || done[x.key()] || !over.has(x.gs[1]) {
						continue
					}
					done[x.key()] = true
					x.goal, x.first, x.until = por.Interpose, x.gs[1], over.at
					if list = append(list, x); len(list) == mostLeft {
						return list
					}
				}
			}
		}
	}
	return list
}

// has reports whether g has made the use.
func (u *use) has(g trace.GID) bool { return int(g) < len(u.moments) && len(u.moments[g].list) > 0 }

// stepBetween returns the next step of the goroutine that comes in between, until that goroutine has executed
// the last place.
func (f *following) stepBetween(x *sampler) (trace.Step, bool) {
	if f.steps++; f.until == (point{}) || f.steps > patience || !slices.Contains(x.Enabled, f.first) {
		return trace.Step{}, false
	}
	//mutant: predict: who comes in between stops at once [test ./cmd/hbcheck TestScripts/aims]: "== f.until" -> "!= f.until"
	if pointOf(x.NextOp(f.first)) == f.until {
		f.until = point{}
	}
	return trace.Step{G: f.first, Choice: x.rng.IntN(max(1, x.Sys.Alternatives(f.first)))}, true
}
