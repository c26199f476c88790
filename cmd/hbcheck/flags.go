package main

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/por/sample"
)

// loadFlags say what to load.
type loadFlags struct {
	dir  string
	tags []string
}

func (f *loadFlags) register(fs *pflag.FlagSet) {
	fs.StringVarP(&f.dir, "chdir", "C", "", "load the packages as seen from `dir`")
	fs.StringSliceVar(&f.tags, "tags", nil, "additional build `tags`, separated by commas")
}

func (f *loadFlags) config(patterns []string, tests bool) load.Config {
	return load.Config{Dir: f.dir, Patterns: patterns, Tests: tests, Tags: f.tags, Implicit: []string{"runtime"}}
}

// exploreFlags are the flags of the explore command.
type exploreFlags struct {
	loadFlags
	machineFlags
	own                               ownFlags
	por, match, run, entry, allowLeak string
	hybrid, explain                   string
	first, all, verbose               bool
	checkStatic, checkDuplicates      bool
	timeout                           time.Duration
	maxExecutions, maxStates          uint64
	maxSteps, preempt, jobs           int
	maxMemory                         byteSize
	format, out                       string
}

func (f *exploreFlags) register(fs *pflag.FlagSet) {
	f.loadFlags.register(fs)
	fs.StringVar(&f.por, "por", "jpf", "`name` of the explorer: "+explorerNames())
	fs.StringVar(&f.hybrid, "hybrid", "auto", "static facts that make choices unnecessary: `auto|none|fa|patterns|mhb|full`; auto is mhb for --por=jpf without --preempt")
	fs.StringVar(&f.explain, "explain", "", "tell which choices were made and skipped at `file.go:line`, or in file.go, and why; needs --hybrid")
	fs.BoolVar(&f.checkStatic, "check-static", false, "compare static facts with what happens, and explore what each skipped choice skips (slow)")
	fs.BoolVar(&f.checkDuplicates, "check-duplicates", false, "see that no class of complete executions is explored twice, up to the first crash; for explorers that claim it: "+onceNames())
	fs.StringVar(&f.match, "match", "auto", "store states and explore none twice: `auto|on|off`")
	fs.StringVar(&f.run, "run", "", "explore only the entries whose name matches `regexp`")
	fs.StringVar(&f.entry, "entry", "", "explore `pkg.Func`, which need not be a test or main")
	fs.BoolVar(&f.first, "first", false, "stop at the first bug of an entry (the default)")
	fs.BoolVar(&f.all, "all", false, "find all bugs of an entry")
	f.machineFlags.register(fs)
	fs.StringVar(&f.allowLeak, "allow-leak", "", "accept goroutines left behind in functions matching `regexp`")
	fs.IntVarP(&f.jobs, "jobs", "j", 1, "workers that explore an entry, `n`; the result does not depend on it. For --por="+jobsNames())
	fs.DurationVar(&f.timeout, "timeout", 10*time.Minute, "time for each entry; 0: no limit")
	fs.Uint64Var(&f.maxExecutions, "max-executions", 0, "executions for each entry; 0: no limit, for explorers that sample "+strconv.Itoa(sample.DefaultSamples))
	fs.IntVar(&f.maxSteps, "max-steps", -1, "steps of one execution; 0: no limit; -1: 1,000,000, or 10,000 where no states are stored, and the search ends with the first one that has more")
	fs.Uint64Var(&f.maxStates, "max-states", 0, "states stored for each entry; 0: no limit")
	f.maxMemory = byteSize(defaultMemory())
	fs.Var(&f.maxMemory, "max-memory", "memory of the search, and of the program in it, as `size` with K, M or G; 0: no limit")
	fs.IntVar(&f.preempt, "preempt", -1, "explore only schedules with at most `n` preemptions; -1: no limit")
	f.own.register(fs)
	fs.StringVar(&f.format, "format", "text", "`text|json`")
	fs.StringVarP(&f.out, "output", "o", ".hbcheck", "`dir` for replay files")
	fs.BoolVarP(&f.verbose, "verbose", "v", false, "show every step of a schedule")
}

// options checks the flags and translates them.
func (f *exploreFlags) options() (explore.Options, explore.Selection, error) {
	var o explore.Options
	var sel explore.Selection
	var err error
	if o.POR = explorers.Lookup(f.por); o.POR == nil {
		return o, sel, fmt.Errorf("--por %s: no such explorer; there are %s", f.por, explorerNames())
	}
	if err := f.own.set(o.POR); err != nil {
		return o, sel, err
	}
	switch {
	case f.hybrid != "auto":
		if o.Hybrid, err = parseHybrid(f.hybrid); err != nil {
			return o, sel, err
		}
	case f.por == "jpf" && f.preempt < 0:
		o.Hybrid, o.Patient = oracle.MHB, true
	default:
		o.Hybrid = oracle.None
	}
	if f.explain != "" {
		p, err := parsePlace(f.explain)
		if err != nil {
			return o, sel, fmt.Errorf("--explain %v", err)
		}
		if o.Hybrid == oracle.None {
			return o, sel, errors.New("--explain needs --hybrid: without it there is a choice before every operation that others could meet")
		}
		o.Explain = &p
	}
	switch f.match {
	case "auto":
		o.Match = o.POR.Stateful
	case "on", "off":
		o.Match = f.match == "on"
	default:
		return o, sel, fmt.Errorf("--match %s: want auto, on or off", f.match)
	}
	switch {
	case o.Match && !o.POR.Stateful:
		return o, sel, fmt.Errorf("--match on: --por %s does not store states", f.por)
	case !o.Match && !o.POR.Stateless:
		return o, sel, fmt.Errorf("--match off: --por %s needs to store states", f.por)
	case f.format != "text" && f.format != "json":
		return o, sel, fmt.Errorf("--format %s: want text or json", f.format)
	case f.maxSteps < -1 || f.timeout < 0:
		return o, sel, fmt.Errorf("a limit cannot be negative")
	case f.preempt >= 0 && o.POR.NoPreemptionBound:
		return o, sel, fmt.Errorf("--preempt: --por %s leaves out schedules for which others stand, which may have more preemptions", f.por)
	case f.checkDuplicates && f.jobs > 1:
		return o, sel, fmt.Errorf("-j %d: --check-duplicates compares what one worker explores", f.jobs)
	case f.checkDuplicates && !o.POR.NoDuplicates:
		return o, sel, fmt.Errorf("--check-duplicates: --por %s may explore a class more than once; %s do not", f.por, onceNames())
	case f.jobs < 1:
		return o, sel, fmt.Errorf("-j %d: want 1 or more", f.jobs)
	case f.jobs > 1 && o.POR.Equivalence != "":
		return o, sel, fmt.Errorf("-j %d: --equivalence %s explores with one worker", f.jobs, o.POR.Equivalence)
	case f.jobs > 1 && !o.POR.Parallel:
		return o, sel, fmt.Errorf("-j %d: --por %s explores with one worker; several can be had with --por=%s", f.jobs, o.POR.Name, jobsNames())
	case f.preempt < -1:
		return o, sel, fmt.Errorf("--preempt %d: want a number of preemptions, or -1 for no limit", f.preempt)
	case f.first && f.all:
		return o, sel, fmt.Errorf("--first and --all exclude each other")
	case f.entry != "" && f.run != "":
		return o, sel, fmt.Errorf("--entry and --run exclude each other")
	}
	if f.run != "" {
		if sel.Run, err = regexp.Compile(f.run); err != nil {
			return o, sel, fmt.Errorf("--run: %v", err)
		}
	}
	if f.allowLeak != "" {
		if o.AllowLeak, err = regexp.Compile(f.allowLeak); err != nil {
			return o, sel, fmt.Errorf("--allow-leak: %v", err)
		}
	}
	f.heap = uint64(f.maxMemory)
	sel.Entry = f.entry
	o.All, o.Outcomes, o.CheckStatic, o.CheckDuplicates = f.all, f.outcomes, f.checkStatic, f.checkDuplicates
	o.MaxExecs, o.MaxSteps, o.MaxStates, o.MaxMemory = f.maxExecutions, f.maxSteps, f.maxStates, int64(f.maxMemory)
	if f.maxSteps < 0 {
		o.MaxSteps = matchedSteps
		if !o.Match && !o.POR.Samples {
			o.MaxSteps, o.StopTruncated = unmatchedSteps, true
		}
	}
	o.Seed, o.Jobs = uint64(f.seed), f.jobs
	o.LimitPreempt, o.Preempt = f.preempt >= 0, max(0, f.preempt)
	return o, sel, nil
}

// parseHybrid reads the value of --hybrid.
func parseHybrid(s string) (oracle.Kind, error) {
	k, ok := oracle.ParseKind(s)
	if !ok {
		return "", fmt.Errorf("--hybrid %s: there are none, fa, mhb, full", s)
	}
	return k, nil
}

// parsePlace reads file.go:line or file.go.
func parsePlace(s string) (oracle.Place, error) {
	p := oracle.Place{File: filepath.ToSlash(s)}
	if i := strings.LastIndexByte(s, ':'); i >= 0 {
		n, err := strconv.Atoi(s[i+1:])
		if err != nil || n <= 0 {
			return p, fmt.Errorf("%s: want file.go:line", s)
		}
		p.File, p.Line = filepath.ToSlash(s[:i]), n
	}
	if !strings.HasSuffix(p.File, ".go") {
		return p, fmt.Errorf("%s: want file.go:line", s)
	}
	return p, nil
}

// The bounds on the steps of an execution if none is given. Where no states are stored, a loop
// that goes on for ever has no end, and explorers look at what happened before each step.
const (
	matchedSteps   = 1_000_000
	unmatchedSteps = 10_000
)

func explorerNames() string {
	var names []string
	for _, e := range explorers.All() {
		names = append(names, e.Name)
	}
	return strings.Join(names, ", ")
}

// onceNames lists the explorers that explore no class twice.
func onceNames() string {
	var names []string
	for _, e := range explorers.All() {
		if e.NoDuplicates {
			names = append(names, e.Name)
		}
	}
	return strings.Join(names, ", ")
}

// jobsNames lists the explorers that can use several workers.
func jobsNames() string {
	var names []string
	for _, e := range explorers.All() {
		if e.Parallel {
			names = append(names, e.Name)
		}
	}
	return strings.Join(names, ", ")
}

// byteSize is a flag for a number of bytes: 512M, 4G, 4GiB.
type byteSize int64

func (b *byteSize) String() string {
	for _, u := range []struct {
		shift int
		name  string
	}{{30, "G"}, {20, "M"}, {10, "K"}} {
		if n := int64(*b); n > 0 && n&(1<<u.shift-1) == 0 {
			return fmt.Sprintf("%d%s", n>>u.shift, u.name)
		}
	}
	return strconv.FormatInt(int64(*b), 10)
}

func (b *byteSize) Set(s string) error {
	num := strings.TrimSuffix(strings.TrimSuffix(s, "B"), "i")
	shift := 0
	if num != "" {
		if i := strings.IndexByte("KMGT", num[len(num)-1]); i >= 0 {
			shift, num = 10*(i+1), num[:len(num)-1]
		}
	}
	n, err := strconv.ParseInt(num, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64>>shift {
		return fmt.Errorf("want a number of bytes such as 512M or 4G")
	}
	*b = byteSize(n << shift)
	return nil
}

func (b *byteSize) Type() string { return "size" }
