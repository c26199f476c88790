// Package explore turns one entry of a program into one Result: it runs an
// explorer of package por over a Machine, collects what the explorer meets
// (bugs, outcomes, reasons for being incomplete), makes each bug's schedule as
// simple as it can, and tells it step by step in source terms.
//
//	Entry ──New──▶ Machine ──por──▶ collector ──▶ bugs ──minimise──▶ tell ──▶ Result
//
// A bug is reported only with a schedule that shows it: the schedule has been
// executed again, from the initial state, before the Result is returned.
package explore
