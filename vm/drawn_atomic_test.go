package vm_test

import (
	"fmt"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/vm"
)

// TestAtomicAtEnd: while a drawn value is followed, an atomic load whose only operand is the last word of the
// stack does not use words after it. Calls of functions with frames of many sizes reach that word.
func TestAtomicAtEnd(t *testing.T) {
	var src strings.Builder
	src.WriteString(`package main

import (
	"sync/atomic"
	"time"
)

var sum atomic.Int64

func main() {
	sum.Store(time.Now().UnixNano())
	n := 0
`)
	const sizes = 24
	src.WriteString("\tn = deep(60)\n\tif n < 0 {\n\t\tpanic(n)\n\t}\n}\n\nfunc deep(n int) int {\n\tif n == 0 {\n\t\treturn 0\n\t}\n\tr := int64(n)\n")
	for i := range sizes {
		fmt.Fprintf(&src, "\tr ^= f%d(r)\n", i)
	}
	src.WriteString("\treturn deep(n-1) + int(r & 1)\n}\n")
	for i := range sizes {
		fmt.Fprintf(&src, "\nfunc f%d(a0 int64) int64 {\n", i)
		for k := range i {
			fmt.Fprintf(&src, "\ta%d := a%d * 3\n", k+1, k)
		}
		src.WriteString("\tr := sum.Load()\n")
		for k := range i {
			fmt.Fprintf(&src, "\tr += a%d\n", k+1)
		}
		src.WriteString("\treturn r\n}\n")
	}
	x := vmtest.Explore(t, src.String(), vm.Config{}, por.Config{}, stateful.JPF)
	if got := x.String(); got != "1× ok\n" {
		t.Errorf("it ends with %s", got)
	}
}
