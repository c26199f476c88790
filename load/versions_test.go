package load

import (
	"go/version"
	"runtime"
	"testing"

	"golang.org/x/tools/go/ssa"
)

// TestFileVersions checks that each file's language version reaches SSA: since
// Go 1.22 every iteration of a loop has a variable of its own.
func TestFileVersions(t *testing.T) {
	const loop = `
package main
func F() (fs []func() int) {
	for i := 0; i < 3; i++ {
		fs = append(fs, func() int { return i })
	}
	return fs
}
func main() {}
`
	for _, test := range []struct {
		name, archive string
		version       string // of main.go; without one the newest, and main.go is loaded as a file
		perIteration  bool
	}{
		{"module 1.21", "-- go.mod --\nmodule m\ngo 1.21\n-- main.go --" + loop, "go1.21", false},
		{"module 1.22", "-- go.mod --\nmodule m\ngo 1.22\n-- main.go --" + loop, "go1.22", true},
		{"module without version", "-- go.mod --\nmodule m\n-- main.go --" + loop, "go1.16", false},
		{"file newer", "-- go.mod --\nmodule m\ngo 1.21\n-- main.go --\n//go:build go1.22\n" + loop, "go1.22", true},
		{"file older", "-- go.mod --\nmodule m\ngo 1.24\n-- main.go --\n//go:build go1.21\n" + loop, "go1.21", false},
		{"file of ancient module", "-- go.mod --\nmodule m\ngo 1.20\n-- main.go --\n//go:build go1.18\n" + loop, "go1.21", false},
		{"no module", "-- main.go --" + loop, "", true},
		// The go command gives no -lang to packages of files.
		{"file of a module", "-- go.mod --\nmodule m\ngo 1.21\n-- main.go --" + loop, "", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			cfg := Config{Dir: extract(t, test.archive)}
			if test.version == "" {
				cfg.Patterns = []string{"main.go"}
			}
			prog := mustLoad(t, cfg)
			p := prog.Packages[0]
			want := test.version
			if want == "" && prog.Minor < minor(runtime.Version()) {
				want = version.Lang(prog.GoVersion) // and not that of go/types
			}
			if got := version.Lang(p.Info.FileVersions[p.Files[0]]); got != want {
				t.Errorf("file version %q, want %q", got, want)
			}
			f := p.SSA.Func("F")
			prog.EnsureBuilt(f)
			// The variable is allocated once, in the entry block, or again in
			// the loop.
			perIteration := false
			for _, b := range f.Blocks[1:] {
				for _, in := range b.Instrs {
					if a, ok := in.(*ssa.Alloc); ok && a.Comment == "i" {
						perIteration = true
					}
				}
			}
			if perIteration != test.perIteration {
				t.Errorf("variable per iteration: %t, want %t", perIteration, test.perIteration)
			}
		})
	}
}
