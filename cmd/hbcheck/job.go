package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nuid"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/ignore"
	"hbcheck.dev/hbcheck/explore/selection"
	"hbcheck.dev/hbcheck/internal/cluster/jetstream"
	"hbcheck.dev/hbcheck/internal/saved"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/report"
	"hbcheck.dev/hbcheck/vm"
)

// The messages between coordinator and workers. A run has a jobSpec and the program. Each task of the run has
// an entryTask, and the record of its result has an outcome.

// A jobSpec has the data that a worker needs besides the program. It has only those variables of the
// coordinator's environment that programs usually read, and so no secrets.
type jobSpec struct {
	Flags    []string // flags of the explore command
	Args     []string // arguments of the program
	Input    []byte   // contents of --stdin
	Baseline []byte   // contents of --baseline
	Env      []string
}

// notSent are the flags that concern only the coordinator.
var notSent = []string{"cluster", "ack-wait", "resume", "save", "save-every", "output", "format", "json", "verbose", "chdir", "color",
	"stdin", "baseline", "since", "parallel", "count", "write-corpus", "trace-search", "max-memory"}

// newJobSpec returns the spec of a run.
func newJobSpec(cmd *cobra.Command, w *wholeRun) jobSpec {
	spec := jobSpec{Args: w.f.args, Input: w.f.input, Baseline: w.f.baselineText}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(notSent, f.Name) && !(f.Name == "max-memory") {
			return
		}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			for _, v := range list.GetSlice() {
				spec.Flags = append(spec.Flags, "--"+f.Name+"="+v)
			}
			return
		}
		spec.Flags = append(spec.Flags, "--"+f.Name+"="+f.Value.String())
	})
	for _, s := range os.Environ() {
		if key, _, _ := strings.Cut(s, "="); isSent(key) {
			spec.Env = append(spec.Env, s)
		}
	}
	slices.Sort(spec.Env)
	return spec
}

// isSent reports whether workers get a variable of the environment. If a program reads another variable,
// the coordinator explores the entry (vm.HostLog).
func isSent(key string) bool {
	return strings.HasPrefix(key, "GO") || strings.HasPrefix(key, "LC_") ||
		slices.Contains([]string{"HOME", "LANG", "TZ", "TMPDIR", "USER", "CI", "PATH", "SHELL", "TERM"}, key)
}

// An entryTask is one attempt at an entry.
type entryTask struct {
	Entry   int
	Name    string
	Bound   time.Duration
	Final   bool
	Earlier *explore.Result // result of an earlier attempt, or nil

	Initialising time.Duration // explore.Options.Initialising
}

// An outcome is the result of an entryTask.
type outcome struct {
	Refused string // why workers cannot explore the entry
	Result  *explore.Result
	Crowded bool
	Err     string
	Mistake string // the text of a mistake of hbcheck itself
	Used    []int  // the comments of the run (//hbcheck:ignore) that accepted a bug
	Facts   []vm.HostFact
	By      string // the process
	Said    string // on stderr
}

// ownProcess identifies this process in outcomes.
var ownProcess = nuid.Next()

// perform explores an entry on this machine.
func (x *wholeRun) perform(ctx context.Context, e *explore.Entry, own explore.Options, flags *exploreFlags, final bool,
	earlier *explore.Result) (r *explore.Result, crowded bool, err error) {
	if final {
		own.Aims = x.aims(e)
	}
	scales := flags.scales(&own)
	if final && flags.explores(&own) {
		r, err = x.withParts(ctx, e, own, flags, earlier, func(own explore.Options) (*explore.Result, error) {
			if scales {
				return x.explored(ctx, e, own, flags, earlier)
			}
			r, _, err := x.f.one(ctx, *e, own)
			return r, err
		})
		return r, false, err
	}
	r, crowded, err = x.f.one(ctx, *e, own)
	again := err == nil && r.TooBig() && flags.explores(&own) && (scales || len(r.Parts()) > 0)
	return r, crowded || again, err
}

// elsewhere lets a worker explore an entry, and reports whether one did. Otherwise this process has to
// explore it.
func (x *wholeRun) elsewhere(stop context.Context, a *attempt, bound, initialising time.Duration, final bool,
	earlier *explore.Result) (crowded, done bool) {
	x.remote.enter(stop, !final)
	defer x.remote.leave()
	i := slices.IndexFunc(x.entries, func(e explore.Entry) bool { return e.Source == a.entry.Source })
	pass := 1
	switch {
	case final:
		pass = 3
	case earlier != nil:
		pass = 2
	}
	t := &entryTask{Entry: i, Name: a.entry.Name, Bound: bound, Initialising: initialising, Final: final, Earlier: earlier}
	o, err := x.remote.explore(stop, fmt.Sprintf("e%d.%d", i, pass), t)
	switch {
	case errors.Is(err, errNotHere):
		return false, false
	case err != nil && stop.Err() != nil:
		if a.result = earlier; earlier == nil {
			a.skipped = true
		}
		return false, true
	case err != nil:
		a.err = err
		return false, true
	}
	for _, f := range o.Facts {
		//mutant: the answers of another host are taken for those of this one [test ./cmd/hbcheck TestCluster/workers1]: false
		if o.By != ownProcess && !f.Holds(environ("", x.f.env)) {
			return false, false // the outcome depends on another host
		}
	}
	x.remote.host(a.entry.Source).Add(o.Facts)
	x.remember(a.entry)
	for _, i := range o.Used {
		a.ignores[i].Used = true
	}
	a.result = o.Result
	if o.Said != "" || o.Mistake != "" {
		x.mu.Lock()
		fmt.Fprint(x.cmd.ErrOrStderr(), o.Said)
		x.mu.Unlock()
	}
	switch {
	case o.Mistake != "":
		a.err = internalError{o.Mistake, nil}
	case o.Err != "":
		a.err = errors.New(o.Err)
	}
	return o.Crowded, true
}

// remember adds the facts about the host that workers learned to the cache of results.
func (x *wholeRun) remember(e *explore.Entry) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.mem != nil && x.remote != nil {
		//mutant: a cached result of a run with workers depends on nothing [test ./cmd/hbcheck TestClusterCached]: remove
		x.mem.host(e.Source).Add(x.remote.host(e.Source).Facts())
	}
}

// A job is a run as a worker sees it.
type job struct {
	x       *wholeRun
	entries []explore.Entry
	dir     string // directory where the job's program was unpacked; "": the program is that of this process
}

// errStopped ends a task whose run is over, or whose worker leaves.
var errStopped = errors.New("the run is over")

// execute executes a task. The outcome is nil if ctx was done before the end.
func (j *job) execute(ctx context.Context, data []byte, w *worker, d *jetstream.Delivered) *outcome {
	t, o := new(entryTask), new(outcome)
	if err := saved.Unmarshal(data, t); err != nil {
		return &outcome{Refused: err.Error()}
	}
	if t.Entry >= len(j.entries) || j.entries[t.Entry].Name != t.Name {
		return &outcome{Refused: "the worker finds other entries in the program"}
	}
	w.describeTask(d, t.Name)
	e := &j.entries[t.Entry]
	own, flags, err := j.x.options(e)
	if err != nil {
		return &outcome{Err: report.Error(err)}
	}
	own.Progress, own.ProgressDue = nil, func() bool { return false }
	if t.Bound > 0 && (own.Timeout == 0 || t.Bound < own.Timeout) {
		own.Timeout, own.Share, own.Initialising = t.Bound, true, t.Initialising
	}
	m := newPieceExchange(ctx, w, d.Run, d.Task().Name, t.Entry, t.Name)
	own.Elsewhere = m
	o.Result, o.Crowded, err = j.x.perform(ctx, e, own, flags, t.Final, t.Earlier)
	m.close()
	var mistake internalError
	switch {
	case ctx.Err() != nil:
		return nil
	case errors.As(err, &mistake):
		o.Mistake = fmt.Sprintf("%v\n\n%s", mistake.mistake, mistake.stack)
	case err != nil:
		o.Err = report.Error(err)
	}
	for i, ig := range own.Ignores {
		if ig.Used {
			o.Used = append(o.Used, i)
		}
	}
	o.Facts, o.By = j.x.remote.host(e.Source).Facts(), ownProcess
	if len(m.facts) > 0 {
		o.Facts, o.By = append(o.Facts, m.facts...), ""
	}
	return o
}

// marshal returns the serial form of an outcome. If the outcome has no such form, marshal returns that of an
// outcome that says so.
func (o *outcome) marshal() (data []byte) {
	defer func() {
		if p := recover(); p != nil {
			data, _ = saved.Marshal(&outcome{Refused: fmt.Sprintf("its result has no serial form: %v", p)})
		}
	}()
	data, err := saved.Marshal(o)
	if err != nil {
		panic(err)
	}
	return data
}

// loadJob loads the program of a bundle that was unpacked into dir.
func loadJob(dir string, extra []byte, memory byteSize) (*job, error) {
	var spec jobSpec
	if err := saved.Unmarshal(extra, &spec); err != nil {
		return nil, err
	}
	f := new(exploreFlags)
	cmd := &cobra.Command{Use: "explore"}
	f.register(cmd.Flags())
	if err := cmd.Flags().Parse(spec.Flags); err != nil {
		return nil, err
	}
	f.args, f.input, f.baselineText, f.variables = spec.Args, spec.Input, spec.Baseline, spec.Env
	f.all = f.all || f.writeBaseline != "" && !f.first
	if memory > 0 && !cmd.Flags().Changed("max-memory") {
		f.maxMemory = memory
	}
	opts, sel, err := f.options()
	if err != nil {
		return nil, err
	}
	if err := f.machineFlags.check(false); err != nil {
		return nil, err
	}
	f.input = spec.Input
	cfg := f.config(nil, true)
	cfg.Cover = f.covers()
	cfg.Again = f.scale != scaleOff
	if err := cfg.Bundled(dir); err != nil {
		return nil, err
	}
	cfg.Env = spec.Env
	prog, err := loadProgram(cfg)
	if err != nil {
		return nil, err
	}
	x := &wholeRun{f: f, cmd: cmd, remote: &coordinator{hosts: make(map[*load.Entry]*vm.HostLog)}}
	if x.dirs, err = newDirectives(cmd, prog); err != nil {
		return nil, err
	}
	build := func(prog *load.Program, e *load.Entry, interrupted func() bool) (describe.Machine, error) {
		flags := x.dirs.flags(f, e).machineFlags
		flags.host = x.remote.host(e)
		return flags.build(prog, e, interrupted)
	}
	if x.entries, err = selection.Select(prog, sel, build); err != nil {
		return nil, err
	}
	if opts.Ignores, err = ignore.Comments(prog); err != nil {
		return nil, err
	}
	if opts.MaxMemory > 0 {
		f.watch = newMemoryWatch(opts.MaxMemory)
	}
	x.opts, x.one = opts, len(x.entries) == 1
	x.files = &replayFiles{paths: report.Paths{Base: prog.Dir, Source: prog.Source}, patterns: cfg.Patterns, loaded: matchedPaths(prog), flags: f}
	if f.known, err = f.readKnown(x.files.paths); err != nil {
		return nil, err
	}
	cmd.SetErr(io.Discard)
	return &job{x: x, entries: x.entries, dir: dir}, nil
}

// unpackJob unpacks and loads the program of a run into a directory of its own.
func unpackJob(data []byte, run string, memory byteSize) (*job, error) {
	dir := filepath.Join(clusterDir(), fmt.Sprintf("program-%s-%d", run, os.Getpid()))
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	extra, err := load.Unpack(bytes.NewReader(data), dir)
	if err == nil {
		var j *job
		if j, err = loadJob(dir, extra, memory); err == nil {
			return j, nil
		}
	}
	os.RemoveAll(dir)
	return nil, err
}
