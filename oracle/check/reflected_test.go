package check

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/mutation"
)

var mutantsFlag = flag.String("mutants", "", "build the mutants whose name contains this (all: every one) and see whether a program of testdata fails")

// mutants are conditions of what is said of reflection (static/reflected.go, static/pointer/held.go) and of
// natives that are given slices. The test is the program that has to notice. Two have no row, as no program
// has been found that shows them: that who writes a lock as a whole may unlock it, and that calls of which
// the place is not known may do anything.
var mutants = []struct{ name, file, old, new, test string }{
	{"reflection reads nothing", "static/reflected.go", "if len(read) > 0 {", "if false {", "Hidden"},
	{"reflection writes nothing", "static/reflected.go", "if len(written) > 0 {", "if false {", "Set"},
	{"reflection reads no hidden fields", "static/pointer/held.go", "\t\taddresses(o.base, n)\n", "\t\t_ = n\n", "Hidden"},
	{"what is held is what is made", "static/pointer/held.go", "addresses(p.reg, len(p.lay.ptrs))", "addresses(p.reg, 0)", "Set"},
	{"natives know their first slice", "static/natives.go", "for _, v := range site.Common().Args {", "for _, v := range site.Common().Args[:1] {", "BytesCompared"},
	{"iterators are not written", "static/reflected.go", "case r == reflectsIterates && o.Type != nil && !has(o.Type, isMapIter):", "case r == reflectsIterates:", "Iterated"},
}

// TestMutants: each mutant is one of the present code and, with -mutants, is noticed.
func TestMutants(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range mutants {
		t.Run(x.name, func(t *testing.T) {
			mutant := mutation.Mutant{Name: x.name, File: x.file, Old: x.old, New: x.new}
			file, text, ok := mutant.Source(t, root)
			if !ok || *mutantsFlag == "" || *mutantsFlag != "all" && !strings.Contains(x.name, *mutantsFlag) {
				return
			}
			why := mutation.Kills(t, root, file, text, "./oracle/check", "-run", "TestStaticPrograms/"+x.test+"$")
			if why == "" {
				t.Error("survives")
			}
			t.Log(why)
		})
	}
}
