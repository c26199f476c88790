// Package confirm confirms or refutes findings of static/findings by executions.
//
//	match.go    whether a bug is that of a finding, and the situation in which it would occur
//	reach.go    what an exploration has reached
//	driver.go   drivers: the same with code that is made for a finding
//	search.go   the search: each finding is confirmed, refuted or open
//
// A finding is confirmed by a bug that an execution has, with its schedule. It is refuted if entries that
// reach its places are explored exhaustively without such a bug. That holds for these entries, not in
// general. Otherwise it is open.
package confirm
