package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
)

// TestDogfood: hbcheck explores the pool of its own workers, with two and three of them, in every
// interleaving: the merged findings are those of one worker. And it finds the bugs in mutants of it.
func TestDogfood(t *testing.T) {
	t.Setenv("HBCHECKCACHE", "off")
	root := filepath.Join("..", "..")
	dir := filepath.Join(root, "por", "pool")
	verdicts, text := dogfood(t, dir)
	for _, name := range []string{"TestTwoWorkers", "TestTwoLarger", "TestThreeWorkers", "TestStop", "TestMissing", "TestClaim"} {
		if verdicts[name] != "ok" {
			t.Errorf("%s: %q\n%s", name, verdicts[name], text)
		}
	}
	test, err := os.ReadFile(filepath.Join(dir, "pool_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	pool, err := os.ReadFile(filepath.Join(dir, "pool.go"))
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range []struct{ Name, Old, New string }{
		{Name: "a task is done as soon as it is taken", Old: "\tt.state = taken\n", New: "\tt.state = done\n"},
		{Name: "a task may be taken twice", Old: "\tp.ready = p.ready[1:]\n", New: "\tif len(p.ready) > 1 {\n\t\tp.ready = p.ready[1:]\n\t}\n"},
		{Name: "a search that waits is not told", Old: "\tt.state = done\n\tp.changed.Broadcast()\n", New: "\tt.state = done\n"},
		{Name: "only one is told", Old: "\tt.state = done\n\tp.changed.Broadcast()\n", New: "\tt.state = done\n\tp.changed.Signal()\n"},
		{Name: "workers are not told that there is no more", Old: "\tp.mu.Unlock()\n\tp.changed.Broadcast()\n\tp.workers.Wait()\n", New: "\tp.mu.Unlock()\n\tp.workers.Wait()\n"},
		{Name: "the search does not wait for its workers", Old: "\tp.workers.Wait()\n", New: ""},
		{Name: "what is claimed may be taken", Old: "\t\tp.ready = slices.Delete(p.ready, i, i+1)\n", New: ""},
		{Name: "what is claimed may not be finished", Old: "\tfor t.state != done {\n\t\tp.changed.Wait()\n\t}\n", New: ""},
		{Name: "tasks are offered without the lock", Old: "\tp.mu.Lock()\n\tp.ready = append(p.ready, t)\n\tp.mu.Unlock()\n", New: "\tp.ready = append(p.ready, t)\n"},
	} {
		if !deep.Every(8, i) {
			continue
		}
		if n := strings.Count(string(pool), x.Old); n != 1 {
			t.Errorf("%s: %q is %d times in pool.go", x.Name, x.Old, n)
			continue
		}
		src := strings.Replace(string(pool), x.Old, x.New, 1)
		mutant := t.TempDir()
		for name, text := range map[string]string{"go.mod": "module example.com/pool\n\ngo 1.26\n", "pool.go": src, "pool_test.go": string(test)} {
			if err := os.WriteFile(filepath.Join(mutant, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		killed := ""
		verdicts, text := dogfood(t, mutant)
		for name, v := range verdicts {
			if v == "fail" {
				killed = name
			}
		}
		if killed == "" {
			t.Errorf("%s: survives: %v\n%s", x.Name, verdicts, text)
		} else {
			t.Logf("%s: %s", x.Name, killed)
		}
	}
}

// dogfood explores the tests of a directory, and returns their verdicts.
func dogfood(t *testing.T, dir string, flags ...string) (verdicts map[string]string, text string) {
	var out, errs bytes.Buffer
	run(append([]string{"-C", dir, "--format=json", "--html=off", "-o", t.TempDir(), "."}, flags...), strings.NewReader(""), &out, &errs)
	text, verdicts = out.String()+errs.String(), make(map[string]string)
	for dec := json.NewDecoder(&out); dec.More(); {
		var r struct{ Entry, Verdict string }
		if err := dec.Decode(&r); err != nil {
			t.Fatal(err)
		}
		verdicts[r.Entry] = r.Verdict
	}
	return verdicts, text
}
