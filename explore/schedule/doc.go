// Package schedule works on one recorded schedule. It needs only a machine, not a search: the machine
// executes the schedule again, as a whole or in part.
//
//	Minimise           the schedule of a bug ──▶ a simpler one that shows it
//	Narrate, Events    a schedule ──▶ its steps in source terms, and all that a report says of its bug
//	Replay             a recording in a file ──▶ its events in this program, and its bug; or a Divergence
//	Deviate, Straight  a recording up to a step, then another goroutine ──▶ where that leads
//
// A Teller observes a repetition. It ends the repetition when time is up (ErrNoTime), and measures
// the delays that the schedule needs.
//
// The files: play executes steps and describes them; narrate adds to a bug the facts that its
// repetition shows, with facts (calls, locks, pools, the events of a race) and teller; minimise,
// straighten and shrinker simplify; replay follows a recording, deviate leaves it.
package schedule
