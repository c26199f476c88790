package native

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/yielding"
)

// The variants in which the programs are compiled.
const (
	plain  = "plain"  // as they are
	yields = "yields" // with calls of yield.Now before statements
	raced  = "raced"  // the same, under the race detector
)

// binaries compiles programs and keeps the results: one command for all programs that are functions, and
// one for the tests of each area.
type binaries struct {
	dir   string
	areas []string
}

// build compiles the programs of the given areas in the given variants.
func build(t testing.TB, areas []string, variants ...string) *binaries {
	b := &binaries{dir: t.TempDir(), areas: areas}
	for _, v := range variants {
		b.variant(t, v)
	}
	return b
}

// command returns the command that runs p once.
func (b *binaries) command(p *program, variant string) (name string, args []string) {
	if p.test {
		return filepath.Join(b.dir, variant, p.area+".test"), []string{"-test.run=^" + p.name + "$", "-test.timeout=0", "-test.paniconexit0"}
	}
	return filepath.Join(b.dir, variant, "run"), []string{p.area + "." + p.name}
}

// variant writes a module with the programs, a main function that calls the function named by its argument,
// and package yield, and compiles it.
func (b *binaries) variant(t testing.TB, variant string) {
	src := filepath.Join(b.dir, variant)
	var imports, table strings.Builder
	var tests []string
	for _, area := range b.areas {
		files, err := filepath.Glob(filepath.Join("testdata/programs", area, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if variant != plain && strings.HasSuffix(file, ".go") {
				if text, err = yielding.Instrument(file, text, "native/yield"); err != nil {
					t.Fatal(err)
				}
			}
			write(t, filepath.Join(src, area, filepath.Base(file)), text)
		}
		functions := false
		for _, p := range parse(t, area) {
			if p.test {
				if !slices.Contains(tests, area) {
					tests = append(tests, area)
				}
				continue
			}
			functions = true
			fmt.Fprintf(&table, "\t%q: %s.%s,\n", p.String(), area, p.name)
		}
		if functions {
			fmt.Fprintf(&imports, "\t%q\n", "native/"+area)
		}
	}
	write(t, filepath.Join(src, "go.mod"), []byte("module native\n\ngo 1.26\n"))
	write(t, filepath.Join(src, "yield/yield.go"), []byte(yielding.Source))
	write(t, filepath.Join(src, "main.go"), fmt.Appendf(nil, mainSource, &imports, &table))
	flags := []string{"-gcflags=native/...=-l"} // an inlined call would have another position
	if variant == raced {
		flags = append(flags, "-race")
	}
	goCommand(t, src, slices.Concat([]string{"build"}, flags, []string{"-o", "run", "."}))
	for _, area := range tests {
		goCommand(t, src, slices.Concat([]string{"test"}, flags, []string{"-c", "-vet=off", "-o", area + ".test", "./" + area}))
	}
}

func goCommand(t testing.TB, dir string, args []string) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %v: %v\n%s", args, err, out)
	}
}

func write(t testing.TB, name string, text []byte) {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

const mainSource = `package main

import (
	"os"

%s)

var programs = map[string]func(){
%s}

func main() { programs[os.Args[1]]() }
`
