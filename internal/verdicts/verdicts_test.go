package verdicts

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

func result() *explore.Result {
	r := &explore.Result{Package: "p", Entry: "TestX", Verdict: explore.OK, POR: "optimal", Auto: true}
	r.Stats.Executions, r.Stats.Load = 7, time.Second
	return r
}

func open(t *testing.T) *Store {
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRemember(t *testing.T) {
	s := open(t)
	if _, ok := s.Verdict("a", nil); ok {
		t.Error("found though nothing is remembered")
	}
	if !s.Remember("a", result(), nil, nil) {
		t.Fatal("not remembered")
	}
	r, ok := s.Verdict("a", nil)
	if !ok || !r.Cached || r.Stats.Executions != 7 || r.Stats.Load != time.Second || !r.Auto {
		t.Errorf("%+v, %v", r, ok)
	}
	if _, ok := s.Verdict("b", nil); ok {
		t.Error("found under another key")
	}
	if _, ok := s.Names("a"); ok {
		t.Error("a verdict is no list of names")
	}
}

// TestWorth: neither bugs nor verdicts that another run may improve are remembered.
func TestWorth(t *testing.T) {
	s := open(t)
	for name, change := range map[string]func(r *explore.Result){
		"a bug": func(r *explore.Result) { r.Verdict, r.Bugs = explore.Fail, []*bug.Bug{{}} },
		"a bound": func(r *explore.Result) {
			r.Verdict, r.Incomplete = explore.Incomplete, []explore.Reason{{Cause: explore.CauseStopped}}
		},
		"a bound and an assumption": func(r *explore.Result) {
			r.Verdict = explore.Incomplete
			r.Incomplete = []explore.Reason{{Cause: explore.CauseAssumed}, {Cause: explore.CauseBound}}
		},
		"a solver that lies": func(r *explore.Result) { r.SolverTrouble = "it lies" },
	} {
		r := result()
		change(r)
		if Worth(r) || s.Remember("a", r, nil, nil) {
			t.Errorf("%s: remembered", name)
		}
	}
	r := result()
	r.Verdict, r.Incomplete = explore.Incomplete, []explore.Reason{{Cause: explore.CauseAssumed}}
	if !s.Remember("a", r, nil, nil) {
		t.Error("an assumption: not remembered")
	}
}

// TestDetails: warnings with any type of details are restored completely.
func TestDetails(t *testing.T) {
	details := []bug.Detail{bug.Crashed{Text: "panic: 1"}, bug.TestFailed{Message: "m"}, bug.Exited{Status: 1},
		bug.WaitCycle{Goroutines: "main g1"}, bug.MainBlocked{Others: 1}, bug.LeftBehind{Func: "f"},
		bug.LivesOn{Func: "f", Waiting: describe.Waiting{For: "sleep"}}, bug.Spins{Func: "f"}, bug.Loops{MainEnded: true},
		bug.Conflict{What: "x"}, bug.LeftLooping{Func: "f"}}
	s := open(t)
	for _, d := range details {
		r := result()
		r.Bugs = []*bug.Bug{{Warning: true, Detail: d, Events: []describe.Event{{Name: "main", Paired: true}}, Schedule: trace.Schedule{{G: 1, Choice: 2}}}}
		if !s.Remember("a", r, nil, nil) {
			t.Errorf("%T: not remembered", d)
			continue
		}
		if back, ok := s.Verdict("a", nil); !ok || back.Bugs[0].Detail != d {
			t.Errorf("%T: %+v", d, back)
		}
	}
}

// TestSame: same finds any difference, except that empty and nil are the same.
func TestSame(t *testing.T) {
	type part struct {
		P *int
		S []string
		M map[string]part
		I any
		u int
	}
	one, uno, zero := 1, 1, 0
	base := func() part {
		return part{&one, []string{"a"}, map[string]part{"k": {S: []string{"x"}}}, bug.Exited{Status: 1}, 3}
	}
	for name, x := range map[string]struct {
		change func(p *part)
		want   bool
	}{
		"nothing":           {func(p *part) {}, true},
		"another pointer":   {func(p *part) { p.P = &uno }, true},
		"pointer":           {func(p *part) { p.P = &zero }, false},
		"nil pointer":       {func(p *part) { p.P = nil }, false},
		"element":           {func(p *part) { p.S[0] = "b" }, false},
		"length":            {func(p *part) { p.S = append(p.S, "b") }, false},
		"nil slice":         {func(p *part) { p.S = nil }, false},
		"key":               {func(p *part) { p.M = map[string]part{"l": p.M["k"]} }, false},
		"below a key":       {func(p *part) { p.M["k"] = part{} }, false},
		"empty below a key": {func(p *part) { x := p.M["k"]; x.M = map[string]part{}; p.M["k"] = x }, true},
		"in an interface":   {func(p *part) { p.I = bug.Exited{Status: 2} }, false},
		"type":              {func(p *part) { p.I = bug.TestFailed{} }, false},
		"not exported":      {func(p *part) { p.u = 4 }, false},
	} {
		a, b := base(), base()
		x.change(&b)
		if same(reflect.ValueOf(a), reflect.ValueOf(b)) != x.want || same(reflect.ValueOf(b), reflect.ValueOf(a)) != x.want {
			t.Errorf("%s: not %v", name, x.want)
		}
	}
}

// TestHost: a verdict is not remembered if the host facts that its entry has learnt may have changed.
func TestHost(t *testing.T) {
	unsure := []vm.HostFact{{Ask: "content", Name: os.DevNull, Answer: "unknown"}}
	s := open(t)
	if s.Remember("a", result(), unsure, nil) {
		t.Error("what a device says was remembered")
	}
	never := []vm.HostFact{{Ask: "env", Name: "X", Answer: "another"}}
	if s.Remember("a", result(), never, []string{"X=1"}) {
		t.Error("what has changed meanwhile was remembered")
	}
}

// TestDamage: a damaged file, wherever the damage is, counts as absent. It is never an error.
func TestDamage(t *testing.T) {
	s := open(t)
	s.Remember("a", result(), nil, nil)
	each(s.dir, func(name string, _ fs.FileInfo) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(data); i += deep.Pick(7, 1) {
			bad := bytes.Clone(data)
			bad[i] ^= 0x40
			if err := os.WriteFile(name, bad, 0o666); err != nil {
				t.Fatal(err)
			}
			if r, ok := s.Verdict("a", nil); ok && (r.Stats.Executions != 7 || r.Package != "p") {
				t.Fatalf("%s, byte %d: %+v", name, i, r)
			}
			if err := os.WriteFile(name, data[:i], 0o666); err != nil {
				t.Fatal(err)
			}
			s.Verdict("a", nil)
		}
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	})
	if _, ok := s.Verdict("a", nil); !ok {
		t.Error("not found when mended")
	}
}

// TestBound: the oldest entry is removed first, and other files stay.
func TestBound(t *testing.T) {
	s := open(t)
	for i, key := range []string{"a", "b", "c"} {
		r := result()
		r.Entry = key // equal results would be one file
		s.Remember(key, r, nil, nil)
		each(s.dir, func(name string, info fs.FileInfo) {
			if time.Since(info.ModTime()) < time.Hour {
				old := time.Now().Add(time.Duration(i-10) * time.Hour)
				if err := os.Chtimes(name, old, old); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	mine := filepath.Join(s.dir, "00", "mine")
	if err := os.WriteFile(mine, make([]byte, 1<<20), 0o666); err != nil {
		t.Fatal(err)
	}
	var all int64
	each(s.dir, func(_ string, info fs.FileInfo) { all += info.Size() })
	s.bound(all * 2 / 3)
	for key, want := range map[string]bool{"a": false, "c": true} {
		if _, ok := s.Verdict(key, nil); ok != want {
			t.Errorf("%s: %v", key, ok)
		}
	}
	if err := Clean(s.dir); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Verdict("c", nil); ok {
		t.Error("found after Clean")
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error("Clean removed what is not its own")
	}
}

// TestDir: the user selects a directory, or none.
func TestDir(t *testing.T) {
	t.Setenv(Variable, "off")
	if _, ok := Dir(); ok {
		t.Error("off")
	}
	t.Setenv(Variable, "/x")
	if dir, ok := Dir(); !ok || dir != "/x" {
		t.Error(dir, ok)
	}
	t.Setenv(Variable, "")
	t.Setenv("XDG_CACHE_HOME", "/y")
	if dir, ok := Dir(); !ok || !strings.HasPrefix(dir, "/y/") {
		t.Error(dir, ok)
	}
}
