package modeltest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// caches are programs with two goroutines that use a cache or a table of the library, or files.
// executions is how many executions the optimal search needs. FILE contains "abcdef", OTHER
// "ghijkl", and DIR is their directory.
var caches = []struct {
	name, want string
	executions int
	head, body string
}{
	{"encode", `{"A":1,"B":null} {"A":2,"B":null}`, 1, `import "encoding/json"
type value struct { A int; B *value }`, `
		together(func() { a, _ := json.Marshal(value{A: 1}); x = string(a) }, func() { a, _ := json.Marshal(value{A: 2}); y = string(a) })`},
	{"decode", `a b`, 1, `import "encoding/json"
type value struct { A string; B []value }`, `
		together(func() { var v value; json.Unmarshal([]byte("{\"B\": [{\"A\": \"a\"}]}"), &v); x = v.B[0].A },
			func() { var v value; json.Unmarshal([]byte("{\"A\": \"b\"}"), &v); y = v.A })`},
	// A goroutine finds in the cache what its parent has stored there, and not what its sibling
	// stores.
	{"inherited", `{"A":1} {"A":2}`, 1, `import "encoding/json"
type value struct { A int }`, `
		json.Marshal(value{})
		together(func() { a, _ := json.Marshal(value{1}); x = string(a) }, func() { a, _ := json.Marshal(value{2}); y = string(a) })`},
	// A method of the program is called once for each value, also if two goroutines encode the
	// first values of the type.
	{"method", "1 2|2 1", 2, `import ("encoding/json"; "sync/atomic"; "strconv")
var n atomic.Int32
type value struct{ _ int }
func (value) MarshalJSON() ([]byte, error) { return []byte(strconv.Itoa(int(n.Add(1)))), nil }`, `
		together(func() { a, _ := json.Marshal(value{}); x = string(a) }, func() { a, _ := json.Marshal(value{}); y = string(a) })`},
	{"coroutine", `1 [2]`, 1, `import ("encoding/json"; "iter")
type value struct { A int }`, `
		next, stop := iter.Pull(func(yield func(string) bool) {
			for i := range 3 { a, _ := json.Marshal([]value{{i}}); if !yield(string(a[len(a)-3:len(a)-2])) { return } }
		})
		next()
		together(func() { x, _ = next() }, func() { a, _ := json.Marshal([]int{2}); y = string(a) })
		stop()`},
	{"xml", `<value a="1"></value> 2`, 1, `import "encoding/xml"
type value struct { A int ` + "`xml:\"a,attr\"`" + ` }`, `
		together(func() { a, _ := xml.Marshal(value{1}); x = string(a) }, func() { var v value; xml.Unmarshal([]byte("<value a=\"2\"/>"), &v); if v.A == 2 { y = "2" } })`},
	{"replacer", `bc bd`, 1, `import "strings"
var r = strings.NewReplacer("a", "b")`, `
		together(func() { x = r.Replace("ac") }, func() { y = r.Replace("ad") })`},
	{"printed", strings.Repeat("1", 700) + " 2", 1, `import ("math/big"; "strings")
var n, _ = new(big.Int).SetString(strings.Repeat("1", 700), 10)`, `
		together(func() { x = n.String() }, func() { n.String(); y = "2" })`},
	{"opened", "abc ghi", 1, reading, `
		together(func() { x = read("FILE") }, func() { y = read("OTHER") })`},
	// In a program that may see the numbers of descriptors, a file gets the smallest free number.
	// No code of numberedLater calls number.
	{"numbered", "abc ghi", 6, reading + `
func number(f *os.File) uintptr { return f.Fd() }`, `
		_ = number
		together(func() { x = read("FILE") }, func() { y = read("OTHER") })`},
	{"numberedLater", "abc ghi", 1, reading + `
func number(f *os.File) uintptr { return f.Fd() }`, `
		together(func() { x = read("FILE") }, func() { y = read("OTHER") })`},
	{"numberedEarly", "abc ghi", 6, reading + `
func number(f *os.File) uintptr { return f.Fd() }
var stdin = number(os.Stdin)`, `
		together(func() { x = read("FILE") }, func() { y = read("OTHER") })`},
	{"numberedByMethod", "abc ghi", 6, reading + `
var numbers interface{ Fd() uintptr } = os.Stdin`, `
		_ = func() uintptr { return numbers.Fd() }
		together(func() { x = read("FILE") }, func() { y = read("OTHER") })`},
	{"ownFiles", "abcghi ghiabc", 1, `import "os"`, `
		both := func(a, b string) string {
			f, _ := os.Open(a)
			g, _ := os.Open(b)
			defer f.Close()
			defer g.Close()
			p := make([]byte, 6)
			f.Read(p[:3])
			g.Read(p[3:])
			return string(p)
		}
		together(func() { x = both("FILE", "OTHER") }, func() { y = both("OTHER", "FILE") })`},
	{"fileMoved", "abc def|def abc", 2, `import "os"`, `
		f, _ := os.Open("FILE")
		together(func() { p := make([]byte, 3); f.Read(p); x = string(p) }, func() { p := make([]byte, 3); f.Read(p); y = string(p) })
		f.Close()`},
	{"fileNames", "made made", 1, `import "os"`, `
		made := func(f string) string { if os.WriteFile(f, nil, 0o600) != nil { return "not" }; return "made" }
		together(func() { x = made("DIR/m") }, func() { y = made("DIR/n") })`},
	{"fileName", "false true|true false", 2, `import "os"`, `
		made := func(f string) string {
			if f, err := os.OpenFile(f, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600); err == nil { f.Close(); return "true" }
			return "false"
		}
		together(func() { x = made("DIR/m") }, func() { y = made("DIR/m") })`},
	{"dirListed", "made 3|made 4", 2, `import ("os"; "strconv")`, `
		together(func() { os.WriteFile("DIR/m", nil, 0o600); x = "made" }, func() { l, _ := os.ReadDir("DIR"); y = strconv.Itoa(len(l)) })`},
	{"fileLinked", "gone abc|gone none", 2, `import "os"`, `
		together(func() { os.Remove("FILE"); x = "gone" }, func() { if p, err := os.ReadFile("DIR/link"); err == nil { y = string(p[:3]) } else { y = "none" } })`},
}

const reading = `import "os"
func read(name string) string {
	f, _ := os.Open(name)
	defer f.Close()
	p := make([]byte, 3)
	f.Read(p)
	return string(p)
}`

// TestCaches: goroutines do not depend on each other because of values that they compute from
// caches, or because of the numbers of their files. They depend on each other because of what they
// can see of each other.
func TestCaches(t *testing.T) {
	for _, p := range caches {
		t.Run(p.name, func(t *testing.T) {
			dir, files := t.TempDir(), t.TempDir()
			body := strings.NewReplacer("FILE", files+"/data.txt", "OTHER", files+"/other.txt", "DIR", files).Replace(p.body)
			src := "package main\n" + p.head + "\nvar x, y string\nfunc main() {" + body + `
				print(x, " ", y)
			}
			func together(f, g func()) {
				done := make(chan bool)
				go func() { f(); done <- true }()
				g()
				<-done
			}`
			for name, text := range map[string]string{dir + "/go.mod": "module m\n\ngo 1.26\n", dir + "/main.go": src,
				files + "/data.txt": "abcdef", files + "/other.txt": "ghijkl"} {
				if err := os.WriteFile(filepath.FromSlash(name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink("data.txt", filepath.Join(files, "link")); err != nil {
				t.Skip(err)
			}
			prog, err := load.Load(load.Config{Dir: dir, Implicit: []string{"runtime"}, Cache: &vmtest.Cache})
			if err != nil {
				t.Fatal(err)
			}
			e, err := prog.Lookup("main")
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range explorers.Exhaustive() {
				if x.Run == nil || !*every && x.Name != "full" && x.Name != "optimal" && x.Name != "jpf" {
					continue
				}
				if got := explore(t, prog, e, x, oracle.None); got != p.want {
					t.Errorf("%s: %s, want %s", x.Name, got, p.want)
				}
			}
			m, err := vm.New(prog, e, vm.Config{Races: true, Check: vm.CheckState})
			if err != nil {
				t.Fatal(err)
			}
			if r := explorers.With("optimal").Explore(m, &ignored{}, por.Config{}); r.Executions != uint64(p.executions) {
				t.Errorf("%d executions, want %d", r.Executions, p.executions)
			}
		})
	}
}

// ignored ignores all findings.
type ignored struct{}

func (*ignored) Restart()                                     {}
func (*ignored) Leaf(trace.Schedule, por.Status) bool         { return true }
func (*ignored) Race(trace.Schedule, trace.Op, trace.Op) bool { return true }
func (*ignored) Livelock(trace.Schedule, int) bool            { return true }
