package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/ignore"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/trace"
)

// Text writes results for people, in the manner of go test. An entry without a bug has one line. A
// bug has its position, the schedule as one lane per goroutine, the reason why it is a bug, and the
// command that replays it.
type Text struct {
	W        io.Writer
	Paths    Paths
	Verbose  bool   // every step of a schedule, not only where something changes
	Color    bool   // colour the text, for a terminal
	AnyTime  bool   // timers fired at any moment
	Hybrid   bool   // say which choices static facts made unnecessary
	Explain  string // the place of requested explanations, or empty
	Subtests bool   // the verdicts of all subtests, as with Verbose; otherwise only of those that fail
	Brief    bool   // many entries: a line for a package, and bugs; Verbose overrides it
	Again    string // the command that continues open entries with Flags; empty: the summary makes one
	Flags    string // flags of Again

	pkg     string // package of the results being written
	failed  bool
	elapsed time.Duration
	covered Coverages
	summary Summary

	// If Brief.
	lines   []*packageLine
	written int               // lines about bugs
	texts   map[string]string // the first entry with this text, by package and text
}

// Result implements Writer.
func (t *Text) Result(r *explore.Result, files []Files) error {
	t.summary.add(r)
	if t.Brief && !t.Verbose {
		return t.brief(r, files)
	}
	var b bytes.Buffer
	if t.pkg != r.Package {
		t.endPackage(&b)
		t.pkg = r.Package
	}
	if !r.Cached {
		t.elapsed += timeOf(r)
	}
	switch r.Verdict {
	case explore.OK:
		how := exhaustive(r, t.Verbose) + ": "
		status := "ok  "
		if r.NotRun != nil {
			status, how = "skip", NotRun(r.NotRun)+"; "+how
		}
		fmt.Fprintf(&b, "%s\t%s\t%s\t%s%s\t%s\n", status, r.Package, r.Entry, how, covered(r), took(r))
	case explore.Incomplete:
		how := exhaustive(r, t.Verbose) + ": "
		if r.Small != nil {
			how = ""
		} else if !onlyAssumed(r) {
			how = "incomplete" + with(r) + ": " + strings.Join(Incomplete(r), "; ") + "; no bug so far in "
		}
		what := covered(r)
		if r.Small != nil {
			what = tooBig(r)
		}
		fmt.Fprintf(&b, "??  \t%s\t%s\t%s%s\t%s\n", r.Package, r.Entry, how, what, took(r))
	case explore.Fail:
		t.failed = true
		t.bugs(&b, r, files)
	}
	if r.Verdict != explore.Fail && (t.Verbose || t.Subtests) {
		subtests(&b, r, true, false)
	}
	if r.Coverage != nil {
		fmt.Fprintf(&b, "    coverage: %s\n", Coverage(r))
		t.covered.Add(r)
	}
	if len(r.Alone) > 0 && r.Divided == 0 {
		fmt.Fprintf(&b, "    %s\n", alone(r))
	}
	if r.Verdict == explore.Incomplete {
		for _, l := range Weigh(r) {
			fmt.Fprintf(&b, "    %s\n", l)
		}
	}
	for _, bug := range r.Bugs {
		if bug.Warning && (t.Verbose || bug.Overtakes == nil && len(t.summary.find(&t.Paths, r.Entry, bug).entries) == 1) {
			t.warning(&b, bug, "")
		}
	}
	for _, a := range r.Aimed {
		fmt.Fprintf(&b, "    --target %q: reached in %d of %s\n", a.Target.String(), a.Met, count(a.Executions, "execution"))
	}
	if r.SolverTrouble != "" {
		fmt.Fprintf(&b, "    %s\n", solverTrouble(r))
	}
	if c := r.Stats.Checked; c != nil {
		pointers := uint64(c.Pointers.Pointers + c.Pointers.Interfaces)
		fmt.Fprintf(&b, "    static facts hold in %s: %s, %s; %s", count(c.Steps, "step"),
			count(pointers, "pointer"), count(uint64(c.Pointers.Calls), "call"), count(c.Skips, "skipped choice"))
		if c.Bounded > 0 {
			fmt.Fprintf(&b, ", %d of them not explored completely", c.Bounded)
		}
		fmt.Fprintln(&b)
	}
	if t.Hybrid && r.Hybrid != "" && r.Hybrid != oracle.None {
		eliminatedText(&b, r)
	}
	for i := range r.Explained {
		t.explained(&b, &r.Explained[i], r.Hybrid)
	}
	if t.Explain != "" && len(r.Explained) == 0 {
		fmt.Fprintf(&b, "    --explain %s: no choice was made or skipped there: no goroutine was about to execute an operation there"+
			" that could conflict with an enabled operation of another goroutine\n", t.Explain)
	}
	if len(r.Outcomes) > 0 {
		t.outcomes(&b, r)
	}
	return t.write(&b)
}

// bugs writes the bugs of a result.
func (t *Text) bugs(b *bytes.Buffer, r *explore.Result, files []Files) {
	fmt.Fprintf(b, "--- FAIL: %s (%s, %s)\n", r.Entry, search(r), seconds(timeOf(r)))
	subtests(b, r, t.Verbose || t.Subtests, t.Brief)
	first := true
	for i, bug := range r.Bugs {
		if bug.Warning {
			continue
		}
		if !first {
			fmt.Fprintln(b)
		}
		first = false
		f := t.summary.find(&t.Paths, r.Entry, bug)
		again, full := len(f.entries) > 1 && !t.Verbose, false
		switch {
		case !again && !t.inBrief(b, r, bug):
			t.bug(b, bug)
			full = true
		case again:
			fmt.Fprintf(b, "%s: %s: %s\nthe same as in %s, see above\n", t.Paths.Pos(bug.Pos), bug.Kind.Code(), firstLine(Message(bug)), f.entries[0])
		}
		if i < len(files) && files[i].Replay != "" {
			fmt.Fprintf(b, "replay: hbcheck replay %s\n", files[i].Replay)
		}
		if i < len(files) && files[i].Page != "" && full {
			fmt.Fprintf(b, "page:   %s\n", files[i].Page)
		}
	}
}

// solverTrouble returns a warning about the external solver.
func solverTrouble(r *explore.Result) string {
	return fmt.Sprintf("warning: --solver: %s; conditions that it did not answer were solved without it", r.SolverTrouble)
}

// Failed implements Writer.
func (t *Text) Failed(pkg, entry, why string) error {
	var b bytes.Buffer
	if t.pkg != pkg && (!t.Brief || t.Verbose) {
		t.endPackage(&b)
		t.pkg = pkg
	}
	if why, _, _ = strings.Cut(why, "\n"); entry == "" {
		fmt.Fprintf(&b, "FAIL\t%s [%s]\n", pkg, why)
	} else {
		t.failed = true
		t.summary.refused++
		if t.Brief && !t.Verbose {
			t.packageLine(pkg).unexplored++
		}
		fmt.Fprintf(&b, "!!  \t%s\t%s\tnot explored: %s\n", pkg, entry, why)
	}
	return t.write(&b)
}

// Close implements Writer.
func (t *Text) Close() error {
	var b bytes.Buffer
	if t.Brief && !t.Verbose {
		t.packageLines(&b)
	} else {
		t.endPackage(&b)
	}
	for _, path := range t.covered.Packages() {
		c := PackageCoverage(t.covered.All, path)
		fmt.Fprintf(&b, "coverage: %s of the statements in %s\n", c.Percent(), path)
	}
	t.end(&b)
	return t.write(&b)
}

// write writes b without control characters, which the program's texts may have.
func (t *Text) write(b *bytes.Buffer) error {
	text := Printable(b.String())
	if t.Color {
		text = coloured(text)
	}
	_, err := io.WriteString(t.W, text)
	return err
}

// endPackage writes go test's line for a package that has failed.
func (t *Text) endPackage(b *bytes.Buffer) {
	if t.failed {
		fmt.Fprintf(b, "FAIL\t%s\t%s\n", t.pkg, seconds(t.elapsed))
	}
	t.failed, t.elapsed = false, 0
}

// NotRun says why a test was not run: "skipped at x_test.go:5: needs a network".
func NotRun(n *describe.NotRun) string {
	if n.Skip == nil {
		return "TestMain did not run it"
	}
	s := "skipped at " + line(n.Skip.Pos)
	if text, _, _ := strings.Cut(strings.TrimSpace(n.Skip.Text), "\n"); text != "" {
		s += ": " + Printable(text)
	}
	return s
}

// bug writes one bug.
func (t *Text) bug(b *bytes.Buffer, x *bug.Bug) {
	fmt.Fprintf(b, "%s: %s: %s\n", t.Paths.Pos(x.Pos), x.Kind.Code(), indented(Message(x), t.open(x)))
	if s := foundIn(x); s != "" {
		fmt.Fprintf(b, "    %s\n", s)
	}
	inputs(b, shownInputs(x.Inputs))
	brief, bound := t.Brief && !t.Verbose, 0
	if brief {
		bound = briefRows
	}
	lanes(b, x.Events, t.Verbose, x, bound)
	if x.Untold {
		fmt.Fprintln(b, "     The schedule is not shown and not simplified, because time was up (--timeout). The replay file contains it.")
	} else {
		fmt.Fprintf(b, "why: %s\n", why(x))
	}
	if s := t.undecided(x); s != "" {
		fmt.Fprintln(b, s)
	}
	timed := func(e describe.Event) bool { return e.Kind.Row().On == trace.OnClock }
	if t.AnyTime && slices.ContainsFunc(x.Events, timed) {
		fmt.Fprintln(b, "     Timers fire at any moment here; with --time=virtual time passes only when no goroutine can continue.")
	}
	if x.Accesses != nil {
		raceBlock(b, x.Accesses)
	}
	if frames := x.Stack; len(frames) > 0 {
		if x.Kind == bug.Failure { // package testing is of no interest
			frames = slices.DeleteFunc(slices.Clone(frames), func(f describe.Frame) bool { return f.Std })
		}
		if len(frames) > 0 { // an example fails when it has returned
			fmt.Fprintf(b, "goroutine %s [running, %s]:\n", number(x), x.G)
			stack(b, frames, t.Verbose)
		}
	}
	waits := x.Kind == bug.Deadlock || x.Kind == bug.Leak || x.Kind == bug.Livelock
	if waits && !brief { // the schedule shows where they wait
		shown := x.Goroutines
		if !t.Verbose {
			shown = concerned(x)
		}
		for i, g := range shown {
			if i > 0 {
				fmt.Fprintln(b)
			}
			goroutine(b, g, t.Verbose)
		}
		if n := len(x.Goroutines) - len(shown); n > 0 {
			fmt.Fprintf(b, "\n(%s more; -v shows all)\n", count(n, "goroutine"))
		}
	}
	if len(x.Output) > 0 {
		fmt.Fprintf(b, "output of this execution:\n")
		text := shortened(strings.TrimSuffix(string(x.Output), "\n"), maxOutput)
		for _, l := range strings.SplitAfter(text, "\n") {
			fmt.Fprintf(b, "  | %s", l)
		}
		fmt.Fprintln(b)
	}
}

// inputs writes a line for each input; bytes without a name from one place are one text.
func inputs(b *bytes.Buffer, list []describe.Input) {
	for len(list) > 0 {
		in, n := &list[0], 0
		var text []byte
		for _, x := range list {
			isByte := x.Type == "byte" || x.Type == "uint8"
			if x.Name != "" || x.Param > 0 || !isByte || x.Pos != in.Pos {
				break
			}
			text = append(text, byte(x.Bits))
			n++
		}
		if n < 2 {
			fmt.Fprintf(b, "    input: %s at %s\n", inputText(in), line(in.Pos))
			list = list[1:]
			continue
		}
		fmt.Fprintf(b, "    input: bytes %q at %s\n", text, line(in.Pos))
		list = list[n:]
	}
}

// warning writes a line about something that is not a bug, which ends with entry, and its related places.
func (t *Text) warning(b *bytes.Buffer, bug *bug.Bug, entry string) {
	fmt.Fprintf(b, "%s: %s: warning: %s\n", t.Paths.Pos(bug.Pos), bug.Kind.Code(), indented(Message(bug), t.needs(bug)+entry))
	if s := foundIn(bug); s != "" {
		fmt.Fprintf(b, "    %s\n", s)
	}
	for _, x := range bug.Related {
		fmt.Fprintf(b, "    %s: %s\n", t.Paths.Pos(x.Pos), relatedMessage(&x))
	}
}

// outcomes writes the table of the endings of executions.
func (t *Text) outcomes(b *bytes.Buffer, r *explore.Result) {
	fmt.Fprintf(b, "outcomes of %s:\n", r.Entry)
	w := tabwriter.NewWriter(b, 0, 8, 2, ' ', 0)
	for _, o := range r.Outcomes {
		fmt.Fprintf(w, "  %d\t%q\t%s\t%s\n", o.Count, o.Output, o.Ending, shortSchedule(o.Events))
	}
	w.Flush()
}

// UnusedIgnores warns of //hbcheck:ignore comments that match no bug.
func UnusedIgnores(w io.Writer, paths Paths, ignores []*ignore.Comment) {
	for _, ig := range ignores {
		if !ig.Used {
			fmt.Fprintf(w, "%s: warning: unused //hbcheck:ignore: there is no %s here\n", Printable(paths.Pos(ig.Pos)), ig.Kind.Code())
		}
	}
}
