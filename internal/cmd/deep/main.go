// Command deep runs the deep tier of the tests (package internal/deep), or a part of it:
//
//	deep [-minutes n] [-from n] [-seed n] [-jobs n] [area ...]
//
// The areas are the lines of .ci/areas: a name and packages. A unit of work is a test of a package
// of an area, or a mutant (package internal/mutation) in area mutants: some test has to fail for it.
// Those of area race are built with Go's race detector, and have the quick sizes; without a C compiler there
// are none.
// The units are in the order of the areas, and begin with number -from, modulo their number, so that short
// runs can begin elsewhere each time. The exit status is 1 if a unit
// fails, and 2 if one cannot be run; a unit that the minutes cut off is neither.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"hbcheck.dev/hbcheck/internal/mutation"
)

// A unit is a test of a package, or a mutant.
type unit struct {
	area, pkg, test string
	mutant          *mutation.Mutant
	race            bool // built with the race detector
}

func (u unit) String() string {
	if u.mutant != nil {
		return u.mutant.String()
	}
	if u.race {
		return u.pkg + " " + u.test + " -race"
	}
	return u.pkg + " " + u.test
}

func main() {
	minutes := flag.Float64("minutes", 0, "start nothing after this number of `minutes`, and stop what is running; 0: no bound")
	from := flag.Int("from", 0, "the first unit")
	seed := flag.Uint64("seed", 0, "the first seed of generated programs; 0: the time in seconds")
	jobs := flag.Int("jobs", 2, "units that run at the same time")
	list := flag.Bool("list", false, "print the units and run none")
	flag.Parse()
	units, err := unitsOf(flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "deep:", err)
		os.Exit(2)
	}
	if *list {
		for i, u := range units {
			fmt.Println(i, u.area, u)
		}
		return
	}
	if *seed == 0 {
		*seed = uint64(time.Now().Unix()) * 1000
	}
	first := *from % len(units)
	units = slices.Concat(units[first:], units[:first])
	os.Exit(run(units, *jobs, *seed, time.Duration(*minutes*float64(time.Minute))))
}

// unitsOf returns the units of the areas, or of all.
func unitsOf(areas []string) ([]unit, error) {
	f, err := os.Open(filepath.Join(".ci", "areas"))
	if err != nil {
		return nil, fmt.Errorf("%w (deep runs in the module's directory)", err)
	}
	defer f.Close()
	var units []unit
	known := make(map[string]bool)
	s := bufio.NewScanner(f)
	for s.Scan() {
		text, _, _ := strings.Cut(s.Text(), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		area := words[0]
		known[area] = true
		if len(areas) > 0 && !slices.Contains(areas, area) {
			continue
		}
		if area == "mutants" {
			list, err := mutation.Find(".")
			if err != nil {
				return nil, err
			}
			for i := range list {
				units = append(units, unit{area: area, mutant: &list[i]})
			}
			continue
		}
		race := area == "race"
		if race && !compilesC() {
			fmt.Fprintln(os.Stderr, "deep: the race detector needs a C compiler: area race is left out")
			continue
		}
		for _, dir := range words[1:] {
			tests, err := testsOf(dir)
			if err != nil {
				return nil, err
			}
			for _, t := range tests {
				units = append(units, unit{area: area, pkg: dir, test: t, race: race})
			}
		}
	}
	for _, a := range areas {
		if !known[a] {
			return nil, fmt.Errorf("there is no area %s in .ci/areas", a)
		}
	}
	if len(units) == 0 {
		return nil, errors.New("no tests")
	}
	return units, s.Err()
}

// compilesC reports whether there is the C compiler that the go command uses.
func compilesC() bool {
	out, err := exec.Command("go", "env", "CC").Output()
	if err != nil {
		return false
	}
	_, err = exec.LookPath(strings.TrimSpace(string(out)))
	return err == nil
}

// testsOf returns the test functions of a package, in the order of its files.
func testsOf(dir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("%s has no tests: %v", dir, err)
	}
	var tests []string
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") && fn.Name.Name != "TestMain" {
				tests = append(tests, fn.Name.Name)
			}
		}
	}
	return tests, nil
}

// run runs units, jobs at the same time, and returns the exit status.
func run(units []unit, jobs int, seed uint64, limit time.Duration) int {
	ctx, cancel := context.WithCancel(context.Background())
	if limit > 0 {
		ctx, cancel = context.WithTimeout(ctx, limit)
	}
	defer cancel()
	bins, err := os.MkdirTemp("", "deep")
	if err != nil {
		fmt.Fprintln(os.Stderr, "deep:", err)
		return 2
	}
	defer os.RemoveAll(bins)
	r := &runner{ctx: ctx, bins: bins, seed: seed, built: map[string]error{}}
	if r.mutants, err = mutants(bins, units); err != nil {
		fmt.Fprintln(os.Stderr, "deep:", err)
		return 2
	}
	queue := make(chan unit)
	var workers sync.WaitGroup
	for range jobs {
		workers.Go(func() {
			for u := range queue {
				r.unit(u)
			}
		})
	}
	for _, u := range units {
		if ctx.Err() != nil {
			break
		}
		queue <- u
	}
	close(queue)
	workers.Wait()
	fmt.Printf("deep: %d of %d units passed, %d failed, %d cut off\n", r.passed, len(units), r.failed, r.cut)
	return r.status
}

// mutants returns the runner for the mutants among units, nil if there are none.
func mutants(dir string, units []unit) (*mutation.Runner, error) {
	var list []mutation.Mutant
	for _, u := range units {
		if u.mutant != nil {
			list = append(list, *u.mutant)
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	return mutation.NewRunner(root, dir, list)
}

// runner runs units and counts their results.
type runner struct {
	ctx     context.Context
	bins    string
	seed    uint64
	mutants *mutation.Runner

	building sync.Mutex
	built    map[string]error

	mu                  sync.Mutex
	passed, failed, cut int
	status              int
}

// unit runs u.
func (r *runner) unit(u unit) {
	start := time.Now()
	var failure string
	var spent time.Duration
	var err error
	if u.mutant != nil {
		failure, spent, err = r.kill(u.mutant)
	} else {
		failure, spent, err = r.test(u)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.ctx.Err() != nil && (failure != "" || err != nil):
		r.cut++
		fmt.Printf("cut   %s\n", u)
	case err != nil:
		fmt.Fprintln(os.Stderr, "deep:", err)
		r.status = 2
	case failure != "":
		r.failed++
		r.status = max(r.status, 1)
		fmt.Printf("FAIL  %s: %s\n", u, failure)
	default:
		r.passed++
		fmt.Printf("ok    %-60s %6.1f s, %6.1f s of processor time\n", u, time.Since(start).Seconds(), spent.Seconds())
	}
}

// kill returns the fault of a mutant, "" if a test notices it, and the processor time.
func (r *runner) kill(x *mutation.Mutant) (failure string, spent time.Duration, err error) {
	_, failure, spent, err = r.mutants.Verdict(r.ctx, x)
	if failure != "" {
		failure += fmt.Sprintf("\nagain: go test ./internal/mutation -mutant %q", x)
	}
	return failure, spent, err
}

// test returns the failure of a test, "" if it passes, and the processor time.
func (r *runner) test(u unit) (failure string, spent time.Duration, err error) {
	bin, err := r.build(u.pkg, u.race)
	if err != nil {
		return "", 0, err
	}
	args := []string{"-test.run=^" + u.test + "$", "-test.timeout=0", "-test.count=1"}
	c := exec.CommandContext(r.ctx, bin, args...)
	c.Dir = u.pkg
	env := []string{"HBCHECK_TESTS=deep", fmt.Sprintf("HBCHECK_SEED=%d", r.seed)}
	if u.race {
		env = []string{"HBCHECK_TESTS=quick", "CGO_ENABLED=1"}
	}
	c.Env = append(os.Environ(), env...)
	c.WaitDelay = time.Second
	out, err := c.CombinedOutput()
	if c.ProcessState != nil {
		spent = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	if err != nil {
		failure = fmt.Sprintf("%v\n%s\nagain: %s go test %s -timeout=0 ./%s %q", err, out, strings.Join(env, " "), strings.Join(flags(u.race), " "), u.pkg, args)
	}
	return failure, spent, nil
}

// build builds a package's test binary, once.
func (r *runner) build(pkg string, race bool) (string, error) {
	r.building.Lock()
	defer r.building.Unlock()
	name := strings.ReplaceAll(pkg, "/", "_") + ".test"
	if race {
		name += "-race"
	}
	bin := filepath.Join(r.bins, name)
	err, ok := r.built[name]
	if !ok {
		args := append([]string{"test", "-vet=off", "-c", "-o", bin}, flags(race)...)
		c := exec.CommandContext(r.ctx, "go", append(args, "./"+pkg)...)
		if race {
			c.Env = append(os.Environ(), "CGO_ENABLED=1")
		}
		var out []byte
		out, err = c.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%s: %w\n%s", pkg, err, out)
		}
		r.built[name] = err
	}
	return bin, err
}

// flags returns the flags of the go command for tests.
func flags(race bool) []string {
	if race {
		// The machine's heap is not Go's: checkptr would refuse its pointers.
		return []string{"-tags=browser,cluster", "-race", "-gcflags=all=-d=checkptr=0"}
	}
	return []string{"-tags=browser,cluster"}
}
