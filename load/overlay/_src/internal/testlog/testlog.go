// Package testlog natively records for the go command which files and variables a test reads. Here
// it records nothing.
package testlog

// Interface is what a logger would implement.
type Interface interface {
	Getenv(key string)
	Stat(file string)
	Open(file string)
	Chdir(dir string)
}

// SetLogger does nothing.
func SetLogger(impl Interface) {}

// Logger returns nil.
func Logger() Interface { return nil }

// Getenv does nothing.
func Getenv(name string) {}

// Open does nothing.
func Open(name string) {}

// Stat does nothing.
func Stat(name string) {}

var panicOnExit0 bool

// PanicOnExit0 reports whether os.Exit(0) is to panic.
func PanicOnExit0() bool { return panicOnExit0 }

// SetPanicOnExit0 sets whether os.Exit(0) is to panic.
func SetPanicOnExit0(v bool) { panicOnExit0 = v }
