package small_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/small"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/load/scale"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// config returns the configuration for Test0, Test1, ... of a file, by number.
func config(t *testing.T, bodies []string) (list []*small.Config) {
	src := "package x\nimport (\"sync\"; \"sync/atomic\"; \"testing\"; \"time\")\nvar _ sync.Mutex\nvar _ time.Duration\nvar _ atomic.Int32\n"
	for i, body := range bodies {
		src += fmt.Sprintf("func Test%d(t *testing.T) {\n%s\n}\n", i, body)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"x_test.go": src, "go.mod": "module m\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := load.Load(load.Config{Dir: dir, Patterns: []string{"."}, Tests: true, Implicit: vmtest.Implicit, Again: true})
	if err != nil {
		t.Fatal(err)
	}
	cfg := func(interrupted func() bool) vm.Config {
		return vm.Config{Races: true, OrderedTime: true, Interrupt: interrupted}
	}
	for _, e := range prog.Entries {
		list = append(list, &small.Config{
			Prog: prog, Entry: explore.Entry{Package: e.Path, Name: e.Name, Source: e, New: func(interrupted func() bool) (describe.Machine, error) {
				return describe.NewMachine(prog, e, cfg(interrupted))
			}},
			Options: explore.Options{POR: explorers.Lookup("optimal"), MaxExecs: 2000},
			Sample:  explore.Options{POR: explorers.Lookup("random"), MaxExecs: 10, Seed: 1},
			Load:    prog.Again, Run: explore.Run,
			Build: func(prog *load.Program, e *load.Entry, interrupted func() bool) (describe.Machine, error) {
				return describe.NewMachine(prog, e, cfg(interrupted))
			},
			Once: func(prog *load.Program, e *load.Entry, interrupted func() bool) (describe.Once, error) {
				return describe.RunOnce(prog, e, cfg(interrupted))
			},
		})
	}
	return list
}

// TestValid: the versions that count, and their measured properties.
func TestValid(t *testing.T) {
	const counts = `var mu sync.Mutex
var wg sync.WaitGroup
n := 0
for range 20 { wg.Go(func() { for range 30 { mu.Lock(); n++; mu.Unlock() } }) }
wg.Wait()
`
	const lost = `var n atomic.Int32
var wg sync.WaitGroup
for range 20 { wg.Go(func() { for range 30 { n.Store(n.Load()+1) } }) }
wg.Wait()
`
	type test struct{ name, body, want, wish string }
	tests := []test{
		{"a product", counts + "if n != 600 { t.Error(n) }", "20→3 30→3 600→9 ok", ""},
		{"not all numbers", counts + "if n < 25 { t.Error(n) }", "20→2 30→4 25→3 ok", ""},
		{"numbers that do not fit together", "a := [60]int{}\nfor i := range 60 { go func() { _ = i }() }\n_ = a[33]", "60→3 ok", ""},
		{"a bug", lost + "if n.Load() != 600 { t.Error(n.Load()) }", "20→2 30→2 600→4 fail", ""},
		{"a bug that smaller numbers may have caused", lost + "if n.Load() < 3 { t.Error(n.Load()) }", "20→2 30→2 incomplete doubtful", ""},
		{"a race", "n := 0\nvar wg sync.WaitGroup\nfor range 20 { wg.Go(func() { n++ }) }\nwg.Wait()\nif n < 1 { t.Error(7) }", "20→2 fail", ""},
		{"it nearly always fails", `var mu sync.Mutex
var seq []int
var wg sync.WaitGroup
f := func(i int) { wg.Go(func() { for range 6 { mu.Lock(); mu.Unlock() }; mu.Lock(); seq = append(seq, i); mu.Unlock() }) }
f(0); f(1); f(2); f(3)
wg.Wait()
if !(seq[0] == 0 && seq[1] == 1 && seq[2] == 2) && !(seq[0] == 3 && seq[1] == 0 && seq[2] == 1) { t.Error(seq) }`, "none", ""},
		{"a channel that has no room", "const room = 8\nc := make(chan int, room)\nfor range 2 { go func() { c <- 1; c <- 2 }() }\n<-c; <-c", "8→1 incomplete doubtful", "room=1"},
		{"a rate", `const rate, limit = 10, 4 * time.Second
tick := time.NewTicker(limit / rate)
var n, m atomic.Int32
end := make(chan int)
for range 20 { go func() { select { case <-tick.C: n.Add(1); case <-end: } }() }
time.Sleep(limit)
close(end)
go func() { m.Store(1); m.Store(2) }()
if m.Load() == 1 && n.Load() == 0 { t.Error("none") }`, "20→1 ok", ""}, // after 10→1, 20→2, which fails
		{"skipped", "for range 20 { go func() {}() }\nt.Skip()", "none", ""},
		{"nothing to make smaller", "for range 3 { go func() {}() }", "none", ""},
	}
	var bodies []string
	all := tests
	tests = slices.DeleteFunc(slices.Clone(all), func(tt test) bool {
		return !deep.Every(4, slices.IndexFunc(all, func(x test) bool { return x.name == tt.name }))
	})
	for _, tt := range tests {
		bodies = append(bodies, tt.body)
	}
	for i, cfg := range config(t, bodies) {
		got := "none"
		if s := tests[i].wish; s != "" {
			w, err := scale.ParseWish(s)
			if err != nil {
				t.Fatal(err)
			}
			cfg.Wishes = []scale.Wish{w}
		}
		v, err := cfg.Find(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if v != nil {
			s, err := cfg.Explore(context.Background(), v)
			if err != nil {
				t.Fatal(err)
			}
			var words []string
			for _, c := range s.Constants {
				words = append(words, fmt.Sprintf("%d→%d", c.From, c.To))
			}
			words = append(words, string(s.Result.Verdict))
			for _, b := range s.Result.Bugs {
				if b.Doubtful {
					words = append(words, "doubtful")
				}
			}
			got = strings.Join(words, " ")
			if s.Exhaustive() != (s.Result.Verdict == explore.OK) {
				t.Errorf("%s: %s, exhaustive: %v", tests[i].name, got, s.Exhaustive())
			}
		}
		if got != tests[i].want {
			t.Errorf("%s: got %s, want %s", tests[i].name, got, tests[i].want)
		}
	}
}

// TestCarried: schedules of small versions are repeated at full size.
func TestCarried(t *testing.T) {
	const lost = `var n atomic.Int32
var wg sync.WaitGroup
for range 20 { wg.Go(func() { for range 30 { n.Store(n.Load()+1) } }) }
wg.Wait()
`
	tests := []struct{ name, body, want string }{
		{"a lost update", lost + "if n.Load() != 600 { t.Error(n.Load()) }", "fail carried"},
		{"doubtful, but it shows", lost + "if n.Load()%2 == 1 { t.Error(n.Load()) }", "fail carried"},
		{"the smaller numbers are the cause", lost + "if n.Load() < 3 { t.Error(n.Load()) }", "incomplete doubtful not carried"},
		{"a deadlock", `var a, b sync.Mutex
var wg sync.WaitGroup
for i := range 20 { wg.Go(func() {
	x, y := &a, &b
	if i == 1 { x, y = y, x }
	x.Lock(); y.Lock(); y.Unlock(); x.Unlock()
}) }
wg.Wait()`, "fail carried"},
		// Goroutines that move before main has started all do not do what those of the schedule do.
		{"all are started first", `var ready atomic.Bool
var n atomic.Int32
var wg sync.WaitGroup
for range 20 { wg.Go(func() { if ready.Load() { n.Store(n.Load()+1) } else { n.Add(1) } }) }
ready.Store(true)
wg.Wait()
if n.Load() != 20 { t.Error(n.Load()) }`, "fail carried"},
		{"a failure in another place", `var n atomic.Int32
var wg sync.WaitGroup
for range 20 { wg.Go(func() { n.Store(n.Load()+1) }) }
wg.Wait()
if int(n.Load()) == len("nineteen characters") { t.Fatal("full") }
if n.Load() == 1 { t.Error("small") }`, "fail not carried"},
	}
	var bodies []string
	for _, tt := range tests {
		bodies = append(bodies, tt.body)
	}
	for i, cfg := range config(t, bodies) {
		v, err := cfg.Find(context.Background())
		if err != nil || v == nil {
			t.Fatalf("%s: %v, %v", tests[i].name, v, err)
		}
		s, err := cfg.Explore(context.Background(), v)
		if err != nil {
			t.Fatal(err)
		}
		got := string(s.Result.Verdict)
		for _, b := range s.Result.Bugs {
			if b.Doubtful {
				got += " doubtful"
			}
			got += [...]string{bug.Untried: " untried", bug.NotCarried: " not carried", bug.Carried: " carried"}[b.Carried]
		}
		if got != tests[i].want {
			t.Errorf("%s: got %s, want %s", tests[i].name, got, tests[i].want)
		}
	}
}
