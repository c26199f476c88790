package explore_test

import (
	"os"
	"path/filepath"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/selection"
	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// TestNotRun: a test that no execution runs is not ok.
func TestNotRun(t *testing.T) {
	const race = `c := make(chan int, 2); go func() { c <- 1 }(); go func() { c <- 2 }(); `
	for i, tt := range []struct {
		name, main, body string
		notRun, skipped  bool
		text             string
		verdict          explore.Verdict
	}{
		{name: "runs", body: `t.Log(1)`, verdict: explore.OK},
		{name: "skips", body: `t.Skip("why")`, notRun: true, skipped: true, text: "why", verdict: explore.OK},
		{name: "skips now", body: `t.SkipNow()`, notRun: true, skipped: true, verdict: explore.OK},
		{name: "skips a part", body: `t.Run("s", func(t *testing.T) { t.Skip() })`, verdict: explore.OK},
		{name: "skips first", body: race + `if <-c == 1 { t.Skip() }`, verdict: explore.OK},
		{name: "skips last", body: race + `if <-c == 2 { t.Skip() }`, verdict: explore.OK},
		{name: "skips and fails", body: `t.Fail(); t.Skip()`, notRun: true, skipped: true, verdict: explore.Fail},
		{name: "skips or fails", body: race + `if <-c == 2 { t.Skip() }; t.Fail()`, verdict: explore.Fail},
		{name: "main runs", main: `os.Exit(m.Run())`, body: `t.Log(1)`, verdict: explore.OK},
		{name: "main runs what skips", main: `os.Exit(m.Run())`, body: `t.Skip()`, notRun: true, skipped: true, verdict: explore.OK},
		{name: "main exits", main: `os.Exit(0)`, body: `panic(1)`, notRun: true, verdict: explore.OK},
		{name: "main returns", main: `_ = os.Exit`, body: `panic(1)`, notRun: true, verdict: explore.OK},
		{name: "main fails", main: `os.Exit(2)`, body: `panic(1)`, notRun: true, verdict: explore.Fail},
		{name: "test exits", main: `os.Exit(m.Run())`, body: `exit()`, verdict: explore.Fail},
	} {
		if !deep.Every(6, i) {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			src := "package p\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc exit() { os.Exit(0) }\n\nfunc TestX(t *testing.T) { " + tt.body + " }\n"
			if tt.main != "" {
				src += "\nfunc TestMain(m *testing.M) { " + tt.main + " }\n"
			}
			for name, text := range map[string]string{"go.mod": "module p\n\ngo 1.26\n", "x_test.go": src} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			prog, err := load.Load(load.Config{Dir: dir, Tests: true, Implicit: []string{"runtime"}, Cache: &vmtest.Cache})
			if err != nil {
				t.Fatal(err)
			}
			entries, err := selection.Select(prog, selection.Options{}, func(prog *load.Program, e *load.Entry, interrupted func() bool) (describe.Machine, error) {
				return describe.NewMachine(prog, e, vm.Config{Interrupt: interrupted})
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"full", "jpf", "optimal", "source"} {
				p := explorers.Lookup(name)
				r := runJobs(t, entries[0], explore.Options{POR: p, Match: p.Stateful, All: true, NoMinimise: true})
				if r.Verdict != tt.verdict || (r.NotRun != nil) != tt.notRun {
					t.Errorf("%s: %s, not run: %v, want %s, %v", name, r.Verdict, r.NotRun, tt.verdict, tt.notRun)
				}
				if n := r.NotRun; n != nil && ((n.Skip != nil) != tt.skipped || n.Skip != nil && (n.Skip.Text != tt.text || n.Skip.Pos.Line != 10)) {
					t.Errorf("%s: %+v, want %v, %q", name, n.Skip, tt.skipped, tt.text)
				}
			}
		})
	}
}
