package findings_test

import (
	"go/ast"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestKernels analyses pairs of small programs, one of them with a bug, and counts the wrong programs with
// a finding and the right ones without.
func TestKernels(t *testing.T) {
	prog, list := find(t, "testdata/kernels", true, "./...")
	// The functions that only a wrong, or only a right, kernel has are named after it.
	of := func(file string, line int) (name string) {
		for _, p := range prog.Packages {
			for _, f := range p.Files {
				if prog.Fset.Position(f.Pos()).Filename != file {
					continue
				}
				for _, d := range f.Decls {
					fn, ok := d.(*ast.FuncDecl)
					if ok && prog.Fset.Position(fn.Pos()).Line <= line && line <= prog.Fset.Position(fn.End()).Line {
						return fn.Name.Name
					}
				}
			}
		}
		return ""
	}
	tells := func(n string) bool { return strings.Contains(n, "Wrong") || strings.Contains(n, "Right") }
	found := map[string]bool{}
	for _, f := range list {
		names := []string{}
		for _, pl := range append(f.Related, f.Place) {
			pos := prog.Fset.Position(pl.Pos)
			names = append(names, of(pos.Filename, pos.Line))
		}
		if f.Entry != nil {
			names = []string{f.Entry.Name()}
		} else if i := slices.IndexFunc(names, tells); i >= 0 {
			names = slices.DeleteFunc(names, func(n string) bool { return !tells(n) })
		}
		for _, n := range names {
			found[n] = true
		}
		pos := prog.Fset.Position(f.Pos)
		t.Logf("%s:%d: %s (%s) %s %v", filepath.Base(pos.Filename), pos.Line, f.Code, f.Confidence, f.Text, names)
	}
	wrong, right, missed, alarms := 0, 0, []string{}, []string{}
	for _, e := range prog.Entries {
		name := e.Func.Name()
		base := strings.TrimPrefix(strings.TrimPrefix(name, "TestWrong"), "TestRight")
		hit := found[name]
		// The functions that the test calls, by the words Wrong and Right at the end of their names.
		for n := range found {
			if strings.HasSuffix(n, "Wrong") && strings.HasPrefix(name, "TestWrong") || strings.HasSuffix(n, "Right") && strings.HasPrefix(name, "TestRight") {
				hit = hit || calls(e.Func, n)
			}
		}
		switch {
		case strings.HasPrefix(name, "TestWrong"):
			if wrong++; !hit {
				missed = append(missed, base)
			}
		case strings.HasPrefix(name, "TestRight"):
			if right++; hit {
				alarms = append(alarms, base)
			}
		default:
			t.Errorf("%s is neither wrong nor right", name)
		}
	}
	if wrong != 49 || right != 51 {
		t.Errorf("%d kernels are wrong and %d right, want 49 and 51", wrong, right)
	}
	if len(missed) > 0 || len(alarms) > 0 {
		t.Errorf("missed %v, false alarms %v", missed, alarms)
	}
}
