// Package basedraw has tests whose initialisers draw: TestBaseDrawn executes them in copies of one machine.
package basedraw

import (
	"math/rand/v2"
	"testing"
)

var (
	token  = rand.Uint64()
	unused = rand.Uint64()
)

func TestIgnores(t *testing.T) { unused++ }

func TestKeeps(t *testing.T) {
	done := make(chan uint64)
	go func() { done <- token + 1 }()
	unused = <-done
}

func TestLooks(t *testing.T) {
	if token == 7 {
		t.Error("unlikely")
	}
}
