package arch

import (
	"cmp"
	"go/ast"
	"go/types"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/go/packages"
)

// upward has, for large packages, the number of arrows that may run upwards. The graph has an arrow
// from a file to each other one whose names it uses. A package without cycles among its files has
// no upward arrows.
var upward = map[string]int{
	"explore": 19,
	"vm":      100,
}

// TestUpward: files of a package use names of files below them, nearly always. The order of the files is
// the one that layers finds.
//
// Run with -v, it lists the arrows that run upwards, those with the fewest names first.
func TestUpward(t *testing.T) {
	var paths []string
	for p := range upward {
		paths = append(paths, "./"+p)
	}
	list, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, Dir: "../.."}, paths...)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		name := p.PkgPath[len(module):]
		names := namesUsed(p)
		if len(p.Errors) > 0 || len(names) == 0 {
			t.Fatal(p.PkgPath, p.Errors)
		}
		at := map[string]int{}
		for i, f := range layers(names) {
			at[f] = i
		}
		var up []arrow
		for a := range names {
			if at[a.from] > at[a.to] {
				up = append(up, a)
			}
		}
		slices.SortFunc(up, func(a, b arrow) int {
			return cmp.Or(cmp.Compare(len(names[a]), len(names[b])), cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
		})
		for _, a := range up {
			t.Logf("%s → %s: %v", a.from, a.to, slices.Sorted(maps.Keys(names[a])))
		}
		t.Logf("%s: %d files, %d arrows, %d run upwards (%.0f %%)", name, len(at), len(names), len(up), 100*float64(len(up))/float64(len(names)))
		if len(up) > upward[name] {
			t.Errorf("%s: %d arrows run upwards, at most %d may; -v lists them", name, len(up), upward[name])
		}
	}
}

// TestLayers: in a graph without cycles all arrows run downwards, and in a cycle all but one.
func TestLayers(t *testing.T) {
	for _, x := range []struct {
		arrows []arrow
		up     int
	}{
		{[]arrow{{"c", "a"}, {"a", "b"}, {"c", "b"}, {"d", "c"}}, 0},
		{[]arrow{{"a", "b"}, {"b", "c"}, {"c", "a"}, {"a", "d"}}, 1},
	} {
		names := map[arrow]map[string]bool{}
		for _, a := range x.arrows {
			names[a] = map[string]bool{"x": true}
		}
		order, up := layers(names), 0
		for _, a := range x.arrows {
			if slices.Index(order, a.from) > slices.Index(order, a.to) {
				up++
			}
		}
		if len(order) != 4 || up != x.up {
			t.Errorf("%v: %v, %d run upwards", x.arrows, order, up)
		}
	}
}

// An arrow leads from a file to another one of its package whose names it uses.
type arrow struct{ from, to string }

// namesUsed returns the names that each file of p uses of each other: functions, types, variables, constants,
// methods and fields.
func namesUsed(p *packages.Package) map[arrow]map[string]bool {
	names := map[arrow]map[string]bool{}
	for _, f := range p.Syntax {
		from := filepath.Base(p.Fset.Position(f.FileStart).Filename)
		ast.Inspect(f, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			o := p.TypesInfo.Uses[id]
			if o == nil || o.Pkg() != p.Types {
				return true
			}
			_, method := o.(*types.Func)
			v, _ := o.(*types.Var)
			if field := v != nil && v.IsField(); !method && !field && o.Parent() != p.Types.Scope() {
				return true // local
			}
			a := arrow{from, filepath.Base(p.Fset.Position(o.Pos()).Filename)}
			if a.from == a.to {
				return true
			}
			if names[a] == nil {
				names[a] = map[string]bool{}
			}
			names[a][o.Name()] = true
			return true
		})
	}
	return names
}

// layers returns the files in an order in which few arrows run upwards (Eades, Lin and Smyth, A
// fast and effective heuristic for the feedback arc set problem, 1993). It takes one file after the
// other. A file that uses no name of the remaining ones goes to the end, a file whose names no
// remaining one uses goes to the beginning. If there are no such files, the file with the greatest
// difference of outgoing and incoming arrows goes to the beginning.
func layers(names map[arrow]map[string]bool) []string {
	left := map[string]bool{}
	for a := range names {
		left[a.from], left[a.to] = true, true
	}
	var first, last []string
	for len(left) > 0 {
		in, out := map[string]int{}, map[string]int{}
		for a := range names {
			if left[a.from] && left[a.to] {
				out[a.from]++
				in[a.to]++
			}
		}
		files := slices.Sorted(maps.Keys(left))
		if i := slices.IndexFunc(files, func(f string) bool { return out[f] == 0 }); i >= 0 {
			last = append(last, files[i])
			delete(left, files[i])
			continue
		}
		score := func(f string) int {
			if in[f] == 0 {
				return math.MaxInt
			}
			return out[f] - in[f]
		}
		best := slices.MaxFunc(files, func(a, b string) int {
			return cmp.Or(cmp.Compare(score(a), score(b)), cmp.Compare(b, a))
		})
		first = append(first, best)
		delete(left, best)
	}
	slices.Reverse(last)
	return append(first, last...)
}
