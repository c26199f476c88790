package pointer

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
)

// TestOwn: functions of other modules are not analysed; they are taken to call the functions among
// their arguments.
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
	few := Of(prog).analyze(&analysis{alone: true, own: true, few: true}, never, prog.Entries)
	main := prog.Entries[0].Func.Pkg
	for name, want := range map[string]bool{"option": true, "set": true, "once": true, "never": false} {
		if got, last := r.IsReachable(main.Func(name)), few.IsReachable(main.Func(name)); got != want || last != want {
			t.Errorf("%s is reachable: %t, with few contexts %t", name, got, last)
		}
	}
	if own, all := r.Stats().Work, AnalyzeWithoutUsers(0, never, prog, prog.Entries...).Stats().Work; own > all/10 {
		t.Errorf("the work is %d, and %d with the code of others", own, all)
	}
	if AnalyzeOwn(r.Stats().Work/100, never, prog, prog.Entries...) != nil {
		t.Error("the work has no bound")
	}
}

// TestFewContexts: a tree with several kinds of nodes, which allocate one another, has as many contexts as
// there are strings of allocations. If that is too much work, there are few of them.
func TestFewContexts(t *testing.T) {
	never := func() bool { return false }
	const kinds = 5
	var b strings.Builder
	b.WriteString("package main\n\nfunc main() { (&node[int]{}).grow() }\n\ntype node[T any] struct { children []*node[T] }\n\n")
	b.WriteString("func (n *node[T]) grow() *node[T] {\n")
	for range kinds {
		b.WriteString("\tn.children = append(n.children, (&node[T]{}).grow())\n")
	}
	b.WriteString("\treturn n\n}\n")
	prog := loadSource(t, b.String())
	all := AnalyzeOwn(0, never, prog, prog.Entries...).Stats()
	few := AnalyzeOwn(all.Work/8, never, prog, prog.Entries...)
	if few == nil {
		t.Fatalf("%d contexts, work %d: no result with an eighth of it", all.Activations, all.Work)
	}
	if s := few.Stats(); all.Activations < kinds*kinds || s.Activations > all.Activations-kinds*kinds/2 {
		t.Errorf("%d activations, of %d", s.Activations, all.Activations)
	}
	grow := ""
	for fn, list := range few.ctxs {
		if strings.HasSuffix(fn.String(), ".grow") {
			grow += fmt.Sprint(len(list))
		}
	}
	if grow != fmt.Sprint(maxContexts) {
		t.Errorf("grow has %s contexts", grow)
	}
}

// TestFewUnsafe: with few contexts, the conversion of an unsafe.Pointer only has addresses of its type.
func TestFewUnsafe(t *testing.T) {
	prog := loadSource(t, `package main

import "unsafe"

type header struct{ kind int; next *header }
type leaf struct { header; value *int }
type other struct{ text *string }

func main() {
	all := []unsafe.Pointer{unsafe.Pointer(new(leaf)), unsafe.Pointer(new(other))}
	h := (*header)(all[len(all)-1])
	println(h)
}`)
	for few, want := range map[bool]string{false: "leaf other", true: "leaf"} {
		r := Of(prog).analyze(&analysis{alone: true, own: true, few: few}, func() bool { return false }, prog.Entries)
		var names []string
		for _, b := range prog.Entries[0].Func.Blocks {
			for _, i := range b.Instrs {
				if c, ok := i.(*ssa.Convert); ok && strings.HasSuffix(c.Type().String(), ".header") {
					for l := range r.PointsTo(c, 0).Labels() {
						names = append(names, l.Object.Type.(*types.Named).Obj().Name())
					}
				}
			}
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != want {
			t.Errorf("few contexts %t: a header at %s, want %s", few, got, want)
		}
	}
}
