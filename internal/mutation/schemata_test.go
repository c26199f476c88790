package mutation

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// mutated is a program with a mutant of each kind: it prints its results, which must not change with all
// mutants in one build and none switched on.
const mutated = `package main

import "reflect"

//mutant: value [symbolic Terms]: "1" -> "2"
var n = 1

//mutant: table [symbolic Terms]: "\"a\": true, " -> ""
var set = map[string]bool{"a": true, "b": true}

var table = []func(int) int{
	func(x int) int {
		//mutant: literal [symbolic Terms]: "x" -> "-x"
		return x
	},
}

type kept struct {
	//mutant: tag [symbolic Terms]: "x int" -> "x int ` + "`saved:\\\"-\\\"`" + `"
	x int
}

func f(list []int) (sum int) {
loop:
	for _, x := range list {
		switch {
		//mutant: case [symbolic Terms]: false
		case x == 3:
			continue loop
		//mutant: break [symbolic Terms]: "x > 5" -> "x > 4"
		case x > 5:
			break loop
		}
		//mutant: sum [symbolic Terms]
		sum += x
	}
	//mutant: condition [symbolic Terms]: drop 1
	if sum > 100 && len(list) > 0 {
		return 0
	}
	return sum
}

func main() {
	println(n, len(set), table[0](7), f([]int{1, 3, 5, 7, 9}), reflect.TypeOf(kept{}).Field(0).Tag.Get("saved"))
}
`

// TestSchemata: one build has all mutants; each one, switched on, has its effect, and without any the
// program is unchanged.
func TestSchemata(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                  "module hbcheck.dev/hbcheck\n\ngo 1.26\n",
		"main.go":                 strings.Replace(mutated, `reflect.TypeOf(kept{}).Field(0).Tag.Get("saved")`, "saved.Tag(reflect.TypeOf(kept{}).Field(0))", 1),
		"internal/saved/saved.go": "package saved\n\nimport \"reflect\"\n\nconst tag = \"saved\"\n\nfunc Tag(f reflect.StructField) string { return f.Tag.Get(tag) }\n",
		"load/overlay/overlay.go": "package overlay\n\nimport \"io/fs\"\n\nfunc FS(sub fs.FS) fs.FS {\n\treturn sub\n}\n",
	} {
		if name == "main.go" {
			text = strings.Replace(text, "import \"reflect\"", "import (\n\t\"reflect\"\n\n\t\"hbcheck.dev/hbcheck/internal/saved\"\n)", 1)
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	list, err := Find(root)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSchemata(root, t.TempDir(), list)
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(t.TempDir(), "mutated")
	c := exec.Command("go", "build", "-overlay="+s.File, "-o", bin, ".")
	c.Dir = root
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := map[string]string{
		"": "1 2 7 6", "value": "2 2 7 6", "table": "1 1 7 6", "literal": "1 2 -7 6", "tag": "1 2 7 6 -",
		"case": "1 2 7 9", "break": "1 2 7 1", "sum": "1 2 7 0", "condition": "1 2 7 0",
	}
	if len(list) != len(want)-1 {
		t.Fatalf("%d mutants, want %d", len(list), len(want)-1)
	}
	for name, want := range want {
		number := 0
		for i := range list {
			if list[i].Name == name {
				number = s.Number(&list[i])
			}
		}
		c := exec.Command(bin)
		c.Env = append(os.Environ(), "HBCHECK_MUTANT="+strconv.Itoa(number))
		out, err := c.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%q prints %q (%v), want %q", name, got, err, want)
		}
	}
}
