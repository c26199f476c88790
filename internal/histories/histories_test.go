// Package histories tests hbtest/lin with the machine: its recorded histories are those of the executions,
// and it finds exactly the objects that are not linearizable.
package histories

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
)

var update = flag.Bool("update", false, "rewrite the table of docs/linearizability.md")

// hbcheck builds the tool once.
var hbcheck = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "hbcheck")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "hbcheck")
	if out, err := exec.Command("go", "build", "-o", path, "hbcheck.dev/hbcheck/cmd/hbcheck").CombinedOutput(); err != nil {
		return path, fmt.Errorf("%v\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if used {
		if path, err := hbcheck(); err == nil {
			os.RemoveAll(filepath.Dir(path))
		}
	}
	os.Exit(code)
}

var used bool

// A result is hbcheck's result for a test.
type result struct {
	Action, Entry, Verdict, Error string

	Bugs  []struct{ Code, Message string }
	Stats struct{ Executions uint64 }

	Incomplete []string
	Outcomes   []struct{ Output, Ending string }
}

// explored explores tests of a package, as seen from a directory.
func explored(t *testing.T, dir, pkg string, flags ...string) (results []result) {
	t.Helper()
	used = true
	path, err := hbcheck()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, slices.Concat([]string{"explore", "--format=json", "--html=off", "-count=1", "-o", t.TempDir()}, flags, []string{pkg})...)
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() == 2 {
		t.Fatalf("%v: %v\n%s", cmd, err, stderr.Bytes())
	}
	for d := json.NewDecoder(&stdout); d.More(); {
		var r result
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		if r.Entry != "" { // or else it is the summary
			results = append(results, r)
		}
	}
	return results
}

// A state is one of a scenario of TestHistories in hbtest/lin, in which operation 0 reads a number and then
// writes its successor, and operation 1 has no effect.
type state struct {
	scenario [][]int
	number   int
	read     []int // by goroutine: the number that it has read
	step     []int // the next action of its operation: call, read, write, return
	at       []int // operations it has completed
	events   [][]string
}

// all adds the histories that s leads to, as TestHistories prints them.
func (s *state) all(add func(string)) {
	ended := true
	for g, ops := range s.scenario {
		if s.at[g] == len(ops) {
			continue
		}
		ended = false
		n := state{s.scenario, s.number, slices.Clone(s.read), slices.Clone(s.step), slices.Clone(s.at), nil}
		for _, e := range s.events {
			n.events = append(n.events, slices.Clone(e))
		}
		switch n.step[g] {
		case 0:
			clock := uint64(0)
			for i, done := range n.at {
				clock |= uint64(done) << (8 * i)
			}
			n.events[g] = append(n.events[g], fmt.Sprint(clock))
			if n.step[g] = 1; ops[n.at[g]] == 1 {
				n.step[g] = 3
			}
		case 1:
			n.read[g], n.step[g] = n.number, 2
		case 2:
			n.number, n.step[g] = n.read[g]+1, 3
		case 3:
			result := "<nil>"
			if ops[n.at[g]] == 0 {
				result = fmt.Sprint(n.read[g] + 1)
			}
			n.events[g][n.at[g]] = fmt.Sprintf("{%s %s}", n.events[g][n.at[g]], result)
			n.at[g]++
			n.step[g] = 0
		}
		n.all(add)
	}
	if ended {
		add(fmt.Sprintln(s.scenario, s.events))
	}
}

// TestHistories: every explorer, with and without static facts, finds exactly the histories that there are.
func TestHistories(t *testing.T) {
	want := map[string]bool{}
	for _, sc := range [][][]int{{{0}, {0}}, {{0, 1}, {0}}, {{0, 0}, {1}}, {{0, 0}, {0}}, {{0}, {1}, {0}}} {
		k := len(sc)
		s := state{sc, 0, make([]int, k), make([]int, k), make([]int, k), make([][]string, k)}
		s.all(func(h string) { want[h] = true })
	}
	t.Logf("%d histories", len(want))
	for _, flags := range []string{"--por=full", "--por=jpf", "--por=jpf --hybrid=full", "--por=jpf --hybrid=mhb",
		"--por=optimal", "--por=optimal --equivalence=rf", "--por=optimal --hybrid=fa", "--por=optimal --hybrid=full", "--por=source", "--por=context",
		"--por=clockvector", "--por=graph"} {
		if deep.Quick() && flags != "--por=jpf --hybrid=mhb" {
			continue
		}
		r := explored(t, ".", "../../hbtest/lin", append(strings.Fields(flags), "--outcomes", "--all", "--run=^TestHistories$")...)
		if len(r) != 1 || r[0].Verdict != "ok" {
			t.Fatalf("%s: %+v", flags, r)
		}
		got := map[string]bool{}
		for _, o := range r[0].Outcomes {
			got[o.Output] = true
		}
		for _, h := range slices.Sorted(maps.Keys(want)) {
			if !got[h] {
				t.Errorf("%s: %s is lost", flags, h)
			}
		}
		for _, h := range slices.Sorted(maps.Keys(got)) {
			if !want[h] {
				t.Errorf("%s: %s cannot be", flags, h)
			}
		}
	}
}
