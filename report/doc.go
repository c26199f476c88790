// Package report has the words. It writes Results as text for people and as JSON Lines for
// programs, and replay files; package explore returns values, and this package makes every sentence about
// them that a user reads.
//
//	value                          sentence                file
//	bug.Bug:     Kind and Detail   what is wrong           message.go
//	bug.Bug:     Events            the lane diagram        lanes.go
//	bug.Bug:     everything        why it is a bug         why.go, cause.go
//	explore.Reason                 what is not covered     message.go
//	vm.Assumption, vm.Mode         what was assumed        assumed.go
//	error                          what the user did       errors.go
//	oracle.Explanation             why there was a choice  explain.go
//	explore.Progress               how far the search is   progress.go
//
// A lane diagram has a line for each step of a schedule and a column for each goroutine, its lane,
// from its first step to its last:
//
//	   main  g1  g2
//	3  │    ▸●       read   b.bal = 0  bank.go:9
//	4  │     │  ▸●   read   b.bal = 0  bank.go:9   ◂ g1 preempted
//	5  │     │   ●   write  b.bal = 1  bank.go:9
//	6  │    ▸●       write  b.bal = 1  bank.go:9   ◂ overwrites step 5
//
// ● is a step and ○ an operation that is blocked, ▸ a switch to another goroutine, ✗ where the bug
// happens. Irrelevant steps inside of one call are one row (fold.go), and in long schedules the middle of
// each stretch of one goroutine is omitted, unless it is remarkable.
//
// # Contracts
//
// The fields of JSON (docs/formats.md) and of replay files (hbr.go, with a version) are only added to.
// A replay file repeats a schedule step by step; the bug it shows is the recorded one if kind,
// position and message are the same.
//
// The writers of benchmark tables are in package bench, those of static facts in analyze.
package report
