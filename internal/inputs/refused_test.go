package inputs

import (
	"testing"

	"hbcheck.dev/hbcheck/explore"
)

const refusedProgram = `package main

import (
	"hash/maphash"
	"hbcheck.dev/hbcheck/hbtest"
	"os"
	"sync"
	"syscall"
)

// Name: the behaviour of the model depends on the variable of the environment that is read.
func Name() {
	b := []byte{hbtest.Nondet[byte]()}
	os.Getenv(string(b))
}

// Shared: another goroutine can access the bytes that will be written.
func Shared() {
	b := []byte{hbtest.Nondet[byte](), 'x'}
	var wg sync.WaitGroup
	wg.Go(func() { b[1] = 'y' })
	wg.Wait()
	wg.Go(func() { _ = b[1] })
	syscall.Write(1, b)
	wg.Wait()
}

// Hash of bytes: equal bytes have the same hash.
func Hash() {
	seed := maphash.MakeSeed()
	x := hbtest.Nondet[byte]()
	hbtest.Assume(x < 4)
	if h := maphash.Bytes(seed, []byte{x, 7}); x == 2 && h != maphash.Bytes(seed, []byte{2, 7}) { panic("hash") }
}

func main() {}
`

// TestRefused: an unsupported operation on terms is refused with its position and the reason, or its
// operands are made concrete.
func TestRefused(t *testing.T) {
	prog := loadPrograms(t, refusedProgram)
	for _, test := range []struct{ name, reason string }{
		{"Name", "main.go:14:11: unsupported: os.Getenv: a model of the library branches on a value that depends on an input"},
		{"Shared", "main.go:24:15: unsupported: syscall.Write: bytes that depend on an input, in memory that goroutines share"},
		{"Hash", ""},
	} {
		for _, name := range []string{"full", "jpf", "optimal", "source", "context", "clockvector", "graph"} {
			e := explorer(t, name)
			r := run(t, prog, test.name, explore.Options{POR: e, Match: e.Stateful})
			got := ""
			for _, x := range r.Incomplete {
				got += x.Text
			}
			if got != test.reason || len(r.Bugs) > 0 {
				t.Errorf("%s, %s: %q %v, want %q", test.name, name, got, r.Bugs, test.reason)
			}
		}
	}
}
