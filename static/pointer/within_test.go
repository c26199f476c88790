package pointer

import "testing"

// TestWithin: a bound on the work ends the analysis, and one that suffices does not change its result.
func TestWithin(t *testing.T) {
	never := func() bool { return false }
	prog := loadSource(t, `package main

type node struct{ next *node }

func link(a, b *node) *node { a.next = b; return a }

func main() {
	var x *node
	for range 3 {
		x = link(&node{}, link(&node{}, x))
	}
	println(x)
}`)
	whole := Analyze(prog, prog.Entries...).Stats()
	if whole.Work < 10 {
		t.Fatalf("the work is %d", whole.Work)
	}
	if r := AnalyzeWithin(whole.Work, never, prog, prog.Entries...); r == nil || r.Stats() != whole {
		t.Error("with a bound that suffices the result is another one")
	}
	if AnalyzeWithin(whole.Work/2, never, prog, prog.Entries...) != nil {
		t.Error("the work has no bound")
	}
}
