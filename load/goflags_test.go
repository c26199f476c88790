package load

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestGoFlags: the table has exactly the flags of this version of the go command.
func TestGoFlags(t *testing.T) {
	var known []string
	for _, page := range []struct{ name, flag string }{
		{"build", `(?m)^\t-([a-z]+)\b`}, {"testflag", `(?m)^\t-([a-z]+)\b`}, {"test", `(?m)^\t-([a-z]+)\b`},
	} {
		out, err := exec.Command("go", "help", page.name).Output()
		if err != nil {
			t.Fatal(err)
		}
		flags := regexp.MustCompile(page.flag).FindAllStringSubmatch(string(out), -1)
		if len(flags) < 4 {
			t.Errorf("go help %s has only %d flags", page.name, len(flags))
		}
		for _, f := range flags {
			known = append(known, f[1])
		}
	}
	known = append(known, "C", "o") // go help build mentions them outside of its list, or as a capital
	for _, name := range known {
		if _, ok := GoFlags[name]; !ok {
			t.Errorf("the go command has a flag -%s that is not in GoFlags", name)
		}
	}
	for name, f := range GoFlags {
		if !slices.Contains(known, name) {
			t.Errorf("the go command has no flag -%s", name)
		}
		if f.Why == "" && f.Use != Honoured {
			t.Errorf("-%s: nothing says why", name)
		}
	}
}

// TestRefusedGoFlags: a flag that would change the program is refused by its name, and a flag without an
// effect is not.
func TestRefusedGoFlags(t *testing.T) {
	dir := extract(t, "-- go.mod --\nmodule m\ngo 1.26\n-- main.go --\npackage main\n\nvar n int\nvar s string\nvar f = g()\n\nfunc g() string { return s }\nfunc main() { println(n, s, f) }\n"+
		"-- std.json --\n{\"Replace\":{\""+filepath.Join(goroot(t), "src/fmt/print.go")+"\":\"main.go\"}}\n-- broken.json --\n{")
	for _, x := range []struct{ flags, err string }{
		{"-toolexec=garble", "GOFLAGS: -toolexec: hbcheck does not see the code that the tool produces; unset it for hbcheck"},
		{"-exec=sudo", "GOFLAGS: -exec: hbcheck builds no binary for another program to run; unset it for hbcheck"},
		{"-gcflags=-B", "GOFLAGS: -gcflags=-B: -B may change"},
		{"-gcflags=all=-lang=go1.21", "-lang=go1.21 may change"},
		{"-gcflags=-d=loopvar=2", "-d=loopvar=2 may change"},
		{"'-gcflags=all=-N -l'", ""},
		{"-gcflags=-d=checkptr=0", ""},
		{"-buildmode=pie", ""},
		{"-buildmode=plugin", "GOFLAGS: -buildmode=plugin: only default, exe and pie"},
		{"-overlay=missing.json", "missing.json"},
		{"-overlay=broken.json", "parsing overlay JSON"},
		{"-overlay=std.json", "a file of the standard library, parts of which hbcheck replaces itself"},
		{"'-ldflags=-s -w -extldflags=-static'", ""},
		{"'-ldflags=-X main.s=1 -X m/no.such=2 -X main.no=3'", ""},
		{"-ldflags=-X=fmt.s=1", "fmt is a package of the standard library"},
		{"-ldflags=m=-X=main.s=1", "without the pattern m"},
		{"-ldflags=-X=main.n=1", "main.n: cannot set with -X: not a var of type string (type:int)"},
		{"-ldflags=-X=main.f=1", "main.f: -X works only if the variable has no initial value, or a constant one"},
		{"-count=1 -v -p=3 -trimpath -pgo=off -buildvcs=false -cover -vet=off -failfast", ""},
		{"-nosuch", "unknown flag -nosuch"},
	} {
		_, err := Load(Config{Dir: dir, Env: append(os.Environ(), "GOFLAGS="+x.flags), Overlay: noOverlay, Cache: &realStd})
		switch {
		case err != nil && x.flags == "-overlay=std.json" && strings.Contains(err.Error(), "Files beneath GOMODCACHE"):
			// The go command itself refuses it if it has downloaded the distribution.
		case err == nil && x.err != "":
			t.Errorf("%s: no error", x.flags)
		case err != nil && (x.err == "" || !strings.Contains(err.Error(), x.err)):
			t.Errorf("%s: %v, want %q", x.flags, err, x.err)
		}
	}
}

// TestWrittenExperiment: an experiment that only the go command knows is refused.
func TestWrittenExperiment(t *testing.T) {
	env := filepath.Join(t.TempDir(), "env")
	if err := os.WriteFile(env, []byte("GOEXPERIMENT=jsonv2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	dir := extract(t, "-- go.mod --\nmodule m\ngo 1.26\n-- m.go --\npackage m\n")
	_, err := List(Config{Dir: dir, Env: append(os.Environ(), "GOENV="+env)})
	if err == nil || !strings.Contains(err.Error(), "GOEXPERIMENT=jsonv2 was set by go env -w") {
		t.Error(err)
	}
}

func goroot(t *testing.T) string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
