package observable_test

import (
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/static/observable"
)

// TestUntried: a channel is untried if no operation that does not wait can be on it. The name of
// the function that makes the channel says so: untried..., or tried... if such an operation is on
// it, or may be.
func TestUntried(t *testing.T) {
	prog := vmtest.Load(t, `package main
type box struct { c chan int }
var global chan int
func use(c chan int, n int) { for range n { c <- 1 } ; close(c) }
func try(c chan int) { select { case <-c: default: } }
func wait(c <-chan int, d chan int) { select { case <-c: case d <- 1: } }
func back(c chan int) chan int { return c }
func untriedLocal() { c := make(chan int); go func() { c <- 1 }(); <-c }
func untriedAssigned() { c := make(chan int); if len(c) == 0 { c = make(chan int, 1) }; go func() { c <- 1 }(); for range c { if cap(c) == 1 || c == nil { break } } }
func untriedArguments() { c := make(chan int); go use(c, 2); defer use(c, 1); wait(c, c); <-c }
func untriedNested() { c := make(chan int); go func() { go func() { v, ok := <-c; _, _ = v, ok }() }(); c <- 1 }
func triedHere() { c := make(chan int); go func() { c <- 1 }(); select { case <-c: default: } }
func triedSending() { c := make(chan int); go func() { <-c }(); select { case c <- 1: default: } }
func triedThere() { c := make(chan int); go func() { c <- 1 }(); try(c) }
func triedInClosure() { c := make(chan int); go func() { select { case c <- 1: default: } }(); <-c }
func triedAssigned() { var c chan int; go func() { select { case c <- 1: default: } }(); c = make(chan int); <-c }
func triedInStruct() { b := box{make(chan int)}; go try(b.c); <-b.c }
func triedInVariable() { global = make(chan int); go func() { select { case <-global: default: } }(); global <- 1 }
func triedInInterface() { var x any = make(chan int); go func() { select { case <-x.(chan int): default: } }() }
func triedSent() { d := make(chan chan int, 1); c := make(chan int); d <- c; try(<-d) }
func triedSelected() { d := make(chan chan int, 1); c := make(chan int); select { case d <- c: }; try(<-d) }
func triedReturned() { c := make(chan int); try(back(c)) }
func triedByMethod() { c := make(chan int); f := try; f(c) }
func main() {
	untriedLocal(); untriedAssigned(); untriedArguments(); untriedNested()
	triedHere(); triedSending(); triedThere(); triedInClosure(); triedAssigned(); triedInStruct(); triedInVariable()
	triedInInterface(); triedSent(); triedSelected(); triedReturned(); triedByMethod()
}`)
	bodies := func(fn *ssa.Function) []*ssa.BasicBlock {
		prog.EnsureBuilt(fn)
		return fn.Blocks
	}
	main := prog.Entries[0].Func
	bodies(main)
	n := 0
	for _, m := range main.Pkg.Members {
		fn, ok := m.(*ssa.Function)
		if !ok || !strings.Contains(fn.Name(), "tried") {
			continue
		}
		for _, b := range bodies(fn) {
			for _, i := range b.Instrs {
				mk, ok := i.(*ssa.MakeChan)
				if !ok || mk.Type().String() != "chan int" {
					continue
				}
				n++
				if got, want := observable.Untried(mk, bodies), strings.HasPrefix(fn.Name(), "untried"); got != want {
					t.Errorf("%s: untried %v", fn.Name(), got)
				}
			}
		}
	}
	if n != 17 {
		t.Errorf("%d channels, want 17", n)
	}
}
