package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
)

// TestWithGoFlags: flags for tests in GOFLAGS apply to exploring, with the lowest precedence.
func TestWithGoFlags(t *testing.T) {
	for _, x := range []struct{ args, value, want string }{
		{"explore .", "", "explore ."},
		{"explore --short=false .", "-short -v -mod=mod -run=TestA -test.count=1 '-bench=A B'", "explore --short --run=TestA --count=1 --bench=A B --short=false ."},
		{"run .", "-short", "run ."},
		{"", "-short", ""},
	} {
		if got := withGoFlags(strings.Fields(x.args), x.value); strings.Join(got, " ") != x.want {
			t.Errorf("%s with %s: %q", x.args, x.value, got)
		}
	}
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOENV", filepath.Join(t.TempDir(), "env"))
	if err := os.WriteFile(os.Getenv("GOENV"), []byte("GOPROXY=off\nGOFLAGS=-short\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := goEnvironment("GOFLAGS"); got != "-short" {
		t.Errorf("what go env -w has written: %q", got)
	}
}

// goFlagsModule prints values that flags of the go command change.
var goFlagsModule = map[string]string{
	"go.mod": "module example.com/m\n\ngo 1.26\n",
	"main.go": `package main

import (
	_ "embed"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"example.com/m/sub"
)

//go:embed e.txt
var embedded string

var version = "dev"

func main() {
	_, file, _, _ := runtime.Caller(0)
	fmt.Println(version, embedded, sub.A, sub.B, sub.C, sub.D, file)
	s := string(debug.Stack())
	fmt.Println(strings.Contains(s, "\texample.com/m/main.go"), strings.Contains(s, "\truntime/debug/stack.go"))
}
`,
	"e.txt":     "e",
	"sub/a.go":  "package sub\n\nvar A string\nvar B = \"b\" + \"b\"\nvar C = len(A)\nvar D, E = \"d\", \"e\"\n",
	"by/a.txt":  "package sub\n\nvar A = \"by\"\nvar B, C = \"bb\", 3\n",
	"by/e.txt":  "by",
	"by/n.txt":  "package sub\n\nconst D = \"new\"\n",
	"over.json": `{"Replace":{"sub/a.go":"by/a.txt","e.txt":"by/e.txt","sub/new.go":"by/n.txt","gone.go":""}}`,
	"gone.go":   "package main\n\nfunc init() { version += \" with gone.go\" }\n",
}

// TestHonouredGoFlags: a program equals the one that the go command would build with the same flags.
func TestHonouredGoFlags(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range goFlagsModule {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var all []string
	trimpath := deep.Pick("", " -trimpath") // go compiles the library again for it
	for _, flags := range []string{
		"",
		"'-ldflags=-s -X main.version=1.0 -X=example.com/m/sub.A=aa -X example.com/m/sub.B=bb -X example.com/m/sub.E=ee'" + trimpath,
		"-overlay=over.json",
	} {
		t.Setenv("GOFLAGS", flags)
		want, err := exec.Command("go", "run", ".").Output()
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if code := run([]string{"run", "."}, strings.NewReader(""), &out, &out); code != 0 || out.String() != string(want) {
			t.Errorf("%q: exit %d\n%swant\n%s", flags, code, out.String(), want)
		}
		if slices.Contains(all, out.String()) {
			t.Errorf("%q makes no difference", flags)
		}
		all = append(all, out.String())
	}
}
