package mutation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Runner executes the tests that must notice mutants. It builds the tests of a package once. Its
// methods may be called from several goroutines.
type Runner struct {
	root, dir string
	schemata  *Schemata
	survivors map[string]bool // known ones

	mu     sync.Mutex
	bins   map[string]func() (string, error)        // test binaries by package
	passes map[string]func() (time.Duration, error) // the tests without a mutant, by their arguments
	skips  map[string]bool                          // by the arguments: a test is skipped on this machine
}

// NewRunner returns a Runner for mutants of the module in directory root. It writes into dir.
func NewRunner(root, dir string, list []Mutant) (*Runner, error) {
	all, err := Find(root)
	if err != nil {
		return nil, err
	}
	known, err := Survivors(root, all)
	if err != nil {
		return nil, err
	}
	s, err := NewSchemata(root, dir, list)
	if err != nil {
		return nil, err
	}
	return &Runner{
		root: root, dir: dir, schemata: s, survivors: known,
		bins:   make(map[string]func() (string, error)),
		passes: make(map[string]func() (time.Duration, error)),
		skips:  make(map[string]bool),
	}, nil
}

// Limits of mutated tests. A mutant that does not end, or uses all memory, exceeds them.
const (
	memoryLimit = 8 << 20 // KB of addresses
	timeLimit   = 20 * time.Minute
)

// Verdict executes the tests that must notice the mutant. killer is the failed test. wrong describes a
// mutant that survives but is not among the known survivors, or a known survivor that is killed; otherwise
// it is "". A mutant that survives while a test is skipped (for example without z3) is not judged.
func (r *Runner) Verdict(ctx context.Context, x *Mutant) (killer, wrong string, spent time.Duration, err error) {
	killer, spent, err = r.Kill(ctx, x)
	switch {
	case err != nil:
	case killer == "" && r.skipped(x):
		killer = "not judged: a test is skipped"
	case killer == "" && !r.survivors[x.String()]:
		wrong = fmt.Sprintf("%s survives [%s]", x, x.Killer)
	case killer != "" && r.survivors[x.String()]:
		wrong = fmt.Sprintf("%s is killed, but is listed in %s", x, survivors)
	}
	return killer, wrong, spent, err
}

// Kill executes the tests that must notice the mutant, in the full tier, and returns the failed test, ""
// if all pass, and the processor time. It is an error if the mutant does not compile, or if the tests fail
// without it.
func (r *Runner) Kill(ctx context.Context, x *Mutant) (string, time.Duration, error) {
	args, err := x.killer()
	if err != nil {
		return "", 0, err
	}
	once, err := r.once(ctx, args)
	if err != nil {
		return "", 0, fmt.Errorf("%s: without the mutant, %s: %w", x, strings.Join(args, " "), err)
	}
	out, spent, err := r.test(ctx, x, args, 10*once+30*time.Second)
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", spent, ctx.Err()
	case err == nil:
		return "", spent, nil
	case !errors.As(err, &exit):
		return "", spent, err
	case !exit.Exited():
		return "killed: " + exit.String(), spent, nil
	}
	for l := range strings.Lines(out) {
		says := func(s string) bool { return strings.Contains(l, s) }
		if says("--- FAIL") && says("/") || says("seed ") || says("panic:") || says("fatal error:") || says(", want ") {
			return strings.TrimSpace(l), spent, nil
		}
	}
	return "failed: " + out, spent, nil
}

// skipped reports whether one of the tests that must notice x was skipped without it.
func (r *Runner) skipped(x *Mutant) bool {
	args, _ := x.killer()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.skips[strings.Join(args, "\x00")]
}

// once returns the processor time of tests without a mutant.
func (r *Runner) once(ctx context.Context, args []string) (time.Duration, error) {
	r.mu.Lock()
	key := strings.Join(args, "\x00")
	f := r.passes[key]
	if f == nil {
		f = sync.OnceValues(func() (time.Duration, error) {
			out, spent, err := r.test(ctx, nil, append([]string{args[0], "-test.v"}, args[1:]...), time.Hour)
			if strings.Contains(out, "--- SKIP") {
				r.mu.Lock()
				r.skips[key] = true
				r.mu.Unlock()
			}
			switch {
			case err != nil:
				return 0, fmt.Errorf("%w\n%s", err, out)
			case strings.Contains(out, "no tests to run"):
				return 0, errors.New("no tests to run")
			}
			return spent, nil
		})
		r.passes[key] = f
	}
	r.mu.Unlock()
	return f()
}

// test executes tests with the mutant, or without any if it is nil, and returns their output and
// processor time, which limit bounds.
func (r *Runner) test(ctx context.Context, x *Mutant, args []string, limit time.Duration) (string, time.Duration, error) {
	pkg := args[0]
	bin, err := r.build(ctx, pkg)
	if err != nil {
		return "", 0, err
	}
	c := exec.CommandContext(ctx, "sh", "-c", fmt.Sprintf(`ulimit -t %d && ulimit -v %d && exec "$0" "$@"`, int(limit.Seconds()), memoryLimit),
		bin, "-test.failfast", "-test.timeout="+timeLimit.String())
	for _, a := range args[1:] {
		switch a {
		case "-run":
			a = "-test.run"
		case "-args":
			continue
		}
		c.Args = append(c.Args, a)
	}
	c.Dir = filepath.Join(r.root, pkg)
	number := 0
	if x != nil {
		number = r.schemata.Number(x)
	}
	c.Env = append(os.Environ(), "HBCHECK_TESTS=full", "HBCHECK_SEED=", "HBCHECK_MUTANT="+strconv.Itoa(number))
	if pkg == "./internal/histories" { // this test builds hbcheck
		c.Env = append(c.Env, "GOFLAGS=-overlay="+r.schemata.File)
	}
	c.WaitDelay = time.Second
	out, err := c.CombinedOutput()
	if c.ProcessState == nil {
		return "", 0, err
	}
	return string(out), c.ProcessState.UserTime() + c.ProcessState.SystemTime(), err
}

// build returns the test binary of a package.
func (r *Runner) build(ctx context.Context, pkg string) (string, error) {
	r.mu.Lock()
	f := r.bins[pkg]
	if f == nil {
		f = sync.OnceValues(func() (string, error) {
			bin := filepath.Join(r.dir, strings.ReplaceAll(strings.TrimPrefix(pkg, "./"), "/", "_")+".test")
			c := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-tags=cluster", "-overlay="+r.schemata.File, "-o", bin, pkg)
			c.Dir = r.root
			if out, err := c.CombinedOutput(); err != nil {
				return "", fmt.Errorf("%s: %w\n%s", pkg, err, r.schemata.named(string(out)))
			}
			return bin, nil
		})
		r.bins[pkg] = f
	}
	r.mu.Unlock()
	return f()
}
