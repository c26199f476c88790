// Package search has the common parts of all searches.
//
//   - Control: the visitor, the bounds, the counts, and the reason why the search stops.
//   - Driver: a Control with a system: it steps and rewinds it, keeps the current path,
//     reports the ends of executions and the races of pending operations, and asks the oracle.
//   - Position: a state of the path to which a Driver can return.
//   - RaceReporter and RaceSet: which races are reported, each once.
//   - Control.Tracef and similar methods: the transcript of a search, for developers (por.Config.Trace).
//
// A search is a loop over states. In each state the search arrives, expands the state into the steps to be
// explored there, and for each of these steps returns to the state and executes the step:
//
//	arrive:  s.Arrive(); nothing is enabled: s.Leaf(status); s.TruncatedHere(): the end, too
//	         s.ReportRaces(): pending operations that race
//	expand:  choose the steps to explore; here the explorers differ
//	         at := s.Checkpoint()
//	explore: s.OutOfExecutions(): stop
//	         s.ReturnTo(&at), unless this is the first step
//	         s.Step(a), and arrive in the next state
//	leave:   s.Drop(at.Mark)
//
// Guarantee: given the same steps in the same order, a Driver reports and counts the same.
// It does not decide which steps are explored.
package search
