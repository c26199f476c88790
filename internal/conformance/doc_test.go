// Package conformance holds no code, only tests: the machine runs the Go
// distribution's own test programs, and generated ones, and must do what the
// real thing does.
package conformance
