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
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// Text writes results for people, in the manner of go test: one line for an entry without a bug;
// otherwise the bug with its position, the schedule as one lane per goroutine, the reason why it is
// a bug, and the command that replays it.
type Text struct {
	W        io.Writer
	Paths    Paths
	Verbose  bool   // every step of a schedule, not only where something changes
	Color    bool   // for a terminal
	AnyTime  bool   // timers fired at any moment
	Hybrid   bool   // say which choices static facts made unnecessary
	Explain  string // the place of requested explanations, or empty
	Subtests bool   // the verdicts of all subtests, as with Verbose; otherwise only of those that fail
	Brief    bool   // many entries: a line for a package, and bugs; Verbose overrides it
	Again    string // the command that continues open entries; empty: one is made for these,
	Flags    string // with these flags

	pkg     string // of the results being written
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
		subtests(&b, r, true)
	}
	if r.Coverage != nil {
		fmt.Fprintf(&b, "    coverage: %s\n", Coverage(r))
		t.covered.Add(r)
	}
	if len(r.Alone) > 0 {
		fmt.Fprintf(&b, "    %s\n", alone(r))
	}
	if r.Verdict == explore.Incomplete {
		for _, l := range Weigh(r) {
			fmt.Fprintf(&b, "    %s\n", l)
		}
	}
	for _, bug := range r.Bugs {
		if bug.Warning && (t.Verbose || bug.Overtakes == nil && len(t.summary.find(&t.Paths, r.Entry, bug).entries) == 1) {
			t.warning(&b, bug)
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
	subtests(b, r, t.Verbose || t.Subtests)
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

// solverTrouble is a warning.
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

// took returns the text about the time of the search for a result.
func took(r *explore.Result) string {
	if r.Cached {
		return "(cached)"
	}
	return seconds(timeOf(r))
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

// covered returns the text about the coverage of a search.
func covered(r *explore.Result) string {
	s := coveredBy(r)
	if x := r.Resumed; x != nil {
		precision := time.Second
		if x.Spent < 10*time.Second {
			precision /= 10
		}
		s += fmt.Sprintf(", resumed after %v (%s", x.Spent.Round(precision), count(x.Stats.Executions, "execution"))
		if x.Stats.States > 0 {
			s += ", " + count(x.Stats.States, "state")
		}
		s += ")"
	}
	return s
}

func coveredBy(r *explore.Result) string {
	if r.Auto && r.Verdict == explore.Incomplete && r.Sampled > 0 && ended(r) == 0 {
		s := count(r.Sampled, "sampled execution")
		if n := seen(r); n > 0 {
			s += ", " + count(n, "state")
		}
		return s + fmt.Sprintf(", %s, depth %d", count(r.Stats.Goroutines, "goroutine"), r.Stats.MaxDepth)
	}
	s := executions(&r.Stats.Stats)
	if r.Match || r.Stats.States > 0 {
		s += ", " + states(&r.Stats.Stats)
	}
	switch {
	case r.FallbackTo != "":
		s += " (of --por=" + r.FallbackTo + ")"
	case r.Auto:
		s += " (" + r.POR + ")"
	}
	for _, o := range r.Others {
		s += ", " + executions(&o.Stats)
		if o.Stats.States > 0 {
			s += ", " + states(&o.Stats)
		}
		s += " (" + o.POR + ")"
	}
	if r.Auto && r.Verdict == explore.Incomplete && r.Sampled > 0 {
		s += fmt.Sprintf(", %d sampled", r.Sampled)
	}
	if r.Known > 0 {
		s += ", " + count(r.Known, "known finding")
	}
	return s + fmt.Sprintf(", %s, depth %d", count(r.Stats.Goroutines, "goroutine"), r.Stats.MaxDepth)
}

// ended returns the number of executions of searches that have ended.
func ended(r *explore.Result) uint64 {
	n := r.Stats.Executions
	for _, o := range r.Others {
		n += o.Stats.Executions
	}
	return n
}

// seen returns the number of states that the searches have reached.
func seen(r *explore.Result) uint64 {
	n := r.Stats.States
	for _, o := range r.Others {
		n += o.Stats.States
	}
	return n
}

// executions returns the text about the number of executions.
func executions(s *por.Stats) string {
	text := count(s.Executions, "execution")
	if s.PartExecutions > 0 {
		text += fmt.Sprintf(" and %d of parts", s.PartExecutions)
	}
	return text
}

// states returns the text about the number of states.
func states(s *por.Stats) string {
	text := count(s.States, "state")
	if s.Exchanged+s.Equal > 0 {
		text += " up to symmetry"
	}
	return text
}

// search returns the text about the progress of a search that found a bug.
func search(r *explore.Result) string {
	if allSmall(r) {
		return "its small version: " + search(r.Small.Result)
	}
	how := "all schedules explored"
	switch {
	case r.FirstOnly:
		s := "stopped at the first bug, after " + count(r.Stats.Transitions, "step")
		if r.Auto {
			s += " of " + r.POR
		}
		if r.Within != nil {
			s += " with at most " + count(*r.Within, "preemption")
		}
		return s
	case !onlyAssumed(r):
		how = "incomplete" + with(r) + ": " + strings.Join(Incomplete(r), "; ")
	case len(r.Assumed) > 0:
		how += strings.TrimPrefix(exhaustive(r, false), "exhaustive")
	}
	return how + ", " + executions(&r.Stats.Stats)
}

// bug writes one bug.
func (t *Text) bug(b *bytes.Buffer, bug *explore.Bug) {
	fmt.Fprintf(b, "%s: %s: %s\n", t.Paths.Pos(bug.Pos), bug.Kind.Code(), indented(Message(bug), t.open(bug)))
	if s := foundIn(bug); s != "" {
		fmt.Fprintf(b, "    %s\n", s)
	}
	inputs(b, shownInputs(bug.Inputs))
	brief, bound := t.Brief && !t.Verbose, 0
	if brief {
		bound = briefRows
	}
	lanes(b, bug.Events, t.Verbose, bug, bound)
	if bug.Untold {
		fmt.Fprintln(b, "     The schedule is not shown and not simplified, because time was up (--timeout). The replay file contains it.")
	} else {
		fmt.Fprintf(b, "why: %s\n", why(bug))
	}
	if s := t.undecided(bug); s != "" {
		fmt.Fprintln(b, s)
	}
	timed := func(e describe.Event) bool { return e.Kind.Row().On == trace.OnClock }
	if t.AnyTime && slices.ContainsFunc(bug.Events, timed) {
		fmt.Fprintln(b, "     Timers fire at any moment here; with --time=virtual time passes only when no goroutine can continue.")
	}
	if bug.Accesses != nil {
		raceBlock(b, bug.Accesses)
	}
	if frames := bug.Stack; len(frames) > 0 {
		if bug.Kind == explore.Failure { // package testing is of no interest
			frames = slices.DeleteFunc(slices.Clone(frames), func(f describe.Frame) bool { return f.Std })
		}
		if len(frames) > 0 { // an example fails when it has returned
			fmt.Fprintf(b, "goroutine %s [running, %s]:\n", number(bug), bug.G)
			stack(b, frames, t.Verbose)
		}
	}
	waits := bug.Kind == explore.Deadlock || bug.Kind == explore.Leak || bug.Kind == explore.Livelock
	if waits && !brief { // the schedule shows where they wait
		shown := bug.Goroutines
		if !t.Verbose {
			shown = concerned(bug)
		}
		for i, g := range shown {
			if i > 0 {
				fmt.Fprintln(b)
			}
			goroutine(b, g, t.Verbose)
		}
		if n := len(bug.Goroutines) - len(shown); n > 0 {
			fmt.Fprintf(b, "\n(%s more; -v shows all)\n", count(n, "goroutine"))
		}
	}
	if len(bug.Output) > 0 {
		fmt.Fprintf(b, "output of this execution:\n")
		text := shortened(strings.TrimSuffix(string(bug.Output), "\n"), maxOutput)
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

// warning writes a line about something that is not a bug, and its related places.
func (t *Text) warning(b *bytes.Buffer, bug *explore.Bug) {
	fmt.Fprintf(b, "%s: %s: warning: %s\n", t.Paths.Pos(bug.Pos), bug.Kind.Code(), indented(Message(bug), t.needs(bug)))
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
func UnusedIgnores(w io.Writer, paths Paths, ignores []*explore.Ignore) {
	for _, ig := range ignores {
		if !ig.Used {
			fmt.Fprintf(w, "%s: warning: unused //hbcheck:ignore: there is no %s here\n", Printable(paths.Pos(ig.Pos)), ig.Kind.Code())
		}
	}
}

// WriteReplayed writes the steps of a schedule that has been replayed, all of
// them, and the bug it has shown, if any.
func WriteReplayed(w io.Writer, paths Paths, events []describe.Event, bug *explore.Bug) error {
	var b bytes.Buffer
	if bug != nil {
		t := &Text{Paths: paths, Verbose: true}
		t.bug(&b, bug)
	} else {
		lanes(&b, events, true, nil, 0)
	}
	_, err := io.WriteString(w, Printable(b.String()))
	return err
}

// DivergenceText returns the text about the difference between a replay and its recording.
func DivergenceText(paths Paths, d *explore.Divergence) string {
	one := func(e describe.Event) string {
		return strings.TrimSpace(fmt.Sprintf("%s  %s  %s  %s", e.Name, e.Kind, e.What, paths.Pos(e.Pos)))
	}
	s := fmt.Sprintf("step %d expected: %s\n", d.Step, one(d.Want))
	pad := strings.Repeat(" ", len(fmt.Sprintf("step %d ", d.Step)))
	switch d.Why {
	case explore.ExecutionEnded:
		return s + pad + "but:      the execution has ended"
	case explore.CannotMove:
		return s + pad + "but:      " + d.Want.Name + " cannot move"
	case explore.FewerAlternatives:
		return s + pad + "but:      there are fewer alternatives"
	}
	return s + pad + "found:    " + one(d.Got)
}
