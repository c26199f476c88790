package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// A BigProgram is a program of the suite big with its arguments: tens to thousands of goroutines, in an
// execution of 10^4 to 10^6 steps.
type BigProgram struct {
	Program string
	Args    string // separated by spaces
	Large   bool
}

// Name returns the program with its arguments.
func (s *BigProgram) Name() string { return strings.TrimSpace(s.Program + " " + s.Args) }

// BigPrograms returns the programs of the suite big. spread does the same work in each of its
// sizes.
func BigPrograms() []BigProgram {
	return []BigProgram{
		{"pool", "", false}, {"shards", "", false}, {"ring", "", false}, {"broadcast", "", false}, {"semaphore", "", false},
		{"pipeline", "", false}, {"fanin", "", false},
		{"spread", "10", false}, {"spread", "100", true}, {"spread", "1000", false}, {"spread", "10000", true},
	}
}

// BigRow compares one execution of a BigProgram: compiled, with the race detector, as hbcheck run executes
// it, and as a random walk. All times are CPU times, without loading and building.
type BigRow struct {
	BigProgram
	Native, Race, Run, Random time.Duration // Race is 0 where the race detector cannot be built
	Goroutines, Steps         int           // of the random walk
	Memory                    int64         // of the random walk, in bytes
}

func ratio(a, b time.Duration) float64 { return a.Seconds() / max(b.Seconds(), 1e-9) }

// PerStep returns the time of a step of the random walk.
func (r *BigRow) PerStep() time.Duration { return r.Random / time.Duration(max(1, r.Steps)) }

// Big measures s count times and keeps the least times. Each execution must end well.
func (w *Workspace) Big(ctx context.Context, s BigProgram, count int) (*BigRow, error) {
	row := &BigRow{BigProgram: s}
	args := strings.Fields(s.Args)
	native, err := w.build(ctx, s.Program)
	if err != nil {
		return nil, err
	}
	race, _ := w.build(ctx, s.Program, "-race") // without a C compiler there is no such binary
	for i := range max(1, count) {
		for _, x := range []struct {
			least *time.Duration
			once  func() (time.Duration, error)
		}{
			{&row.Native, func() (time.Duration, error) { return runBuilt(ctx, native, args) }},
			{&row.Race, func() (time.Duration, error) { return runBuilt(ctx, race, args) }},
			{&row.Run, func() (time.Duration, error) { return w.runBig(ctx, s.Program, args) }},
			{&row.Random, func() (time.Duration, error) { return w.walkBig(ctx, row, args) }},
		} {
			d, err := x.once()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.Name(), err)
			}
			if i == 0 || d < *x.least {
				*x.least = d
			}
		}
	}
	return row, nil
}

// build compiles a program of the suite and returns the file.
func (w *Workspace) build(ctx context.Context, program string, flags ...string) (string, error) {
	bin := filepath.Join(w.dir, program+strings.Join(flags, "")+".bin")
	cmd := exec.CommandContext(ctx, "go", append(append([]string{"build"}, flags...), "-o", bin, ".")...)
	cmd.Dir = filepath.Join(w.dir, "big", program)
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "PWD="+cmd.Dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: go build: %v\n%s", program, err, out)
	}
	return bin, nil
}

// runBuilt executes a compiled program; none if bin is empty.
func runBuilt(ctx context.Context, bin string, args []string) (time.Duration, error) {
	if bin == "" {
		return 0, nil
	}
	cmd := exec.CommandContext(ctx, bin, args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%v\n%s", err, out)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// runBig executes a program as hbcheck run does.
func (w *Workspace) runBig(ctx context.Context, program string, args []string) (time.Duration, error) {
	prog, entry, err := w.load("big/" + program)
	if err != nil {
		return 0, err
	}
	cpu, _, err := timeMachine(ctx, prog, entry, append([]string{program}, args...))
	return cpu, err
}

// walkBig executes one random walk, and notes its size in row.
func (w *Workspace) walkBig(ctx context.Context, row *BigRow, args []string) (time.Duration, error) {
	load := func() (*load.Program, *load.Entry, error) { return w.load("big/" + row.Program) }
	opts := explore.Options{POR: explorers.Lookup("random"), MaxExecs: 1, Seed: 1}
	x, err := measureProgram(ctx, load, row.Program, strings.Join(args, " "), vm.Config{Races: true, OrderedTime: true}, opts, 1)
	if err != nil {
		return 0, err
	}
	if len(x.result.Bugs) > 0 || x.result.Stats.Executions != 1 {
		return 0, fmt.Errorf("%d bugs in %d executions", len(x.result.Bugs), x.result.Stats.Executions)
	}
	row.Goroutines, row.Steps, row.Memory = x.result.Stats.Goroutines, x.result.Stats.MaxDepth, x.result.Stats.PeakBytes
	return x.cpu, nil
}
