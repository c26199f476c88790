// Package selection chooses the parts of a program to explore, before any search: entries by name
// (select.go, filter.go), pairs of parallel tests that share variables (pairs.go), and the flags
// that comments in the program set for an entry (directive.go).
package selection
