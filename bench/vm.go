package bench

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/testdata/benchmarks"
	"hbcheck.dev/hbcheck/vm"
)

// Sequential returns the names of the programs of the suite vm.
func Sequential() ([]string, error) {
	dirs, err := fs.ReadDir(benchmarks.FS(), "vm")
	var names []string
	for _, d := range dirs {
		names = append(names, d.Name())
	}
	return names, err
}

// SpeedRow compares the machine with compiled code on one program.
type SpeedRow struct {
	Program string
	Native  time.Duration // CPU time of the compiled program, the least of all runs
	Machine time.Duration // CPU time in the machine, without loading
}

// Ratio returns how many times longer the machine takes.
func (r *SpeedRow) Ratio() float64 { return r.Machine.Seconds() / r.Native.Seconds() }

// Geomean returns the geometric mean of the ratios and the greatest one.
func Geomean(rows []SpeedRow) (mean, worst float64) {
	sum := 0.0
	for i := range rows {
		q := rows[i].Ratio()
		sum += math.Log(q)
		worst = max(worst, q)
	}
	return math.Exp(sum / float64(max(1, len(rows)))), worst
}

// Speed runs program of the suite vm count times in the machine and count times
// compiled, by turns. It is an error if their results differ.
func (w *Workspace) Speed(ctx context.Context, program string, count int) (*SpeedRow, error) {
	bin := filepath.Join(w.dir, program+".bin")
	build := exec.CommandContext(ctx, "go", "build", "-o", bin, ".")
	build.Dir = filepath.Join(w.dir, "vm", program)
	build.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "PWD="+build.Dir)
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: go build: %v\n%s", program, err, out)
	}
	row := &SpeedRow{Program: program}
	for i := range max(1, count) {
		native, want, err := runNative(ctx, bin)
		if err != nil {
			return nil, fmt.Errorf("%s, compiled: %w", program, err)
		}
		machine, got, err := w.runMachine(ctx, program)
		if err != nil {
			return nil, fmt.Errorf("%s, in the machine: %w", program, err)
		}
		if got != want {
			return nil, fmt.Errorf("%s prints %.200q in the machine, want %.200q", program, got, want)
		}
		if i == 0 || native < row.Native {
			row.Native = native
		}
		if i == 0 || machine < row.Machine {
			row.Machine = machine
		}
	}
	return row, nil
}

// runNative runs a compiled program and returns its CPU time and its output.
func runNative(ctx context.Context, bin string) (time.Duration, string, error) {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, bin)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return 0, "", err
	}
	s := cmd.ProcessState
	return s.UserTime() + s.SystemTime(), out.String(), nil
}

// runMachine runs a program in the machine and returns the CPU time, which
// includes compiling to bytecode and initialising the library, and the output.
func (w *Workspace) runMachine(ctx context.Context, program string) (time.Duration, string, error) {
	prog, entry, err := w.load("vm/" + program)
	if err != nil {
		return 0, "", err
	}
	return timeMachine(ctx, prog, entry, []string{program})
}

// timeMachine is runMachine for a loaded program with arguments; the first argument is its name.
func timeMachine(ctx context.Context, prog *load.Program, entry *load.Entry, args []string) (time.Duration, string, error) {
	var out bytes.Buffer
	runtime.GC()
	c := cpuTime()
	end, err := describe.RunOnce(prog, entry, vm.Config{Args: args, Stdout: &out, Stderr: &out,
		Interrupt: func() bool { return ctx.Err() != nil }})
	c = cpuTime() - c
	switch {
	case err != nil:
		return 0, "", err
	case ctx.Err() != nil:
		return 0, "", context.Cause(ctx)
	case end.Unsupported != "":
		return 0, "", fmt.Errorf("%s", end.Unsupported)
	case end.Exit != 0:
		return 0, "", fmt.Errorf("exit status %d\n%s", end.Exit, &out)
	}
	return c, out.String(), nil
}
