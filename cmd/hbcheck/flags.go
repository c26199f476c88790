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
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/por/sample"
	"hbcheck.dev/hbcheck/report"
	"hbcheck.dev/hbcheck/vm"
)

// stdCache keeps the standard library from one command to the next, in tests, which execute many in
// one process; nil otherwise.
var stdCache *load.Cache

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
	return load.Config{Dir: f.dir, Patterns: patterns, Tests: tests, Tags: f.tags, Implicit: []string{"runtime"}, Cache: stdCache}
}

// exploreFlags are the flags of the explore command.
type exploreFlags struct {
	loadFlags
	machineFlags
	own                               ownFlags
	por, match, entry, allowLeak      string
	symmetry                          string
	hybrid, explain                   string
	assume                            []string
	first, all, verbose, strict, json bool
	writeCorpus                       bool
	checkStatic, checkDuplicates      bool
	timeout, saveEvery                time.Duration
	maxExecutions, maxStates          uint64
	maxSteps, preempt, jobs, count    int
	maxMemory                         byteSize
	watch                             *memoryWatch // nil: no bound
	format, out, html, traceSearch    string
	cover                             bool
	coverProfile                      string
	color                             string
	save                              string
	resume                            bool
}

func (f *exploreFlags) register(fs *pflag.FlagSet) {
	f.loadFlags.register(fs)
	fs.StringVar(&f.por, "por", autoPOR, "`name` of the explorer: "+report.ExplorerNames(nil)+"; or auto: a portfolio of them")
	fs.StringVar(&f.hybrid, "hybrid", "auto", "static facts that make choices unnecessary: `auto|none|fa|patterns|mhb|parts|full`; auto is parts for jpf without --preempt")
	fs.StringVar(&f.explain, "explain", "", "say which choices were made and skipped at `file.go:line`, or in file.go, and why; needs --hybrid")
	fs.BoolVar(&f.checkStatic, "check-static", false, "compare static facts with what happens, and explore what each skipped choice skips (slow)")
	fs.BoolVar(&f.checkDuplicates, "check-duplicates", false, "see that no class of complete executions is explored twice, up to the first crash; for explorers that claim it: "+report.ExplorerNames(func(e *por.Explorer) bool { return e.NoDuplicates }))
	fs.StringVar(&f.match, "match", "auto", "store states and explore none twice: `auto|on|off`")
	fs.StringVar(&f.symmetry, "symmetry", "on", "of states that are equal but for which of several goroutines started at one place has got how far, explore one: `on|off`")
	fs.StringVar(&f.entry, "entry", "", "explore `pkg.Func`, which need not be a test or main; with --symbolic it may have parameters")
	fs.BoolVar(&f.first, "first", false, "stop at the first bug of an entry (the default)")
	fs.BoolVar(&f.all, "all", false, "find all bugs of an entry")
	fs.BoolVar(&f.strict, "strict", false, "the exit status of a warning is that of a bug")
	f.machineFlags.register(fs)
	fs.StringVar(&f.solver, "solver", "", "ask a program in PATH about conditions on inputs that hbcheck's own rules do not decide, before its circuits: `"+strings.Join(vm.Solvers(), "|")+"`")
	fs.StringSliceVar(&f.assume, "assume", nil, "what of the environment may stay untried in a verdict that is ok: `words` of "+strings.Join(report.AssumedWords(), ", ")+", or all")
	fs.StringVar(&f.allowLeak, "allow-leak", "", "accept goroutines left behind in functions matching `regexp`")
	fs.IntVarP(&f.jobs, "jobs", "j", 1, "workers that explore an entry, `n`; the verdict does not depend on it")
	fs.DurationVar(&f.timeout, "timeout", 10*time.Minute, "time for each entry, once the program has been built; 0: no limit")
	fs.Uint64Var(&f.maxExecutions, "max-executions", 0, "executions for each entry; 0: no limit, for explorers that sample "+strconv.Itoa(sample.DefaultSamples))
	fs.IntVar(&f.maxSteps, "max-steps", -1, "steps of one execution; 0: no limit; -1: 1,000,000, or 10,000 where no states are stored; an execution that has more is cut, and the search continues")
	fs.Uint64Var(&f.maxStates, "max-states", 0, "states stored for each entry; 0: no limit")
	f.maxMemory = byteSize(defaultMemory())
	fs.Var(&f.maxMemory, "max-memory", "memory of an exploration, the search and the program in it, on top of what it takes to load it, and up to 512M that await collection: `size` with K, M or G; 0: no limit")
	fs.IntVar(&f.preempt, "preempt", -1, "explore only schedules with at most `n` preemptions; -1: no limit")
	f.own.register(fs)
	fs.StringVar(&f.format, "format", "text", "`text|json|sarif|github|junit|test2json`, several separated by commas: text,sarif:out.sarif writes the second one to a file; where GITHUB_ACTIONS is set text,github if there is no flag")
	fs.BoolVar(&f.cover, "cover", false, "say what no execution has reached of the module's code, and which choices were never taken both ways")
	fs.StringVar(&f.coverProfile, "coverprofile", "", "write a cover profile to `file`, for go tool cover; implies --cover")
	fs.IntVar(&f.count, "count", 1, "as go test has it: `1` explores again what is remembered of an earlier run, 0 explores nothing; more than once makes no difference")
	fs.BoolVar(&f.json, "json", false, "the same as --format=json")
	fs.StringVarP(&f.out, "output", "o", ".hbcheck", "`dir` for replay files")
	fs.StringVar(&f.html, "html", "auto", "`dir` for pages that show schedules in a browser, and an index of them; auto: next to the replay files; off: none")
	fs.StringVar(&f.color, "color", "auto", "colours in the text: `auto|always|never`; auto: on a terminal, unless NO_COLOR is set")
	fs.BoolVar(&f.writeCorpus, "write-corpus", false, "write the arguments with which a fuzz target fails to its testdata/fuzz, so that go test fails, too")
	fs.BoolVar(&f.resume, "resume", false, "go on with the searches that an earlier run with the same arguments has saved: it was killed or interrupted, or its time was up")
	fs.StringVar(&f.save, "save", "auto", "`dir` in which a search is saved every 30 seconds, and when it is stopped; auto: in hbcheck's cache; off: not")
	fs.BoolVarP(&f.verbose, "verbose", "v", false, "show every step of a schedule")
	fs.DurationVar(&f.saveEvery, "save-every", saveEvery, "save a search so often")
	fs.StringVar(&f.traceSearch, "trace-search", "", "write a transcript of the search to `file`, for developers")
	for _, name := range []string{"trace-search", "save-every"} {
		if err := fs.MarkHidden(name); err != nil {
			panic("BUG: " + err.Error())
		}
	}
}

// check refuses values that mean nothing by themselves, and flags that exclude each other. Which
// options go together is checked by explore.Options.Check.
func (f *exploreFlags) check() error {
	for _, c := range []struct {
		bad  bool
		text string
	}{
		{f.maxSteps < -1 || f.timeout < 0, "a limit cannot be negative"},
		{f.symmetry != "on" && f.symmetry != "off", fmt.Sprintf("--symmetry %s: want on or off", f.symmetry)},
		{f.color != "auto" && f.color != "always" && f.color != "never", fmt.Sprintf("--color %s: want auto, always or never", f.color)},
		{f.jobs < 1, fmt.Sprintf("-j %d: want 1 or more", f.jobs)},
		{f.preempt < -1, fmt.Sprintf("--preempt %d: want a number of preemptions, or -1 for no limit", f.preempt)},
		{f.count < 0, fmt.Sprintf("--count %d: want 0 or more", f.count)},
		{f.first && f.all, "--first and --all exclude each other"},
		{f.symbolic && f.entry == "", "--symbolic needs --entry: it calls that function with symbolic arguments"},
		{f.entry != "" && f.run != "", "--entry and --run exclude each other"},
	} {
		if c.bad {
			return errors.New(c.text)
		}
	}
	return nil
}

// options checks the flags and translates them.
func (f *exploreFlags) options() (o explore.Options, sel explore.Selection, err error) {
	if f.json {
		f.format = "json"
	}
	if _, err = f.outputs(); err != nil {
		return o, sel, err
	}
	if err = f.check(); err != nil {
		return o, sel, err
	}
	name, portfolio := f.chosen()
	if o.POR = explorers.Lookup(name); o.POR == nil {
		return o, sel, fmt.Errorf("--por %s: no such explorer; there are %s, and auto", f.por, report.ExplorerNames(nil))
	}
	if err = f.own.set(o.POR); err != nil {
		return o, sel, err
	}
	if err = f.facts(&o); err != nil {
		return o, sel, err
	}
	if err = f.search(&o); err != nil {
		return o, sel, err
	}
	if sel.Run, sel.Skip, sel.Bench, err = f.filters(); err != nil {
		return o, sel, err
	}
	if f.allowLeak != "" {
		if o.AllowLeak, err = regexp.Compile(f.allowLeak); err != nil {
			return o, sel, fmt.Errorf("--allow-leak: %v", err)
		}
	}
	var unknown string
	if o.Assume, unknown = report.Assume(f.assume); unknown != "" {
		return o, sel, fmt.Errorf("--assume %s: want words of %s, or all", unknown, strings.Join(report.AssumedWords(), ", "))
	}
	sel.Entry, sel.Symbolic = f.entry, f.symbolic
	o.All, o.Outcomes, o.Observe = f.all, f.outcomes, f.html != htmlOff
	if portfolio {
		if err = f.portfolio(&o); err != nil {
			return o, sel, errors.New(report.Error(err))
		}
	}
	if err = o.Check(); err != nil {
		return o, sel, errors.New(report.Error(err))
	}
	return o, sel, nil
}

// facts translates the flags about static facts.
func (f *exploreFlags) facts(o *explore.Options) (err error) {
	switch {
	case f.hybrid != "auto":
		if o.Hybrid, err = parseHybrid(f.hybrid); err != nil {
			return err
		}
	case o.POR.Name == "jpf" && f.preempt < 0:
		o.Hybrid, o.LazyAnalysis = oracle.Parts, true
	default:
		o.Hybrid = oracle.None
	}
	if f.explain != "" {
		p, err := parsePlace(f.explain)
		if err != nil {
			return fmt.Errorf("--explain %v", err)
		}
		o.Explain = &p
	}
	o.CheckStatic = f.checkStatic
	return nil
}

// search translates the flags about the search and its bounds.
func (f *exploreFlags) search(o *explore.Options) error {
	switch f.match {
	case "auto":
		o.Match = o.POR.Stateful
	case "on", "off":
		o.Match = f.match == "on"
	default:
		return fmt.Errorf("--match %s: want auto, on or off", f.match)
	}
	o.Symmetry = o.Match && f.symmetry == "on"
	f.heap = uint64(f.maxMemory)
	o.CheckDuplicates, o.Jobs, o.Seed = f.checkDuplicates, f.jobs, uint64(f.seed)
	if f.resume {
		o.Jobs = 1 // what several workers have done is not saved
	}
	o.MaxExecs, o.MaxSteps, o.MaxStates, o.MaxMemory = f.maxExecutions, f.maxSteps, f.maxStates, int64(f.maxMemory)
	o.Timeout = f.timeout
	if o.RaiseSteps = f.maxSteps < 0; o.RaiseSteps {
		o.MaxSteps = matchedSteps
		if !o.Match && !o.POR.Samples {
			o.MaxSteps = unmatchedSteps
		}
	}
	o.LimitPreempt, o.Preempt = f.preempt >= 0, max(0, f.preempt)
	return nil
}

// The bounds on the steps of an execution if none is given. Where no states are stored, a loop
// that continues forever has no end, and explorers compare each step with what happened before it.
const (
	matchedSteps   = 1_000_000
	unmatchedSteps = 10_000
)

// parseHybrid reads the value of --hybrid.
func parseHybrid(s string) (oracle.Kind, error) {
	k, ok := oracle.ParseKind(s)
	if !ok {
		return "", fmt.Errorf("--hybrid %s: want auto, none, fa, patterns, mhb, parts or full", s)
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
