package main

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/selection"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/load/scale"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/por/sample"
	"hbcheck.dev/hbcheck/report"
	"hbcheck.dev/hbcheck/vm"
)

// stdCache keeps the standard library from one command to the next, in tests and hbcheck watch, which
// execute many in one process; nil otherwise.
var stdCache *load.Cache

// loadFlags select the code to load.
type loadFlags struct {
	dir  string
	tags []string
}

func (f *loadFlags) register(fs *pflag.FlagSet) {
	fs.StringVarP(&f.dir, "chdir", "C", "", "load the packages as seen from `dir`, as go -C does")
	fs.StringSliceVar(&f.tags, "tags", nil, "build with these additional `tags`, separated by commas")
}

func (f *loadFlags) config(patterns []string, tests bool) load.Config {
	cfg := load.Config{Dir: f.dir, Patterns: patterns, Tests: tests, Tags: f.tags, Implicit: []string{"runtime"}, Cache: stdCache}
	if stdCache == nil {
		if store := openOutlines(); store != nil {
			cfg.Outlines = store
			cfg.Build, _ = ownHash()
		}
	}
	return cfg
}

// exploreFlags are the flags of the explore command.
type exploreFlags struct {
	loadFlags
	machineFlags
	clusterFlags
	own                               ownFlags
	target                            targetFlag
	por, match, entry                 string
	allowLeak, leaks                  string
	symmetry                          string
	hybrid, explain                   string
	assume                            []string
	refuses                           bool // --assume=none
	first, all, verbose, strict, json bool
	noMain                            bool
	writeCorpus                       bool
	checkStatic, checkDuplicates      bool
	timeout, saveEvery, budget        time.Duration
	maxExecutions, maxStates          uint64
	maxSteps, preempt, jobs, count    int
	parallel                          int // entries explored at the same time
	maxMemory                         byteSize
	watch                             *memoryWatch // nil: no bound
	format, out, html, traceSearch    string
	cover                             bool
	baseline, writeBaseline, since    string
	known                             *known // nil: there is none
	baselineText                      []byte // text of the file that baseline names; nil: not read yet
	coverProfile                      string
	color                             string
	save                              string
	scale, calls                      string
	wishes                            []scale.Wish // the numbers that scale sets; nil: scale is off or auto
	resume                            bool
	mistaken                          bool // writing results has met a mistake of hbcheck itself
}

func (f *exploreFlags) register(fs *pflag.FlagSet) {
	f.loadFlags.register(fs)
	fs.StringVar(&f.por, "por", autoPOR, "explorer to use, by `name`: "+report.ExplorerNames(nil)+"; auto: a portfolio of them")
	fs.StringVar(&f.hybrid, "hybrid", "auto", "`auto|none|fa|patterns|mhb|parts|full`: static facts that remove scheduling choices. auto: parts for jpf without --preempt, none otherwise")
	fs.StringVar(&f.explain, "explain", "", "report the scheduling choices made and skipped at `file.go:line`, or in file.go, and the reasons for each; selects --por=jpf; other explorers need --hybrid, too")
	fs.BoolVar(&f.checkStatic, "check-static", false, "verify static facts: compare them with each step, and explore every choice that they skip (slow)")
	fs.BoolVar(&f.checkDuplicates, "check-duplicates", false, "report an error if two complete executions before the first crash are of the same class; for explorers that execute each class at most once: "+report.ExplorerNames(func(e *por.Explorer) bool { return e.NoDuplicates }))
	fs.StringVar(&f.match, "match", "auto", "`auto|on|off`: store the states visited, and explore no state twice. auto: on for full and jpf")
	fs.StringVar(&f.symmetry, "symmetry", "on", "`on|off`: treat states as equal that differ only by a permutation of identical goroutines (started by one go statement)")
	fs.StringVar(&f.entry, "entry", "", "explore `pkg.Func`, which need not be a test or main; with --symbolic it may have parameters")
	fs.BoolVar(&f.noMain, "no-main", false, "explore tests only, and no main functions")
	fs.BoolVar(&f.first, "first", false, "stop exploring an entry at its first bug: the default, unless --write-baseline is set")
	fs.BoolVar(&f.all, "all", false, "continue after the first bug of an entry, and find all of them")
	fs.BoolVar(&f.strict, "strict", false, "exit with status 3 if anything was assumed or not explored, and with status 1 for a warning, as for a bug")
	f.machineFlags.register(fs)
	fs.StringVar(&f.solver, "solver", "", "`"+strings.Join(vm.Solvers(), "|")+"`: program in PATH that decides the conditions on inputs that hbcheck's own rules do not decide. If it cannot decide one, the built-in SAT solver tries")
	fs.StringSliceVar(&f.assume, "assume", nil, "accept these assumptions about the environment, and try no other values: `words` from "+strings.Join(report.AssumedWords(), ", ")+", or all. none: accept no assumption; an entry with one is incomplete")
	fs.StringVar(&f.leaks, "leaks", "warn", "`error|warn|off`: how to report a goroutine that the entry could stop, but leaves behind in every schedule. A goroutine left behind in some schedules only, or by a function that the entry calls, is always an error")
	fs.StringVar(&f.allowLeak, "allow-leak", "", "accept leaked goroutines in functions that match `regexp`")
	fs.IntVarP(&f.jobs, "jobs", "j", 1, "explore one entry after the other, each with `n` workers; the verdict does not depend on n")
	fs.IntVar(&f.parallel, "parallel", runtime.GOMAXPROCS(0), "explore `n` entries side by side; results are printed in order")
	fs.Lookup("parallel").DefValue = "number of processors"
	fs.DurationVar(&f.timeout, "timeout", 10*time.Minute, "time limit for each entry, counted from the end of the build; 0: no limit")
	fs.DurationVar(&f.budget, "budget", 10*time.Minute, "time limit for all entries together, if there are several: first "+(firstTime/glances).String()+" for each, then "+firstTime.String()+" for each undecided one; the entries still undecided share the rest; 0: no limit, as with an explicit --timeout")
	fs.Uint64Var(&f.maxExecutions, "max-executions", 0, "limit on the executions of each entry; selects --por=optimal, unless an explorer is named; 0: no limit, or "+strconv.Itoa(sample.DefaultSamples)+" for explorers that sample")
	fs.IntVar(&f.maxSteps, "max-steps", -1, "limit on the steps of one execution: a longer execution is cut, and the search continues; 0: no limit; -1: 1,000,000, or 10,000 if no states are stored (the default)")
	fs.Uint64Var(&f.maxStates, "max-states", 0, "limit on the states stored for each entry; 0: no limit")
	f.maxMemory = byteSize(defaultMemory())
	fs.Var(&f.maxMemory, "max-memory", "limit on the memory of the search and on that of the program: `size` with K, M or G; 0: no limit. The process needs more: memory for the loaded source, and up to 512M for garbage")
	fs.IntVar(&f.preempt, "preempt", -1, "explore only schedules with at most `n` preemptions; -1: no limit (the default)")
	fs.StringVar(&f.calls, "calls", "auto", "`auto|whole|prompt|any`: whether other goroutines can interrupt a call of the standard library or another module. any: at each of its operations. whole: only while it waits, yields or calls your code (explorers full and jpf). prompt: whole, and goroutines without code of yours move before others. auto: any; if that does not end, whole; then prompt: the verdict names them as assumptions")
	f.own.register(fs)
	fs.StringArrayVar(&f.target.texts, "target", nil, "aim samples at a `situation`, where P, Q and R are FILE:LINE. race P Q: two goroutines are about to execute conflicting accesses; deadlock P Q: two goroutines are about to acquire their inner locks; before P Q: a goroutine executes P before another one executes Q; between P Q R: a goroutine executes P and then Q, and in between another one executes R. Implies --por=surw, unless another explorer is named")
	fs.StringVar(&f.scale, "scale", scaleAuto, "`off|auto|numbers`: explore a small version of an entry that is too big. auto: hbcheck chooses smaller numbers of goroutines and rounds in its test files; numbers: FILE:LINE=3 or NAME=3, separated by commas")
	fs.StringVar(&f.format, "format", "text", "`"+formatNames("|")+"`: output format, or several: text,sarif:out.sarif writes SARIF to a file; in GitHub Actions the default is text,github")
	fs.StringVar(&f.since, "since", "", "explore only entries that reach a change since the git `revision`, committed or not")
	fs.StringVar(&f.baseline, "baseline", "", "accept the findings listed in `file`, and report new ones only")
	fs.StringVar(&f.writeBaseline, "write-baseline", "", "write the findings of this run, and those of --baseline that are still there, to `file`; implies --all, unless --first is set")
	fs.BoolVar(&f.cover, "cover", false, "report the statements of the module that no execution reached, and the choices that were never taken both ways")
	fs.StringVar(&f.coverProfile, "coverprofile", "", "write a cover profile to `file`, for go tool cover; implies --cover")
	fs.IntVar(&f.count, "count", 1, "`n` is as for go test: with an explicit n of at least 1, hbcheck explores again instead of showing cached results; with 0 it explores nothing")
	fs.BoolVar(&f.json, "json", false, "the same as --format=json")
	fs.StringVarP(&f.out, "output", "o", ".hbcheck", "write replay files to `dir`")
	fs.StringVar(&f.html, "html", "auto", "write pages that show schedules in a browser, with an index, to `dir`; auto: beside the replay files; off: no pages")
	fs.StringVar(&f.color, "color", "auto", "`auto|always|never`: colour the text. auto: on a terminal, unless NO_COLOR is set")
	fs.BoolVar(&f.writeCorpus, "write-corpus", false, "write the arguments that make a fuzz target fail into its testdata/fuzz, where go test finds them")
	fs.BoolVar(&f.resume, "resume", false, "continue the searches that an earlier run with the same arguments saved when it was interrupted or killed, or reached --timeout")
	f.clusterFlags.register(fs)
	fs.StringVar(&f.save, "save", "auto", "save each search to `dir` every 30 seconds, and when it is stopped; auto: to hbcheck's cache; off: never")
	fs.BoolVarP(&f.verbose, "verbose", "v", false, "show every step of a schedule")
	fs.DurationVar(&f.saveEvery, "save-every", saveEvery, "save a search after each such interval")
	fs.StringVar(&f.traceSearch, "trace-search", "", "write a transcript of the search to `file`, for developers")
	for _, name := range []string{"trace-search", "save-every", "first"} {
		if err := fs.MarkHidden(name); err != nil {
			panic("BUG: " + err.Error())
		}
	}
}

// check refuses meaningless values, and flags that exclude each other. explore.Options.Check checks
// combinations of options.
func (f *exploreFlags) check() error {
	for _, c := range []struct {
		bad  bool
		text string
	}{
		{f.maxSteps < -1 || f.timeout < 0 || f.budget < 0, "a limit cannot be negative"},
		{f.symmetry != "on" && f.symmetry != "off", fmt.Sprintf("--symmetry %s: want on or off", f.symmetry)},
		{f.color != "auto" && f.color != "always" && f.color != "never", fmt.Sprintf("--color %s: want auto, always or never", f.color)},
		{f.jobs < 1, fmt.Sprintf("-j %d: want 1 or more", f.jobs)},
		{f.parallel < 1 && f.cluster == "", fmt.Sprintf("--parallel %d: want 1 or more", f.parallel)},
		{f.parallel < 0, fmt.Sprintf("--parallel %d: want 0 or more", f.parallel)},
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
func (f *exploreFlags) options() (o explore.Options, sel selection.Options, err error) {
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
		return o, sel, fmt.Errorf("--por %s: no such explorer; want %s, or auto", f.por, report.ExplorerNames(nil))
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
	if err = f.parseScale(); err != nil {
		return o, sel, err
	}
	if err = f.target.parse(); err != nil {
		return o, sel, err
	}
	if o.Targets = f.target.targets; len(o.Targets) > 0 && !portfolio && !o.POR.Samples {
		return o, sel, fmt.Errorf("--target is for explorers that sample, such as --por=surw, and --por=%s does not", o.POR.Name)
	}
	if sel.Run, sel.Skip, sel.Bench, err = f.filters(); err != nil {
		return o, sel, err
	}
	rule, ok := map[string]explore.LeakRule{"error": explore.LeaksAreErrors, "warn": explore.LeaksWarn, "off": explore.LeaksOff}[f.leaks]
	if !ok {
		return o, sel, fmt.Errorf("--leaks %s: want error, warn or off", f.leaks)
	}
	o.Leaks = rule
	if f.allowLeak != "" {
		if o.AllowLeak, err = regexp.Compile(f.allowLeak); err != nil {
			return o, sel, fmt.Errorf("--allow-leak: %v", err)
		}
	}
	var unknown string
	if f.refuses = slices.Equal(f.assume, []string{"none"}); f.refuses {
		// No assumption is accepted.
	} else if o.Assume, unknown = report.Assume(f.assume); unknown != "" {
		return o, sel, fmt.Errorf("--assume %s: want words of %s, or all, or none", unknown, strings.Join(report.AssumedWords(), ", "))
	}
	sel.Entry, sel.Symbolic, sel.NoMain = f.entry, f.symbolic, f.noMain
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
		o.Jobs = 1 // searches by several workers are not saved
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
	o.Prompt = f.calls == "prompt"
	if o.WholeCalls = o.Prompt || f.calls == "whole"; !o.WholeCalls && f.calls != "any" && f.calls != "auto" {
		return fmt.Errorf("--calls %s: want auto, whole, prompt or any", f.calls)
	}
	return nil
}

// The default bounds on the steps of an execution. If no states are stored, an endless loop has no end, and
// explorers compare each step with all earlier ones.
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
