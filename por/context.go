package por

import "hbcheck.dev/hbcheck/trace"

type contextual struct{ guide bool }
type check struct{}

func (c *contextual) check(*sourceState)                                        {}
func (c *contextual) prefer(f *sourceState, p trace.GID) trace.GID              { return p }
func (c *contextual) select5(f *sourceState) (g trace.GID, choice int, ok bool) { return }
func (c *contextual) propagate(f *sourceState, e *executed) []sleeper           { return nil }
func (c *contextual) race(e, p int)                                             {}
func (c *contextual) executed(n int)                                            {}
