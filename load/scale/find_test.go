package scale_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/load/scale"
)

// source returns a test file with functions Test0, Test1, ... that have these bodies, each with
// declarations before it. before has, for each body, the number of the line before its first line.
func source(bodies, outside []string) (src string, before []int) {
	src = `package x
import ("math/rand"; "sync"; "testing"; "time")
var _ = rand.Intn
var _ sync.Mutex
var _ time.Duration
`
	for i, body := range bodies {
		src += fmt.Sprintf("%s\nfunc Test%d(t *testing.T) {\n", outside[i], i)
		before = append(before, strings.Count(src, "\n"))
		src += body + "\n}\n"
	}
	return src, before
}

var roles = map[scale.Role]string{scale.Goroutines: "goroutines", scale.Rounds: "rounds", scale.Size: "size", scale.Other: "other"}

// TestFind: the numbers of a test, and their roles. Lines of the body count from 1.
func TestFind(t *testing.T) {
	tests := []struct{ name, body, outside, want string }{
		{"loops", `var wg sync.WaitGroup
for i := 0; i < 100; i++ {
	wg.Add(1)
	go func() { defer wg.Done(); for range 50 {} }()
}
wg.Wait()`, "", "100 goroutines at 2; 50 rounds at 4"},
		{"equal ones with two roles", `for i := 0; i < 100; i++ {
	go func() { for j := 0; j < 100; j++ {} }()
}
if t.Name() == "" { t.Error(100) }`, "", "100 goroutines at 1; 100 rounds at 2; 100 other at 4"},
		{"a name, and an expression of it", `const workers = 50
var wg sync.WaitGroup
wg.Add(workers)
for range workers { wg.Go(func() {}) }
for range workers * 2 { }`, "", "50 goroutines at 1 workers"},
		{"declared outside", `for range n1 { go func() {}() }
for range m1 {}`, "const n1 = 64\nvar m1 = 1 << 10", "64 goroutines at -2 n1; 10 rounds at -1 m1"},
		{"WaitGroup.Add", `var wg sync.WaitGroup
wg.Add(20)
for i := range 20 { go func() { _ = i; wg.Done() }() }`, "", "20 goroutines at 2,3"},
		{"sizes", `c := make(chan int, 30)
m := make(map[int]bool, 40)
var a [60]int
_, _, _ = c, m, a`, "", "30 size at 1; 40 size at 2; 60 size at 3"},
		{"a slice that is made", `s := make([]int, 1000)
for i := range s { s[i] = i }`, "", "1000 rounds at 1"},
		{"times are not counted", `for range 100 { time.Sleep(100 * time.Millisecond) }
time.Sleep(50)`, "", "100 rounds at 1"},
		{"a parameter", `run(t, 200)
func(k int) { for range k {} }(300)
each := func(n int) { for range n {} }
each(400)`, "func run(t *testing.T, n int) { for i := 0; i < n; i++ { go func() {}() } }", "200 goroutines at 1 n; 300 rounds at 2 k; 400 rounds at 4 n"},
		{"a table", `for _, tt := range []struct{ n, m int }{{100, 7}, {m: 8, n: 200}} {
	for range tt.n { go func() {}() }
	for range tt.m {}
}
for _, n := range []int{10, 20} { for range n {} }`, "", "100 goroutines at 1 n; 7 rounds at 1 m; 8 rounds at 1 m; 200 goroutines at 1 n; 10 rounds at 5; 20 rounds at 5"},
		{"downwards, and until", `for i := 90; i > 0; i-- {}
n := 0
for n < 80 && n >= 0 { n++ }
for n != 70 { n-- }`, "", "90 rounds at 1 i; 80 rounds at 3; 70 rounds at 4"},
		{"a float, and a random number", `const n = 1e3
for range int(n) {}
for range rand.Intn(25) {}`, "", "1000 rounds at 1 n; 25 rounds at 3"},
		{"rounds around goroutines", `for range 500 {
	var wg sync.WaitGroup
	for range 10 { wg.Go(func() {}) }
	wg.Wait()
}`, "", "500 rounds at 1; 10 goroutines at 3"},
		{"goroutines that a function starts", `for range 12 { start() }
for range 13 { t.Run("x", func(t *testing.T) { t.Parallel() }) }`, "func start() { go func() {}() }", "12 goroutines at 1; 13 goroutines at 2"},
		{"small numbers, and code that is not reached", `for range 3 { go func() {}() }`, "func TestOther(t *testing.T) { for range 77 {} }", ""},
		{"the code under test", `for range Rounds { Work(70) }`, "", "70 other at 1"},
		{"the result of a function", `for range workers() { go func() {}() }
for _, k := range keys(44) { _ = k }`, "func workers() int { if testing.Short() { return 5 }; return 500 }\nfunc keys(n int) []int { return make([]int, n) }",
			"5 goroutines at -2; 500 goroutines at -2; 44 rounds at 2 n"},
	}
	var bodies, outside []string
	for _, tt := range tests {
		bodies, outside = append(bodies, tt.body), append(outside, tt.outside)
	}
	src, before := source(bodies, outside)
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module x\n\ngo 1.26\n", "x_test.go": src,
		"x.go": "package x\n\nconst Rounds = 66\n\nfunc Work(n int) {\n\tfor range 90 {\n\t\tgo func() { _ = n }()\n\t}\n}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := load.Load(load.Config{Dir: dir, Tests: true, Implicit: vmtest.Implicit, Cache: &vmtest.Cache})
	if err != nil {
		t.Fatal(err)
	}
	for i, tt := range tests {
		e := entry(t, prog, fmt.Sprintf("Test%d", i))
		var list []string
		for _, c := range scale.Find(prog, e) {
			var lines []string
			for _, p := range c.Places() {
				lines = append(lines, fmt.Sprint(p.Line-before[i]))
			}
			list = append(list, strings.TrimSpace(fmt.Sprintf("%d %s at %s %s", c.From, roles[c.Role], strings.Join(lines, ","), c.Name)))
		}
		if got := strings.Join(list, "; "); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// entry returns the entry of that name.
func entry(t *testing.T, prog *load.Program, name string) *load.Entry {
	t.Helper()
	for _, e := range prog.Entries {
		if e.Name == name {
			return e
		}
	}
	t.Fatalf("no entry %s", name)
	return nil
}

// TestChoose: the numbers of each shape, with two goroutines and two rounds.
func TestChoose(t *testing.T) {
	tests := []struct {
		name, body string
		want       map[scale.Shape]string
	}{
		{"a product", `var wg sync.WaitGroup
n := 0
for range 10 { wg.Go(func() { for range 50 { n++ } }) }
if n != 500 || n != 51 || n == 49 || n == 20 { t.Error(n, 200) }`, map[scale.Shape]string{
			scale.Related: "10→2 50→2 500→4 51→3 49→1 20→4", scale.Multiples: "10→2 50→2 500→4 51→3 49→1 20→4 200→8",
			scale.Alone: "10→2 50→2", scale.Counted: "10→2 20→4", scale.Repeated: "50→2 51→3 49→1",
			scale.Proportional: "10→2 50→1 500→4 51→1 49→1 20→1 200→2"}},
		{"the same number twice", `for range 100 { go func() { for range 100 {} }() }
_ = []int{100, 10000, 200}`, map[scale.Shape]string{scale.Related: "100→2 100→2 100→2 10000→4 200→4", scale.Counted: "100→2 100→2 10000→4 200→4"}},
		{"a quotient", `for i := range 1000 { go func() { t.Log(i/10, i/100) }() }
if t.Name() == "" { t.Error(100, 20) }`, map[scale.Shape]string{scale.Related: "1000→2", scale.Multiples: "1000→2 100→1"}},
		{"a share", `n := cap(make(chan int, 1))
for range 10000 / n { go func() {}() }
for range 600 / 2 {}`, map[scale.Shape]string{scale.Related: "10000→8 600→2", scale.Alone: "10000→8 600→2"}},
		{"a fifth", `const size = 10000
for i := range size { if i%(size/5) == 0 { go func() {}() } }
for range 70 { if t.Name() == "" { t.Error(size/2.0) } }`, map[scale.Shape]string{scale.Related: "10000→5 70→2", scale.Proportional: "10000→5 5→1 70→1"}},
		{"a capacity", `cache := make(map[int]int, 128)
for i := range 256 { cache[i] = i }
if len(cache) != 128 { t.Error() }`, map[scale.Shape]string{scale.Related: "128→1 256→2 128→1", scale.Proportional: "128→2 256→4 128→2"}},
	}
	var bodies []string
	for _, tt := range tests {
		bodies = append(bodies, tt.body)
	}
	src, _ := source(bodies, make([]string, len(bodies)))
	prog := vmtest.Load(t, src)
	for i, tt := range tests {
		list := scale.Find(prog, entry(t, prog, fmt.Sprintf("Test%d", i)))
		for shape, want := range tt.want {
			c, _ := scale.Choose(list, shape, scale.Scale{Goroutines: 2, Rounds: 2})
			var words []string
			for _, v := range c.Values {
				words = append(words, fmt.Sprintf("%d→%d", v.From, v.To))
			}
			if got := strings.Join(words, " "); got != want {
				t.Errorf("%s, shape %d:\ngot  %s\nwant %s", tt.name, shape, got, want)
			}
		}
	}
}

// TestWished: numbers that the user chooses, and those that follow them.
func TestWished(t *testing.T) {
	src, before := source([]string{`const workers = 20
rounds := 30
for range workers { go func() { for range rounds {} }() }
if t.Name() == "" { t.Error(600) }`}, []string{""})
	prog := vmtest.Load(t, src)
	list := scale.Find(prog, entry(t, prog, "Test0"))
	for text, want := range map[string]string{
		"workers=3":          "20→3",
		"workers=3 rounds=2": "20→3 30→2 600→6",
		fmt.Sprintf("x_test.go:%d=4", before[0]+2): "30→4",
		"workers=3 gone=2":                         "unfit gone=2",
		"other_test.go:7=4":                        "unfit other_test.go:7=4",
		"x_test.go:1=4":                            "unfit x_test.go:1=4",
		"workers=":                                 "error",
		"workers":                                  "error",
		"x_test.go:y=4":                            "error",
		"workers=-1":                               "error",
	} {
		got := ""
		var wishes []scale.Wish
		for _, word := range strings.Fields(text) {
			w, err := scale.ParseWish(word)
			if err != nil {
				got = "error"
			}
			wishes = append(wishes, w)
		}
		if got == "" {
			c, unfit := scale.Wished(list, wishes)
			var words []string
			for _, v := range c.Values {
				words = append(words, fmt.Sprintf("%d→%d", v.From, v.To))
			}
			if got = strings.Join(words, " "); len(unfit) > 0 {
				got = "unfit " + unfit[0].Text
			}
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// TestCompares: the statements that depend on numbers that were not made smaller. The marked
// statements depend on them.
func TestCompares(t *testing.T) {
	src, before := source([]string{`const workers = 20
n := 0
limit := 7
for range workers { go func() { n++ }() }
if n != workers { t.Error(5) }
if n < 7 { t.Error(n) } // about
if n < limit { // about
	t.Error(n) // about
}
if n == 0 {
	t.Error(n, 50)
} else if n > 1 {
	t.Error(n)
}
if d := time.Second; d > 3*time.Second { t.Fatal(d) }
equal(t, n, workers)
equal(t, n, 12) // about
_ = make([]int, n)[33] // about
func() { t.Error(n) }()
switch n { case 1: t.Error(n) }`}, []string{"func equal(t *testing.T, a, b int) {\nif a != b { t.Error(a, b) }\n}"})
	prog := vmtest.Load(t, src)
	e := entry(t, prog, "Test0")
	c, ok := scale.Choose(scale.Find(prog, e), scale.Related, scale.Scale{Goroutines: 2, Rounds: 2})
	if !ok {
		t.Fatal("nothing becomes smaller")
	}
	pos := prog.Fset.Position(e.Pos)
	for i, line := range strings.Split(src, "\n") {
		if i < before[0] || line == "}" || line == "" {
			continue
		}
		pos.Line = i + 1
		if got, want := scale.Compares(prog, e, pos, c), strings.HasSuffix(line, "// about"); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
	if pos.Filename = "other.go"; !scale.Compares(prog, e, pos, c) {
		t.Error("nothing is known of another file")
	}
	if scale.Own(prog, e, pos) || !scale.Own(prog, e, prog.Fset.Position(e.Pos)) {
		t.Error("another file is the entry's own, or its file is not")
	}
}
