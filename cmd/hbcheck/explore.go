package main

import (
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
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/ignore"
	"hbcheck.dev/hbcheck/explore/selection"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/report"
)

func exploreCommand() *cobra.Command {
	var f exploreFlags
	cmd := &cobra.Command{
		Use:   "explore [flags] [packages|files] [-- args]",
		Short: "Explore every test and main function (the default command)",
		// Other tools call this command by these names.
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

// oneWorker returns the reason why only one worker explores although -j requests more; "": several workers
// explore.
func (f *exploreFlags) oneWorker(o *explore.Options) string {
	if f.resume && f.jobs > 1 {
		return fmt.Sprintf("-j %d: using one worker, because --resume continues a search with one worker", f.jobs)
	}
	return report.OneWorker(o)
}

// tellPairs prints how many pairs of parallel tests are not explored together, because there are too many. It
// reports whether there are any such pairs.
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

// worse combines the exit codes of several entries: a bug outweighs an incomplete search, and an entry that
// could not be explored outweighs a bug.
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
