package pointer

import "testing"

// TestOwn: functions of other modules are not analysed, and call the functions among their arguments.
func TestOwn(t *testing.T) {
	never := func() bool { return false }
	prog := loadSource(t, `package main

import (
	"flag"
	"fmt"
	"sync"
)

type value struct{ n int }

func (v *value) String() string { return "" }
func (v *value) Set(s string) error { return set(v) }

func set(v *value) error { v.n++; return nil }
func option(string) error { return nil }
func once() {}
func never() {}

func main() {
	flag.Func("f", "", option)
	flag.Var(new(value), "v", "")
	var o sync.Once
	o.Do(once)
	fmt.Println(never == nil)
}`)
	r := AnalyzeOwn(0, never, prog, prog.Entries...)
	main := prog.Entries[0].Func.Pkg
	for name, want := range map[string]bool{"option": true, "set": true, "once": true, "never": false} {
		if got := r.IsReachable(main.Func(name)); got != want {
			t.Errorf("%s is reachable: %t", name, got)
		}
	}
	if own, all := r.Stats().Work, AnalyzeWithoutUsers(0, never, prog, prog.Entries...).Stats().Work; own > all/10 {
		t.Errorf("the work is %d, and %d with the code of others", own, all)
	}
	if AnalyzeOwn(r.Stats().Work/2, never, prog, prog.Entries...) != nil {
		t.Error("the work has no bound")
	}
}
