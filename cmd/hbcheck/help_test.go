package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// command runs a command line that has to succeed, and returns its output.
func command(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs strings.Builder
	if code := run(args, strings.NewReader(""), &out, &errs); code != exitOK {
		t.Fatalf("%q: exit %d: %s", args, code, &errs)
	}
	return out.String()
}

// TestHelpGroups: every flag of the explore command except those of explorers is in one group, and groups
// have no other flags; the help and the manual page name each of them once.
func TestHelpGroups(t *testing.T) {
	var f exploreFlags
	fs := pflag.NewFlagSet("explore", pflag.ContinueOnError)
	f.register(fs)
	var grouped []string
	for _, g := range exploreGroups {
		grouped = append(grouped, strings.Fields(g.names)...)
	}
	for _, x := range f.own {
		grouped = append(grouped, x.Name)
	}
	var names []string
	fs.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	slices.Sort(names)
	slices.Sort(grouped)
	if !slices.Equal(names, grouped) {
		t.Errorf("flags are\n%q\nand those of groups\n%q", names, grouped)
	}
	help, man := command(t, "explore", "-h"), command(t, "man", "explore")
	for _, name := range names {
		if n := strings.Count(help, "--"+name+" ") + strings.Count(help, "--"+name+"\n"); n < 1 {
			t.Errorf("the help does not have --%s", name)
		}
		if !strings.Contains(man, "--"+name+"\\fP") {
			t.Errorf("the manual page does not have --%s", name)
		}
	}
}

// TestManPage: man has no warnings about the page.
func TestManPage(t *testing.T) {
	if _, err := exec.LookPath("groff"); err != nil {
		t.Skip("there is no groff")
	}
	cmd := exec.Command("groff", "-man", "-Tutf8", "-ww", "-z")
	cmd.Stdin = strings.NewReader(command(t, "man", "explore"))
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestCompletion: completion has commands, flags, values of flags and names of tests, also where the
// explore command is implied.
func TestCompletion(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n",
		"a_test.go": "package m\n\nimport \"testing\"\n\nfunc TestAlpha(t *testing.T) {}\n\nfunc TestBeta(t *testing.T) {}\n\nfunc BenchmarkB(b *testing.B) {}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	for _, x := range []struct{ line, want string }{
		{"exp", "explore"},
		{"explore --por=op", "optimal\t"},
		{"--por op", "optimal\t"},
		{"--time ", "bounded"},
		{"-run Test", "TestBeta"},
		{"explore --bench=", "BenchmarkB"},
		{"--cov", "--coverprofile\t"},
		{"report --hy", "--hybrid\t"},
		{"explain ", "HB003\t"},
	} {
		words := strings.Split(x.line, " ")
		if got := command(t, append([]string{"__complete"}, words...)...); !strings.Contains(got, x.want) {
			t.Errorf("%q: no %q:\n%s", x.line, x.want, got)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		script := command(t, "completion", shell)
		if _, err := exec.LookPath(shell); err != nil {
			continue
		}
		check := exec.Command(shell, "-n")
		check.Stdin = strings.NewReader(script)
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", shell, err, out)
		}
	}
}

// TestColor: there are colours on request, and none if the output is not a terminal.
func TestColor(t *testing.T) {
	t.Chdir(filepath.Join(start, "..", ".."))
	for flag, want := range map[string]bool{"auto": false, "always": true, "never": false} {
		out := command(t, "--color="+flag, "-o", t.TempDir(), "./testdata/examples/bankfixed")
		if got := strings.Contains(out, "\x1b[32mok"); got != want {
			t.Errorf("--color=%s: %q", flag, out)
		}
	}
}
