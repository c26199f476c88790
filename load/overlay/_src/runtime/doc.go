// Package runtime is the machine's model of Go's package runtime: all that its
// documentation promises, and the entry points the machine calls to raise
// run-time panics. Goroutines, channels, maps, memory and stacks belong to the
// machine; what needs them is declared here without a body and implemented in
// vm/native_runtime.go.
package runtime

import (
	"internal/goarch"
	"internal/goos"
)

// Compiler is the name of the compiler whose programs the machine imitates.
const Compiler = "gc"

const (
	GOOS   string = goos.GOOS
	GOARCH string = goarch.GOARCH
)

// Version returns the version of the Go distribution the library comes from.
func Version() string

// GOROOT returns the environment's GOROOT or that of the Go distribution.
func GOROOT() string
