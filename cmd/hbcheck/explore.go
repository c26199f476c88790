package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/ignore"
	"hbcheck.dev/hbcheck/explore/selection"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/report"
)

func exploreCommand() *cobra.Command {
	var f exploreFlags
	cmd := &cobra.Command{
		Use:   "explore [flags] [packages|files] [-- args]",
		Short: "Explore every test and main function (the default command)",
		// The name of the command in other tools.
		SuggestFor: []string{"test", "check", "verify"},
		Long: `Explore runs every entry of the packages (each test, fuzz target, example and main
function, or the function named by --entry) under every schedule. Its verdict for each
is ok, FAIL with the simplest schedule found that shows the bug, or incomplete with the
reason. Arguments after -- are passed to the program (os.Args[1:]).`,
		RunE: func(cmd *cobra.Command, args []string) error {
			patterns, rest := splitArgs(args, cmd.ArgsLenAtDash())
			return f.explore(cmd, patterns, rest)
		},
	}
	f.register(cmd.Flags())
	cmd.Flags().SortFlags = false
	groupFlags(cmd, exploreGroups, explorerDocs())
	completeFlags(cmd)
	return cmd
}

// explorerDocs lists the explorers.
func explorerDocs() string {
	var b strings.Builder
	b.WriteString(`Explorers (--por). The default, auto, runs optimal, jpf and samples side by side. A flag
of one explorer selects that explorer. docs/explorers.md compares the explorers.
`)
	for _, e := range explorers.All() {
		fmt.Fprintf(&b, "  %-11s %s\n", e.Name, e.Doc)
	}
	return b.String()
}

func (f *exploreFlags) explore(cmd *cobra.Command, patterns, args []string) error {
	if !cmd.Flags().Changed("format") {
		f.format = defaultFormat()
	}
	if cmd.Flags().Changed("timeout") && !cmd.Flags().Changed("budget") {
		f.budget = 0
	}
	f.all = f.all || f.writeBaseline != "" && !f.first
	opts, sel, err := f.options()
	if err != nil {
		return err
	}
	if why := f.oneWorker(&opts); why != "" {
		fmt.Fprintln(cmd.ErrOrStderr(), why)
	}
	if err := f.machineFlags.check(cmd.Flags().Changed("seed") && !opts.POR.Samples && opts.Portfolio == nil); err != nil {
		return err
	}
	if f.count == 0 {
		return nil
	}
	f.args = args
	remote, err := f.joinCluster(cmd, patterns)
	if err != nil {
		return err
	}
	defer remote.close()
	progress := newProgress(cmd)
	progress.Start("loading")
	cfg := f.config(patterns, true)
	cfg.Loaded = progress.Loaded
	cfg.Cover = f.covers()
	cfg.Again = f.scale != scaleOff || remote != nil
	if remote != nil {
		cfg.GoAnswers = load.NewGoAnswers()
	}
	rd := roundOf(cmd)
	if rd != nil {
		cfg.GoAnswers = rd.answers
	}
	listing, err := load.List(cfg)
	if err != nil {
		progress.Clear()
		return err
	}
	mem := f.remember(cmd, listing, patterns)
	if mem != nil && f.since == "" {
		code, ok, err := mem.recallRun(f, rd.leavesOut(), cmd.ErrOrStderr(), func(entries int) report.Writer {
			return f.writer(cmd.OutOrStdout(), cmd.ErrOrStderr(), report.Paths{Base: listing.Dir()}, entries, advice(cmd, patterns))
		})
		if ok || err != nil {
			progress.Clear()
			if err == nil {
				err = status(code)
			}
			return err
		}
	}
	if remote != nil {
		f.save = "off" // the workers do the searches
	}
	sv, err := f.newSaves(cmd, listing, mem)
	if err != nil {
		return err
	}
	prog, broken, err := loadRest(listing)
	progress.Clear()
	if err != nil {
		return err
	}
	if broken != nil {
		complain(cmd.ErrOrStderr(), broken.Err)
	}
	dirs, err := newDirectives(cmd, prog)
	if err != nil {
		return errors.New(report.Error(err))
	}
	build := func(prog *load.Program, e *load.Entry, interrupted func() bool) (describe.Machine, error) {
		flags := dirs.flags(f, e).machineFlags
		if flags.host = remote.host(e); flags.host == nil {
			flags.host = sv.host(e, mem)
		}
		return flags.build(prog, e, interrupted)
	}
	entries, err := selection.Select(prog, sel, build)
	var none *load.NoEntryError
	if errors.As(err, &none) && broken == nil && len(none.Like)+len(none.Benchmarks) == 0 && !namesFile(patterns) {
		list, err := f.outputs()
		for _, path := range none.Paths {
			if err == nil && textOnStdout(list) {
				fmt.Fprintf(cmd.OutOrStdout(), "?   \t%s\t[no test files]\n", path)
			}
		}
		return err
	}
	if err != nil {
		return errors.New(report.Error(err))
	}
	if err := dirs.check(f, entries); err != nil {
		return errors.New(report.Error(err))
	}
	if f.writeCorpus {
		if err := corpusEntries(entries); err != nil {
			return err
		}
	}
	selected := len(entries)
	if f.since != "" {
		if entries, err = f.reached(listing.Dir(), prog, entries); err != nil {
			return fmt.Errorf("--since %s: %v", f.since, err)
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "--since %s: %d of %d entries reach what has changed\n", f.since, len(entries), selected)
	}
	if opts.Explain != nil && !opts.Explain.In(prog) {
		return fmt.Errorf("--explain %s: the program has no such place", f.explain)
	}
	if err := f.target.check(prog); err != nil {
		return err
	}
	if opts.Ignores, err = ignore.Comments(prog); err != nil {
		return errors.New(report.Error(err))
	}
	if f.traceSearch != "" {
		transcript, err := os.Create(f.traceSearch)
		if err != nil {
			return err
		}
		defer transcript.Close()
		opts.Trace = transcript
	}
	if opts.MaxMemory > 0 {
		f.watch = newMemoryWatch(opts.MaxMemory)
	}
	paths := report.Paths{Base: prog.Dir, Source: prog.Source}
	w := f.writer(cmd.OutOrStdout(), cmd.ErrOrStderr(), paths, len(entries), advice(cmd, patterns))
	files := &replayFiles{dir: f.out, release: prog.GoVersion, paths: paths, flags: f, patterns: patterns, loaded: matchedPaths(prog)}
	if f.known, err = f.readKnown(paths); err != nil {
		return err
	}
	code, err := f.exploreAll(cmd, entries, opts, dirs, mem, sv, w, files, listing, remote)
	if err != nil {
		return err
	}
	said := f.tellPairs(cmd.ErrOrStderr(), prog, sel)
	if err := f.known.close(cmd, sel == (selection.Options{}) && len(entries) == selected); err != nil {
		return err
	}
	if sel.Entry == "" {
		for _, d := range prog.Dropped {
			if sel.Run != nil {
				if ok, _ := sel.Run.Match(d.Name); !ok {
					continue
				}
			}
			if err := w.Failed(d.Path, d.Name, "it mentions declarations that the model of its package lacks"); err != nil {
				return err
			}
			if f.strict {
				code = worse(code, explore.Incomplete)
			}
		}
	}
	if broken != nil {
		for _, path := range broken.Paths {
			if err := w.Failed(path, "", "build failed"); err != nil {
				return err
			}
		}
		code = exitUsage
	}
	if err := w.Close(); err != nil {
		return err
	}
	if f.mistaken || files.mistaken {
		code = exitUsage
	}
	unused := slices.ContainsFunc(opts.Ignores, func(ig *ignore.Comment) bool { return !ig.Used })
	mem.close(mem.remembered() == selected && broken == nil && len(prog.Dropped) == 0 && !said && !unused)
	if code == exitOK && sel == (selection.Options{}) && len(entries) == selected {
		// Everything has been explored, so a comment that matched nothing never will.
		report.UnusedIgnores(cmd.ErrOrStderr(), paths, opts.Ignores)
	}
	return status(code)
}

// nextTime is advice about the next run: the command that explores the same entries with more time, where
// decided entries are cached and saved searches continue, and its flags without the selection of entries.
type nextTime struct{ again, flags string }

func advice(cmd *cobra.Command, patterns []string) nextTime {
	words := append([]string{"hbcheck"}, repeated(cmd)...)
	return nextTime{strings.Join(append(append(words, "--budget 1h --resume"), patterns...), " "),
		strings.Join(repeated(cmd, "run", "skip"), " ")}
}

// repeated returns the flags that a command needs to continue the searches of cmd, except those in but.
func repeated(cmd *cobra.Command, but ...string) (words []string) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		//mutant: the advice forgets flags [test ./cmd/hbcheck TestAdvice]: "!slices.Contains(but, f.Name)" -> "len(but) == 0"
		if !slices.Contains([]string{"budget", "timeout", "resume"}, f.Name) && !slices.Contains(but, f.Name) {
			values := []string{f.Value.String()}
			if list, ok := f.Value.(pflag.SliceValue); ok {
				values = list.GetSlice()
			}
			for _, v := range values {
				if strings.ContainsAny(v, " \t'\"\\|&;()<>$`*?[#~") {
					v = "'" + strings.ReplaceAll(v, "'", `'\''`) + "'"
				}
				words = append(words, fmt.Sprintf("--%s=%s", f.Name, v))
			}
		}
	})
	return words
}

// reached returns the entries that changes since f.since may affect.
func (f *exploreFlags) reached(dir string, prog *load.Program, entries []explore.Entry) (list []explore.Entry, err error) {
	changes, all, err := changesSince(dir, f.since)
	if err != nil || all {
		return entries, err
	}
	if out, err := filepath.Abs(f.out); err == nil { // hbcheck itself writes there
		changes = slices.DeleteFunc(changes, func(c load.Change) bool {
			rel, err := filepath.Rel(out, c.File)
			return err == nil && filepath.IsLocal(rel) && f.out != "."
		})
	}
	touched := prog.Touched(changes)
	for _, e := range entries {
		if touched.Reached(e.Source) {
			list = append(list, e)
		}
	}
	return list, nil
}

// namesFile reports whether one of the patterns is a file.
func namesFile(patterns []string) bool {
	return slices.ContainsFunc(patterns, func(s string) bool { return strings.HasSuffix(s, ".go") })
}

// status returns the error for an exit code; nil for success.
func status(code int) error {
	if code == exitOK {
		return nil
	}
	return exit(code)
}

// oneWorker returns the reason why only one worker explores although -j requests more; "" if there are
// more.
func (f *exploreFlags) oneWorker(o *explore.Options) string {
	if f.resume && f.jobs > 1 {
		return fmt.Sprintf("-j %d: using one worker, because --resume continues a search with one worker", f.jobs)
	}
	return report.OneWorker(o)
}

// tellPairs prints how many pairs of parallel tests are not explored together, because there are too many. It
// reports whether there are any.
func (f *exploreFlags) tellPairs(w io.Writer, prog *load.Program, sel selection.Options) bool {
	if sel.Entry != "" {
		return false
	}
	_, left := selection.Pairs(prog, sel)
	n := 0
	for _, more := range left {
		n += more
	}
	if n > 0 {
		fmt.Fprintf(w, "%d more pairs of parallel tests share variables; each test was explored alone (--run 'TestA\\+TestB' explores a pair)\n", n)
	}
	return n > 0
}

// used returns the number of comments in list that have accepted a bug.
func used(list []*ignore.Comment) (n int) {
	for _, ig := range list {
		if ig.Used {
			n++
		}
	}
	return n
}

// one explores one entry. crowded is set if memory was short while other entries were explored, too. A
// mistake of hbcheck's own is an error.
func (f *exploreFlags) one(ctx context.Context, e explore.Entry, opts explore.Options) (r *explore.Result, crowded bool, err error) {
	defer func() {
		if x := recover(); x != nil {
			r, err = nil, internalError{x, debug.Stack()}
		}
	}()
	if f.watch != nil {
		var release func() bool
		ctx, release = f.watch.watch(ctx)
		defer func() {
			if ctx.Err() != nil {
				debug.FreeOSMemory() // for the next entry
			}
			crowded = release()
		}()
	}
	r, err = explore.Run(ctx, e, opts)
	return r, false, err
}

// accept accepts the assumptions in r, unless the user refuses them.
func (f *exploreFlags) accept(r *explore.Result) {
	if !f.strict && !f.refuses {
		r.Accept()
	}
}

// worse combines the exit code so far with that of r.
func (f *exploreFlags) worse(code int, r *explore.Result) int {
	if f.strict && len(r.Bugs) > 0 {
		return worse(code, explore.Fail)
	}
	if !f.strict && r.Verdict == explore.Incomplete {
		return code
	}
	return worse(code, r.Verdict)
}

// worse combines the exit codes of several entries: a bug outweighs what was not covered, and an
// entry about which nothing is known outweighs a bug.
func worse(code int, v explore.Verdict) int {
	switch {
	case code == exitUsage:
		return exitUsage
	case v == explore.Fail || code == exitBug:
		return exitBug
	case v == explore.Incomplete:
		return exitIncomplete
	}
	return code
}

// newProgress returns the progress display on cmd's stderr.
func newProgress(cmd *cobra.Command) *report.Progress {
	w := cmd.ErrOrStderr()
	return &report.Progress{W: w, Terminal: isTerminal(w), Width: func() int { return width(w) }, Now: time.Now}
}

// width returns the number of columns of the terminal w; 0 if it is unknown.
func width(w io.Writer) int {
	f, ok := fileOf(w)
	if !ok {
		return 0
	}
	n, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return n
}

func isTerminal(w io.Writer) bool {
	f, ok := fileOf(w)
	return ok && term.IsTerminal(int(f.Fd()))
}

// replayFiles names and writes the replay files of one run.
type replayFiles struct {
	dir      string
	release  string // of Go
	paths    report.Paths
	flags    *exploreFlags
	patterns []string
	loaded   []string        // import paths of the packages that are loaded
	used     map[string]bool // stems
	mistaken bool            // a mistake of hbcheck's own
}

// write writes a replay file and a page for each bug of r that is not a warning, and returns the names by
// bug. If a file cannot be written, its name is empty, and write prints the reason on stderr.
func (x *replayFiles) write(stderr io.Writer, r *explore.Result) (names []report.Files) {
	if !slices.ContainsFunc(r.Bugs, func(b *bug.Bug) bool { return !b.Warning }) {
		return nil
	}
	stem := x.stem(r)
	back := x.paths.Base
	if dir, err := filepath.Abs(x.dir); err == nil {
		if rel, err := filepath.Rel(dir, back); err == nil {
			back = rel
		}
	}
	n := 0
	for _, b := range r.Bugs {
		if b.Warning {
			names = append(names, report.Files{})
			continue
		}
		n++
		names = append(names, x.bug(stderr, r, b, back, fmt.Sprintf("%s.%d", stem, n)))
	}
	return names
}

// matchedPaths returns the import paths of the packages that the patterns matched.
func matchedPaths(prog *load.Program) (list []string) {
	for _, p := range prog.Packages {
		if path := cmp.Or(p.ForTest, p.Path); !slices.Contains(list, path) {
			list = append(list, path)
		}
	}
	return list
}

// stem returns a name for the files of an entry that no other entry has, even if the case of letters makes
// no difference.
func (x *replayFiles) stem(r *explore.Result) string {
	if x.used == nil {
		x.used = make(map[string]bool)
	}
	name := explore.FileName(r.Entry)
	for n := 1; x.used[strings.ToLower(name)]; n++ {
		if name = explore.FileName(r.Package + "." + r.Entry); n > 1 {
			name = fmt.Sprintf("%s~%d", name, n)
		}
	}
	x.used[strings.ToLower(name)] = true
	return name
}

// bug writes the files of one bug, called stem. back is the path from the files' directory to that of the
// program. A mistake of hbcheck's own there does not affect other bugs.
func (x *replayFiles) bug(stderr io.Writer, r *explore.Result, b *bug.Bug, back, stem string) (files report.Files) {
	defer func() {
		//mutant: a mistake in writing the files of a bug loses all [test ./cmd/hbcheck TestMistakes]: "p != nil" -> "p != nil && stem == ``"
		if p := recover(); p != nil {
			complain(stderr, fmt.Errorf("warning: %s.%s: %w", r.Package, r.Entry, internalError{p, debug.Stack()}))
			x.mistaken = true
		}
	}()
	rep := &report.Replay{Tool: "hbcheck " + version(), Go: x.release, Package: r.Package, Entry: r.Entry,
		Dir: filepath.ToSlash(back), Patterns: []string{r.Package}, Tests: true, Tags: x.flags.tags,
		Args: x.flags.args, Options: x.flags.record()}
	//mutant: schedules are replayed without what the search found out [test ./cmd/hbcheck TestScripts/replayclock]: remove
	recordRefinement(rep.Options, r.Refinement)
	//mutant: schedules of all orders are replayed with some [test ./cmd/hbcheck TestScripts/orders]: false
	if r.AllOrders {
		rep.Options["maps"] = "all"
	}
	//mutant: the schedule of a subtest alone is replayed with the others [test ./cmd/hbcheck TestScripts/alone]: "b.Alone !=" -> "false && b.Alone !="
	if b.Alone != "" {
		rep.Options["run"] = exactly(b.Alone)
	}
	if k := r.Hybrid; k != "" && k != oracle.None {
		rep.Options["hybrid"] = string(k)
	}
	// The steps of initialisers depend on the loaded code: variables that nothing uses are not initialised.
	//mutant: schedules of initialisers are replayed with one package [test ./cmd/hbcheck TestReplayInit]: "r.Initialisers" -> "false"
	if r.Initialisers {
		rep.Patterns = x.loaded
	}
	if r.Package == "command-line-arguments" {
		rep.Patterns = x.patterns
	}
	rep.SetBug(b, x.paths)
	name := filepath.Join(x.dir, stem+".hbr")
	if err := report.WriteReplay(name, rep); err != nil {
		complain(stderr, fmt.Errorf("warning: no replay file: %w", err))
		name = ""
	}
	files.Replay = name
	files.Page = x.flags.page(stderr, r, b, x.paths, name, stem+".html")
	return files
}
