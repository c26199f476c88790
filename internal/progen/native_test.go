package progen_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/vm"
)

// TestNative: the machine has all outcomes of compiled runs of generated programs without data races.
// (Programs with races may do more than any interleaving.)
func TestNative(t *testing.T) {
	deep.Skip(t, "compiles and runs programs")
	const want, runs = 40, 25
	var progs []*progen.Prog
	for seed := uint64(70_000); len(progs) < want; seed++ {
		p := progen.Generate(seed, progen.All&^progen.Prints)
		p.Source()
		if r := progen.Explore(p, maxStates); r.Complete && !r.Endless && len(r.Races) == 0 && len(r.Outcomes) > 1 {
			progs = append(progs, p)
		}
	}
	binary := compile(t, progs)
	b := loadBatch(t, progs)
	seen, known := 0, 0
	for _, p := range progs {
		m := b.machine(t, p, vm.Config{})
		got, _ := search(t, m, stateful.Full, por.Config{Match: true})
		observed := map[string]bool{}
		for i := range runs {
			o, ok := runNative(t, binary, p.Name, 1<<(i%3))
			if !ok {
				break // it never ends
			}
			if observed[o] {
				continue
			}
			observed[o] = true
			if !explains(got.outcomes, o) {
				t.Errorf("seed %d: not among the machine's outcomes: %s\n%s", p.Seed, o, numbered(p.Source()))
			}
		}
		seen += len(observed)
		known += len(got.outcomes)
	}
	t.Logf("%d programs, %d outcomes observed, %d known to the machine", len(progs), seen, known)
	if seen < want*3/2 {
		t.Errorf("only %d outcomes observed: the runs are all alike", seen)
	}
}

// compile builds the programs into one command.
func compile(t *testing.T, progs []*progen.Prog) string {
	dir := t.TempDir()
	files := map[string]string{"go.mod": "module generated\n\ngo 1.26\n", "helpers.go": progen.Helpers(), "main.go": progen.NativeMain(progs)}
	for _, p := range progs {
		files[strings.ToLower(p.Name)+".go"] = p.NativeSource()
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "build", "-o", "generated", ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(dir, "generated")
}

// runNative runs a program once and returns its outcome, without lines.
func runNative(t *testing.T, binary, name string, procs int) (outcome string, ok bool) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, name)
	cmd.Env = append(os.Environ(), fmt.Sprint("GOMAXPROCS=", procs))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 2) {
		return "", false
	}
	var printed []string
	for l := range strings.Lines(stdout.String()) {
		printed = append(printed, strings.TrimSpace(strings.TrimPrefix(l, "P ")))
	}
	first, _, _ := strings.Cut(stderr.String(), "\n")
	end := "exit"
	switch text, isFatal := strings.CutPrefix(first, "fatal error: "); {
	case err == nil:
	case strings.HasPrefix(text, "all goroutines are asleep"):
		end = "deadlock"
	case isFatal:
		end = "fatal: " + text
	default:
		end = "panic: " + lastPanic(stderr.String())
	}
	return progen.Outcome(printed, end), true
}

// explains reports whether the machine has an outcome. When main returns, the real program ends, while in
// the machine the other goroutines continue.
func explains(known map[string]bool, outcome string) bool {
	out, end, _ := strings.Cut(outcome, "|")
	for k := range known {
		o, e, _ := strings.Cut(k, "|")
		word, _, _ := strings.Cut(e, " ")
		if o == out && (e == end || word == end || end == "exit" && out != "" && word != "deadlock") {
			return true
		}
	}
	return false
}
