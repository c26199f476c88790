//go:build unix && cluster

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/progen"
)

// generatedModule returns the files of a module with n generated programs, each of which is a test.
func generatedModule(n int) map[string]string {
	sets := []progen.Features{progen.All, progen.Locks | progen.Groups | progen.Atomics, progen.Chans | progen.Locks, progen.Chans | progen.Selects | progen.Trying, progen.Locks | progen.Maps | progen.Prints}
	files := map[string]string{"go.mod": "module example.com/generated\n\ngo 1.26\n"}
	const perPackage = 50
	for i := range n {
		dir := fmt.Sprintf("p%d", i/perPackage)
		p := progen.Generate(deep.Seed()+uint64(i), sets[i/perPackage%len(sets)])
		files[dir+"/"+p.Name+".go"] = p.Source()
		files[dir+"/"+p.Name+"_test.go"] = fmt.Sprintf("package main\n\nimport \"testing\"\n\nfunc Test%s(*testing.T) { %s() }\n", p.Name, p.Name)
		files[dir+"/helpers.go"], files[dir+"/main.go"] = progen.Helpers(), "package main\n\nfunc main() {}\n"
	}
	return files
}

// slow returns the entries of a run whose exploration took longer than seconds. Near the timeout,
// results depend on the speed of the machine.
func (p *processes) slow(out []byte, seconds float64) map[string]bool {
	m := make(map[string]bool)
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var x struct {
			Entry string
			Stats struct {
				Explore float64 `json:"explore_s"`
			}
		}
		if err := dec.Decode(&x); err != nil {
			p.t.Fatal(err)
		}
		m[x.Entry] = x.Stats.Explore > seconds
	}
	return m
}

// TestClusterGenerated: generated programs have the results of one process, with 1, 2 and 3 workers of
// which some are killed.
func TestClusterGenerated(t *testing.T) {
	if deep.Quick() {
		deep.Skip(t, "it starts processes")
	}
	dir := t.TempDir()
	n := deep.N(20, 500)
	for name, text := range generatedModule(n) {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, flags := range []string{"--all --outcomes", "", "--por=optimal --max-executions=3000 --all --outcomes", "--por=surw --max-executions=500 --all"} {
		args := append(strings.Fields(flags), "--timeout", "30s", "--run", "TestP")
		plain := newProcesses(t)
		plain.dir, plain.patience, plain.share = dir, 20*time.Minute, "20m"
		var out bytes.Buffer
		begun := time.Now()
		text := plain.wait(plain.run(&out, append(args, "--parallel", "1")...), &out)
		want, slow := plain.results(text), plain.slow(text, 10)
		t.Logf("%q: %d results in %v", flags, len(want), time.Since(begun))
		if len(want) < n {
			t.Fatalf("%d results, want more than %d", len(want), n)
		}
		for workers := 1; workers <= 3; workers++ {
			t.Run(fmt.Sprintf("%s %d", flags, workers), func(t *testing.T) {
				p := newProcesses(t)
				p.dir, p.patience, p.share = dir, 20*time.Minute, "20m"
				var out bytes.Buffer
				c := p.run(&out, append(p.inside(), args...)...)
				stop, killed := make(chan bool), 0
				var killer sync.WaitGroup
				killer.Go(func() {
					var list []*exec.Cmd
					for range workers {
						list = append(list, p.worker())
					}
					for {
						select {
						case <-stop:
							return
						case <-time.After(3 * time.Second):
							if killed < 10 { // then they may finish
								i := rand.IntN(len(list))
								kill(list[i])
								list[i] = p.worker()
								killed++
							}
						}
					}
				})
				got := p.wait(c, &out)
				close(stop)
				killer.Wait()
				same, late, later := 0, 0, p.slow(got, 25)
				for k, v := range p.results(got) {
					name := k[strings.LastIndexByte(k, ' ')+1:]
					switch {
					case strings.HasPrefix(k, "summary"): // it counts those, too, whose time was up
					case slow[name] || later[name]:
						late++
					case v != want[k]:
						t.Errorf("%s:\n%s\nwant\n%s", k, v, want[k])
					default:
						same++
					}
				}
				if t.Logf("%d are the same, %d take too long to compare; %d workers killed", same, late, killed); same < n*9/10 {
					t.Errorf("only %d of %d could be compared", same, n)
				}
			})
		}
	}
}
