// Package bug has the bugs of programs: their kinds, their details as values, and how they show in a state of
// a machine. It does not depend on a search: package explore calls it in the states that a search reaches,
// and package explore/schedule in the states of a schedule that is executed again.
//
//	AtLeaf, Faults        an execution has ended: deadlocks, leaks, panics, failures, misuse
//	Forgotten             the execution continues, and nothing can wake a goroutine any more
//	Pending, Noticed      two accesses conflict, and nothing orders them
//	InLoop                the state recurs: a livelock
//	Find, FindRace        whichever of these is wanted
//	HeldByEntry           whether a goroutine that is left is one that the entry could have stopped
//
// Two executions show the same bug if its Key is the same: kind, position and Detail. Package report makes
// sentences of all this.
//
// The files: kind has the kinds and their codes, detail what identifies a bug, bug the Bug itself; leaf,
// races and held find bugs, find recognises them; noted has the records that a search makes when it finds a
// bug. If there is no time to repeat the schedule, a report has only these records.
package bug
