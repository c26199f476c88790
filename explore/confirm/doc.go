// Package confirm says what executions show about findings of static/findings.
//
//	match.go    whether a bug is what a finding says, and the situation in which it would show
//	reach.go    what an exploration has reached
//	driver.go   drivers: the same with code that is made for a finding
//	search.go   the search: each finding is confirmed, refuted or open
//
// A finding is confirmed by a bug that an execution has, with its schedule. It is refuted by entries that
// reach its places and that are explored exhaustively without such a bug: by these entries, not in general.
// Otherwise it is open.
package confirm
