// Package conformance has only tests: the machine runs the Go
// distribution's own test programs, and generated ones, and must behave like the
// compiled programs.
package conformance
