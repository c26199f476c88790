package conformance

import (
	"flag"
	"fmt"
	"go/build"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/vm"
)

var liveness = flag.Int("liveness", 0, "run every `n`-th program of the distribution stepwise, with dead registers overwritten")

// TestLiveness runs programs of the distribution step by step: every access to
// memory is a step, and after each one all registers that are dead according to the compiler are
// overwritten. The output must not change.
func TestLiveness(t *testing.T) {
	root := filepath.Join(build.Default.GOROOT, "test")
	if _, err := os.Stat(filepath.Join(root, "helloworld.go")); err != nil {
		t.Skipf("this Go distribution has no test folder: %v", err)
	}
	if *liveness == 0 {
		t.Skip("takes a quarter of an hour: use -liveness 1, or -liveness 20 for every 20th program")
	}
	known := expected(t, "testdata/failures.txt")
	for k, v := range expected(t, "testdata/fixedbugs.txt") {
		known[k] = v
	}
	n := 0
	for _, dir := range []string{".", "chan", "ken", "interface", "typeparam", "fixedbugs"} {
		all, err := programs(root, dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range all {
			if n++; n%*liveness != 0 || known[p.path] != "" {
				continue
			}
			t.Run(p.path, func(t *testing.T) {
				want, err := os.ReadFile(filepath.Join(root, strings.TrimSuffix(p.path, ".go")+".out"))
				if err != nil && !os.IsNotExist(err) {
					t.Fatal(err)
				}
				got, done, err := stepwise(root, p)
				switch {
				case err != nil:
					t.Errorf("%v\n%s", err, tail(got))
				case done && got != string(want) || !strings.HasPrefix(string(want), got):
					t.Errorf("prints\n%s\nwant\n%s", tail(got), tail(string(want)))
				}
			})
		}
	}
}

// stepwise executes up to maxSteps steps of a random schedule of p.
func stepwise(root string, p program) (output string, done bool, err error) {
	const maxSteps = 100_000
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("%v\n%s", e, debug.Stack())
		}
	}()
	prog, err := load.Load(load.Config{Dir: root, Patterns: append([]string{p.path}, p.more...), Implicit: []string{"runtime"}, Cache: &library})
	if err != nil {
		return "", false, err
	}
	m, err := vm.New(prog, prog.Entries[0], vm.Config{
		Args: append([]string{"a.out"}, p.args...), Env: append(p.env, "PATH=/usr/bin:/bin", "HOME=/"),
		OrderedTime: true, RandFixed: true, MaxLocal: 1 << 22, Check: vm.CheckLiveness | vm.CheckStops,
	})
	if err != nil {
		return "", false, err
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range maxSteps {
		if m.Report().MainEnded() || m.Status() != por.Running {
			done = true
			break
		}
		all := m.Enabled(nil)
		g := all[rng.IntN(len(all))]
		m.Step(g, rng.IntN(m.Alternatives(g)))
	}
	output = m.Report().Output(1) + m.Report().Output(2)
	switch code, exited := m.Report().Exited(); {
	case m.Report().CutReason() != "" && !strings.Contains(m.Report().CutReason(), "step bound"):
		return output, done, fmt.Errorf("cut: %s", m.Report().CutReason())
	case m.Report().CutReason() != "":
		done = false
	case m.Report().Fault() != nil:
		return output, done, fmt.Errorf("%s", m.Report().Fault().Text())
	case exited && code != 0:
		return output, done, fmt.Errorf("exit status %d", code)
	case m.Status() == por.Stuck && !m.Report().MainEnded():
		return output, done, fmt.Errorf("deadlock")
	}
	return output, done, nil
}
