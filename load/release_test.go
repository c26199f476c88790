package load

import (
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestCheckVersion(t *testing.T) {
	const (
		fine    = ""
		newer   = "type GOTOOLCHAIN=go1.27.1 go install"
		unknown = "set GOTOOLCHAIN="
	)
	for _, x := range []struct{ ours, theirs, want string }{
		{"go1.26.3", "go1.26.8", fine},
		{"go1.26.3", "go1.26", fine},
		{"go1.26.3", "go1.26rc1", fine},
		{"go1.26.3", "go1.26.8 X:nocoverage", fine},
		{"go1.26.3", "go1.25.1", unknown},
		{"go1.26.3", "go1.27.1", newer},
		{"go1.26.3", "go1.27.1 X:nocoverage", newer},
		{"go1.26.3", "go1.28.0", unknown},
		{"go1.26.3", "devel go1.27-abcdef", fine},
		{"go1.26.3", "", fine},
		{"go1.27.1", "go1.26.8", fine},
		{"go1.27.1", "go1.27.0", fine},
		{"go1.27.1", "go1.25.9", unknown},
		{"go1.27.1", "go1.28.0", unknown},
		{"go1.28.0", "go1.27.1", fine},
		{"go1.28.0", "go1.28.0", unknown},
		{"devel go1.27-abcdef", "go1.26.8", fine},
	} {
		err := checkVersion(x.ours, x.theirs)
		if err == nil != (x.want == fine) || err != nil && (!strings.Contains(err.Error(), x.want) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("built with %s, with %s: %v", x.ours, x.theirs, err)
		}
	}
}

// TestGoMod: the module needs the oldest of the releases, and recommends the newest.
func TestGoMod(t *testing.T) {
	text, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for keyword, want := range map[string]string{"go": Releases[0], "toolchain": Releases[len(Releases)-1]} {
		line := ""
		for l := range strings.Lines(string(text)) {
			if word, v, _ := strings.Cut(strings.TrimSpace(l), " "); word == keyword {
				line = strings.TrimPrefix(v, "go")
			}
		}
		if version.Lang("go"+line) != want {
			t.Errorf("go.mod: %s %s, want %s", keyword, line, want)
		}
	}
}

// older puts a go command of an older release than ours into the path, and returns its version. The
// test is skipped if there is none.
func older(t *testing.T) string {
	t.Setenv("GOTOOLCHAIN", "local")
	t.Setenv("GOROOT", "") // go test sets it to that of our release
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		out, err := exec.Command(filepath.Join(dir, "go"), "env", "GOVERSION").Output()
		v := strings.TrimSpace(string(out))
		if err == nil && slices.Contains(Models(runtime.Version()), version.Lang(v)) && minor(v) < minor(runtime.Version()) {
			t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
			return v
		}
	}
	t.Skip("no go command of an older release is in the path")
	return ""
}

// TestOlderRelease: a program is loaded with the library and in the language of the go command.
func TestOlderRelease(t *testing.T) {
	v := older(t)
	prog := mustLoad(t, Config{Dir: extract(t, `
-- go.mod --
module m
go 1.26
-- main.go --
package main

import (
	_ "encoding/json"
	_ "net/http"
	_ "reflect"
	_ "runtime/pprof"
)

func main() {}
`)})
	if prog.GoVersion != v || prog.Minor != minor(v) {
		t.Errorf("version %s, %d, want %s", prog.GoVersion, prog.Minor, v)
	}
	if minor(v) == 26 && prog.Package("encoding/json/jsontext") != nil {
		t.Error("it has the experiments of our release")
	}
	_, err := Load(Config{Dir: extract(t, "-- main.go --\npackage main\n\ntype T int\n\nfunc (T) F[X any](x X) {}\n\nfunc main() {}\n"), Patterns: []string{"main.go"}})
	if minor(v) == 26 && (err == nil || !strings.Contains(err.Error(), "go1.27")) {
		t.Errorf("a generic method: %v", err)
	}
}
