package load

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the want sections of testdata/*.txtar")

// TestScripts runs the archives in testdata. The comment of each is a script of
// lines
//
//	env NAME=VALUE...      the environment of the loads that follow
//	load [-C dir] [-test] [-tags list] [-mod mode] [-lookup name] [-- buildflags --] pattern...
//	# comment
//
// that runs among the archive's files; "want" is what the loads print. Files
// below overlay/ are the overlay of the standard library. Unless they say
// otherwise, package testing is a stub, which makes loading fast.
func TestScripts(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			overlay := fstest.MapFS{"testing/testing.go": {Data: []byte("package testing\ntype (T struct{}; M struct{}; B struct{}; F struct{})\n")}}
			dir := t.TempDir()
			var want *txtar.File
			for i, f := range archive.Files {
				if f.Name == "want" {
					want = &archive.Files[i]
				} else if path, ok := strings.CutPrefix(f.Name, "overlay/"); ok {
					overlay[path] = &fstest.MapFile{Data: f.Data}
				} else {
					writeFile(t, filepath.Join(dir, f.Name), f.Data)
				}
			}
			if want == nil {
				t.Fatal("no want section")
			}
			got := runScript(t, string(archive.Comment), dir, overlay)
			if got == string(want.Data) {
				return
			}
			if *update {
				want.Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			t.Errorf("got\n%s\nwant\n%s", got, want.Data)
		})
	}
}

// runScript returns the output of the loads of a script.
func runScript(t *testing.T, script, dir string, overlay fstest.MapFS) string {
	env := append(os.Environ(), "GOFLAGS=", "GOPROXY=off", "GOWORK=")
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, line := range strings.Split(script, "\n") {
		args := strings.Fields(line)
		switch {
		case len(args) == 0 || strings.HasPrefix(line, "#"):
		case args[0] == "env":
			env = append(env, strings.TrimPrefix(line, "env "))
		case args[0] == "load":
			fmt.Fprintln(&out, "$", line)
			cfg := Config{Env: env, Overlay: overlay}
			flags := flag.NewFlagSet("load", flag.PanicOnError)
			sub := flags.String("C", "", "")
			flags.BoolVar(&cfg.Tests, "test", false, "")
			flags.StringVar(&cfg.Mod, "mod", "", "")
			tags := flags.String("tags", "", "")
			flags.Func("flag", "", func(s string) error { cfg.BuildFlags = append(cfg.BuildFlags, s); return nil })
			lookup := flags.String("lookup", "", "")
			flags.Parse(args[1:])
			cfg.Dir = filepath.Join(dir, *sub)
			cfg.Patterns = flags.Args()
			if *tags != "" {
				cfg.Tags = strings.Split(*tags, ",")
			}
			prog, err := Load(cfg)
			text := "error: "
			if err == nil {
				text, err = describe(prog, *lookup)
			}
			if err != nil {
				text += err.Error() + "\n"
			}
			text = strings.ReplaceAll(text, dir, "$WORK")
			out.WriteString(strings.ReplaceAll(text, strings.TrimSpace(string(goroot)), "$GOROOT"))
		default:
			t.Fatalf("unknown command %s", line)
		}
	}
	return out.String()
}

// describe lists the packages and entries of a program.
func describe(prog *Program, lookup string) (string, error) {
	var b strings.Builder
	for _, p := range prog.Packages {
		fmt.Fprintf(&b, "package %s", p.ID)
		if p.GoVersion != "" {
			fmt.Fprintf(&b, " %s", p.GoVersion)
		}
		for i := range p.Files {
			fmt.Fprintf(&b, " %s", p.files[i].base())
		}
		fmt.Fprintln(&b)
	}
	entries := prog.Entries
	if lookup != "" {
		e, err := prog.Lookup(lookup)
		if err != nil {
			return b.String(), err
		}
		entries = []*Entry{e}
	}
	for _, e := range entries {
		fmt.Fprintf(&b, "%s %s %s", e.Kind, e, prog.position(e.Pos))
		if e.TestMain != nil {
			fmt.Fprintf(&b, " by %s", prog.position(e.TestMain.Pos()))
		}
		fmt.Fprintln(&b)
	}
	if lookup == "" {
		return b.String(), prog.HasEntries()
	}
	return b.String(), nil
}

func writeFile(t testing.TB, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
}
