package load

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
)

// fingerprinted is a program with an example of everything that a fingerprint depends on.
const fingerprinted = `
-- go.work --
go 1.26

use ./m
-- m/go.mod --
module example.com/m

go 1.26

require example.com/dep v1.0.0

replace example.com/dep => ../dep
-- m/a.go --
package m

import _ "embed"
import "example.com/dep"

//go:embed data/*
var data string

var version = "dev"

func A() int { return dep.D }
-- m/tagged.go --
//go:build x

package m
-- m/race.go --
//go:build race

package m
-- m/experiment.go --
//go:build goexperiment.jsonv2

package m
-- m/level.go --
//go:build amd64.v3

package m
-- m/cgo.go --
package m

import "C"
-- m/asm_arm64.s --
// nothing
-- m/a_test.go --
package m

import "testing"

func TestA(t *testing.T) { A() }

func FuzzA(f *testing.F) { f.Fuzz(func(t *testing.T, n int) {}) }
-- m/x_test.go --
package m_test
-- m/data/1 --
1
-- m/testdata/fuzz/FuzzA/1 --
go test fuzz v1
int(1)
-- dep/go.mod --
module example.com/dep

go 1.26
-- dep/dep.go --
package dep

const D = 1
-- dep2/go.mod --
module example.com/dep

go 1.26
-- dep2/dep.go --
package dep

const D = 1
-- by/a.txt --
package m

func A() int { return 2 }
-- o.json --
{"Replace":{"a.go":"../by/a.txt"}}
-- mod2.mod --
module example.com/m

go 1.26

godebug panicnil=1

require example.com/dep v1.0.0

replace example.com/dep => ../dep
`

// TestFingerprint: the fingerprint changes with everything that a verdict depends on before the program
// runs. Each row changes one item of the list in docs/explorers.md (Results of earlier runs); same marks a
// change that makes no difference. The other items are tested in cmd/hbcheck (TestCached, and flags) and in
// vm (TestHostLog).
func TestFingerprint(t *testing.T) {
	const newer = "module example.com/m\n\ngo 1.26\n\nrequire example.com/dep v1.0.0\n\nreplace example.com/dep => "
	dir := extract(t, fingerprinted)
	before := fingerprintOf(t, Config{Dir: filepath.Join(dir, "m"), Tests: true})
	for _, x := range []struct {
		what       string
		file, text string   // a file that is written
		env        []string // variables of the go command
		tags       []string
		same       bool
	}{
		// What a running program reads from the host is not part of the fingerprint: other test data,
		// GODEBUG.
		{what: "nothing that counts", file: "m/testdata/x", text: "", same: true,
			env: []string{"GOFLAGS=-race -v -p=2 -count=1 -gcflags=-N", "CGO_ENABLED=1", "GOOS=windows", "GOARCH=arm64", "GODEBUG=panicnil=1"}},
		{what: "a file of the package", file: "m/a_test.go", text: "package m\n"},
		{what: "a file of the external test", file: "m/x_test.go", text: "package m_test\n\nvar X int\n"},
		{what: "a new file", file: "m/b.go", text: "package m\n"},
		{what: "a file that constraints exclude", file: "m/tagged.go", text: "//go:build x\n\npackage m\n\nvar X int\n"},
		{what: "a file with C", file: "m/cgo.go", text: "package m\n\nimport \"C\"\n\nvar X int\n"},
		{what: "an embedded file", file: "m/data/1", text: "2"},
		{what: "the seed corpus", file: "m/testdata/fuzz/FuzzA/1", text: "go test fuzz v1\nint(2)\n"},
		{what: "a new seed", file: "m/testdata/fuzz/FuzzA/2", text: "go test fuzz v1\nint(2)\n"},
		{what: "a replaced module", file: "dep/dep.go", text: "package dep\n\nconst D = 2\n"},
		{what: "the directory of one", file: "m/go.mod", text: newer + "../dep2\n"},
		{what: "godebug of go.work", file: "go.work", text: "go 1.26\n\nuse ./m\n\ngodebug panicnil=1\n"},
		{what: "modules of the workspace", file: "go.work", text: "go 1.26\n\nuse (\n\t./m\n\t./dep\n)\n"},
		{what: "without workspace", env: []string{"GOWORK=off"}, same: true},
		{what: "godebug of go.mod", file: "m/go.mod", text: newer + "../dep\n\ngodebug panicnil=1\n", env: []string{"GOWORK=off"}},
		{what: "version of go.mod", file: "m/go.mod", text: "module example.com/m\n\ngo 1.25\n\nrequire example.com/dep v1.0.0\n\nreplace example.com/dep => ../dep\n"},
		{what: "-modfile", env: []string{"GOWORK=off", "GOFLAGS=-modfile=../mod2.mod"}},
		{what: "//go:debug", file: "m/x_test.go", text: "//go:debug panicnil=1\n\npackage m_test\n"},
		{what: "tags", tags: []string{"x"}},
		{what: "tags of GOFLAGS", env: []string{"GOFLAGS=-tags=x"}},
		{what: "-overlay", env: []string{"GOFLAGS=-overlay=../o.json"}},
		{what: "-ldflags", env: []string{"GOFLAGS=-ldflags=-X=example.com/m.version=1"}},
		{what: "-trimpath", env: []string{"GOFLAGS=-trimpath"}},
		{what: "experiments", env: []string{"GOEXPERIMENT=jsonv2"}},
		{what: "the level of the processor", env: []string{"GOAMD64=v3"}},
		{what: "GOFIPS140", env: []string{"GOFIPS140=latest"}},
	} {
		if x.same && deep.Quick() {
			continue
		}
		name, restore := filepath.Join(dir, x.file), func() {}
		if x.file != "" {
			restore = func() { os.Remove(name) }
			if old, err := os.ReadFile(name); err == nil {
				restore = func() { writeFile(t, name, old) }
			}
			writeFile(t, name, []byte(x.text))
		}
		after := fingerprintOf(t, Config{Dir: filepath.Join(dir, "m"), Tests: true, Tags: x.tags, Env: append(os.Environ(), x.env...)})
		if (before == after) != x.same {
			t.Errorf("%s: the same: %t", x.what, before == after)
		}
		restore()
	}
}

// TestFingerprintOfToolchain: the fingerprint also depends on the toolchain.
func TestFingerprintOfToolchain(t *testing.T) {
	x, err := List(Config{Dir: extract(t, "-- go.mod --\nmodule m\ngo 1.26\n-- m.go --\npackage m\n\nimport _ \"errors\"\n")})
	if err != nil {
		t.Fatal(err)
	}
	sum := func() string {
		s, err := x.Fingerprint("m")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	seen := map[string]bool{sum(): true}
	library := filepath.Join(x.l.goEnv.GOROOT, "src", "errors", "errors.go")
	edited, err := os.Stat(filepath.Join(x.l.goEnv.GOROOT, "src", "errors", "join.go"))
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(){
		"version":     func() { x.l.goEnv.GOVERSION += ".1" },
		"directory":   func() { x.l.goEnv.GOROOT += "x" },
		"experiments": func() { x.l.goEnv.GOEXPERIMENT += "x" },
		"the library": func() {
			x.stat = func(name string) (fs.FileInfo, error) {
				if name == library {
					return edited, nil
				}
				return os.Stat(name)
			}
		},
		"where it ran": func() { x.l.dir += "x" },
	} {
		change()
		if s := sum(); seen[s] {
			t.Errorf("%s makes no difference", what)
		} else {
			seen[s] = true
		}
	}
}

func fingerprintOf(t *testing.T, cfg Config) string {
	t.Helper()
	x, err := List(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if len(x.Packages()) != 1 {
		t.Fatal(x.Packages())
	}
	sum, err := x.Fingerprint(x.Packages()[0])
	if err != nil {
		t.Fatal(err)
	}
	return sum
}
