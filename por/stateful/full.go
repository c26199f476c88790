package stateful

import "hbcheck.dev/hbcheck/por"

// Full explores every interleaving of visible operations depth first: every
// state in which more than one goroutine is enabled is a choice among all of
// them. It is the oracle for every other explorer.
//
// With Config.Match every distinct state is stored and explored once.
func Full(sys por.System, v por.Visitor, cfg por.Config) por.Result {
	return explore(sys, v, cfg, nil)
}
