// Package search holds what the searches of all explorers have in common.
//
//   - Control: the visitor, the bounds, what has been counted, and why the search stops.
//   - Driver: a Control that also has a system: it steps and rewinds it, keeps the present path,
//     reports the ends of executions and the races that are next, and asks the oracle.
//   - Position: a state of the path to which a Driver can return.
//   - RaceReporter and RaceSet: which races are reported, each once.
//   - Control.Tracef and its like: the transcript of a search, for developers (por.Config.Trace).
//
// A search is a loop over states. In each it arrives, expands the state into the steps that have
// to be explored there, and for each of them returns to the state and executes the step:
//
//	arrive:  s.Arrive(); nothing is enabled: s.Leaf(status); s.TruncatedHere(): the end, too
//	         s.ReportRaces(): the operations that race and are both next
//	expand:  what has to be explored here; this is what explorers differ in
//	         at := s.Checkpoint()
//	explore: s.OutOfExecutions(): stop
//	         s.ReturnTo(&at), unless this is the first step
//	         s.Step(a), and arrive in the next state
//	leave:   s.Drop(at.Mark)
//
// Guarantee: a Driver that is given the same steps in the same order reports and counts the same.
// It decides nothing about which steps are explored.
package search
