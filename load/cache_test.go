package load

import (
	"fmt"
	"sync"
	"testing"
)

// TestCache loads different programs with one cache, at once and in turn.
func TestCache(t *testing.T) {
	var cache Cache
	load := func(i int) *Program {
		dir := extract(t, fmt.Sprintf("-- main.go --\npackage main\nimport \"sort\"\nvar F%d = sort.Ints\nfunc main() { sort.Ints(nil) }\n", i))
		return mustLoad(t, Config{Dir: dir, Patterns: []string{"main.go"}, Cache: &cache})
	}
	progs := make([]*Program, 4)
	var wg sync.WaitGroup
	for i := range progs {
		wg.Go(func() {
			progs[i] = load(i)
			for _, p := range progs[i].All {
				progs[i].BuildPackage(p.SSA)
			}
		})
	}
	wg.Wait()
	for i, prog := range progs {
		name := fmt.Sprintf("F%d", i)
		if prog.Packages[0].SSA.Var(name) == nil {
			t.Errorf("program %d has no %s", i, name)
		}
		ints := prog.Package("sort").SSA.Func("Ints")
		if got := prog.Fset.Position(ints.Pos()).Line; got == 0 || ints.Blocks == nil {
			t.Errorf("sort.Ints is at line %d with %d blocks", got, len(ints.Blocks))
		}
		if i > 0 && prog.Package("sort").Types != progs[0].Package("sort").Types {
			t.Error("sort was loaded again")
		}
		if i > 0 && prog.SSA == progs[0].SSA {
			t.Error("programs share their SSA")
		}
	}

	// Files for instances of generic functions come after one program and before the next.
	progs[0].Fset.AddFile("made", -1, 100)
	if p := load(9); p.Packages[0].SSA.Var("F9") == nil {
		t.Error("the next program has no F9")
	}

	// Another overlay has another library.
	dir := extract(t, "-- main.go --\npackage main\nimport \"sort\"\nfunc main() { _ = sort.Ours }\n")
	mustLoad(t, Config{Dir: dir, Patterns: []string{"main.go"}, Cache: &cache,
		Overlay: overlayOf("-- sort/s.go --\npackage sort\nconst Ours = 1\n")})
}
