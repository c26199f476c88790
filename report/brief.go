package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/vm"
)

// briefRows bounds the rows of a schedule in a run of many entries, except decisive rows.
const briefRows = 10

// briefLines bounds the lines that a run of many entries writes about bugs in full. For further bugs, and
// for bugs with the text of an earlier one of the package, it writes only the kind, the reason, and where
// to find more.
const briefLines = 50

// briefMessage bounds the bytes of a bug's first line that such a run writes.
const briefMessage = 160

// A packageLine is the line for a package without new findings in a run of many entries, in the form of go
// test.
//
//	ok  	example.com/queue	14 exhaustive	1.20s
//	??  	example.com/pool	31 exhaustive, 2 open: TestStress, TestResize	21.40s
//	FAIL	example.com/cache	8 exhaustive, 1 FAIL	3.02s
type packageLine struct {
	path                                    string
	exhaustive, failed, skipped, unexplored int
	open                                    []string // entries that were not explored completely
	fresh                                   bool     // at least one result was not cached
	elapsed                                 time.Duration
}

// packageLine returns the line of a package.
func (t *Text) packageLine(path string) *packageLine {
	i := slices.IndexFunc(t.lines, func(l *packageLine) bool { return l.path == path })
	if i < 0 {
		i = len(t.lines)
		t.lines = append(t.lines, &packageLine{path: path})
	}
	return t.lines[i]
}

// brief writes only the part of a result that a run of many entries prints at once: a bug that no earlier
// entry has. It keeps the rest for the lines of packages and the summary.
func (t *Text) brief(r *explore.Result, files []Files) error {
	var b bytes.Buffer
	l := t.packageLine(r.Package)
	if !r.Cached {
		l.fresh = true
		l.elapsed += timeOf(r)
	}
	switch {
	case r.Verdict == explore.Fail:
		l.failed++
		if !t.again(&b, r, files) {
			t.bugs(&b, r, files)
			t.written += bytes.Count(b.Bytes(), []byte("\n"))
		}
	case r.Verdict == explore.Incomplete:
		l.open = append(l.open, r.Entry)
	case r.NotRun != nil:
		l.skipped++
	default:
		l.exhaustive++
	}
	if r.SolverTrouble != "" {
		fmt.Fprintf(&b, "%s: %s\n", r.Entry, solverTrouble(r))
	}
	for _, bug := range r.Bugs {
		if bug.Warning && bug.Overtakes == nil {
			f := t.summary.find(&t.Paths, r.Entry, bug)
			if bug.Lacks != vm.LackNothing {
				f.lacks = t.needs(bug)
			}
		}
	}
	return t.write(&b)
}

// again writes a line for each bug of a result, if each of them is known: an earlier entry has the
// bug, or one with its text. It reports whether it has written the lines.
func (t *Text) again(b *bytes.Buffer, r *explore.Result, files []Files) bool {
	for _, bug := range r.Bugs {
		//mutant: bugs with a text that is known take three lines [test ./report TestInBrief]: "&& t.texts[textKey(r, bug)] == \"\"" -> ""
		if !bug.Warning && !t.summary.has(&t.Paths, bug) && t.texts[textKey(r, bug)] == "" {
			return false
		}
	}
	for i, bug := range r.Bugs {
		if bug.Warning {
			continue
		}
		known := t.summary.has(&t.Paths, bug)
		first := t.summary.find(&t.Paths, r.Entry, bug).entries[0]
		fmt.Fprintf(b, "--- FAIL: %s: %s: %s, ", r.Entry, t.Paths.Pos(bug.Pos), bug.Kind.Code())
		if known {
			fmt.Fprintf(b, "as in %s", first)
		} else {
			fmt.Fprintf(b, "%s says the same: it may be one bug", t.texts[textKey(r, bug)])
		}
		if i < len(files) && files[i].Replay != "" {
			fmt.Fprintf(b, "; hbcheck replay %s", files[i].Replay)
		}
		fmt.Fprintln(b)
	}
	return true
}

// inBrief writes bug, of r, in a few lines if that is enough in a run of many entries, and reports
// whether it has done so.
func (t *Text) inBrief(b *bytes.Buffer, r *explore.Result, bug *bug.Bug) bool {
	if !t.Brief || t.Verbose {
		return false
	}
	if t.texts == nil {
		t.texts = make(map[string]string)
	}
	known := func(key string) (entry string) {
		if entry = t.texts[key]; key != "" && entry == "" {
			t.texts[key] = r.Entry
		}
		return entry
	}
	first, how := known(textKey(r, bug)), "says the same"
	//mutant: bugs that one case of a select decides have nothing in common [test ./report TestOneCase]: "byCase != \"\" && first == \"\"" -> "false"
	if byCase := known(caseKey(r, bug)); byCase != "" && first == "" {
		first, how = byCase, "needs the same case of the same select"
	}
	//mutant: every bug of many is written in full [test ./report TestInBrief]: "first == \"\" && t.written < briefLines" -> "true"
	if first == "" && t.written < briefLines {
		return false
	}
	message := firstLine(Message(bug))
	if n := briefMessage; len(message) > n {
		for !utf8.RuneStart(message[n]) {
			n--
		}
		message = message[:n] + "..."
	}
	fmt.Fprintf(b, "%s: %s: %s%s\n", t.Paths.Pos(bug.Pos), bug.Kind.Code(), message, t.open(bug))
	if first != "" {
		fmt.Fprintf(b, "     %s %s: it may be one bug. -v shows the schedule.\n", first, how)
	} else if !bug.Untold {
		fmt.Fprintf(b, "why: %s (-v shows the schedule)\n", why(bug))
	}
	if s := t.undecided(bug); s != "" {
		fmt.Fprintln(b, s)
	}
	return true
}

// textKey is the key in Text.texts of the program's text about a bug; "" if there is no text.
func textKey(r *explore.Result, bug *bug.Bug) string {
	if text := textOf(bug); text != "" {
		return r.Package + " " + text
	}
	return ""
}

// caseKey is the key in Text.texts of the only choice that a failure or a panic needs, the case of a select;
// "" if it needs none, or more.
func caseKey(r *explore.Result, b *bug.Bug) string {
	if b.Kind != bug.Failure && b.Kind != bug.Panic || b.Preemptions > 0 || b.Delay != nil || len(b.Inputs) > 0 {
		return ""
	}
	steps := picks(b)
	if len(choices(b)) != 1 || len(steps) != 1 {
		return ""
	}
	n := 0
	for i := range b.Events {
		if e := &b.Events[i]; !e.Blocked {
			if n++; n == steps[0] {
				return r.Package + " " + e.Pos.String() + " " + e.What
			}
		}
	}
	return ""
}

// textOf returns the program's text about a bug, without paths and the text after them. Two tests with the
// same text of a failure or a panic may have the same cause. It returns "" if there is no text of the
// program.
func textOf(b *bug.Bug) string {
	if b.Kind != bug.Failure && b.Kind != bug.Panic {
		return ""
	}
	text := firstLine(Message(b))
	var words []string
	for _, w := range strings.Fields(text) {
		if strings.ContainsAny(w, "/\\") {
			break
		}
		words = append(words, w)
	}
	if len(words) < 4 { // test failed: x
		return ""
	}
	return b.Kind.Code() + " " + strings.Join(words, " ")
}

// packageLines writes the lines of all packages.
func (t *Text) packageLines(b *bytes.Buffer) {
	for _, l := range t.lines {
		var list []string
		add := func(n int, what string) {
			if n > 0 {
				list = append(list, fmt.Sprintf("%d %s", n, what))
			}
		}
		add(l.exhaustive, "exhaustive")
		add(l.skipped, "skipped")
		add(l.failed, "FAIL")
		add(l.unexplored, "not explored")
		status := "ok  "
		if n := len(l.open); n > 0 {
			status = "??  "
			list = append(list, fmt.Sprintf("%d open: %s", n, someOf(l.open)))
		}
		if l.unexplored > 0 {
			status = "!!  "
		}
		if l.failed > 0 {
			status = "FAIL"
		}
		took := "(cached)"
		if l.fresh || l.unexplored > 0 {
			took = seconds(l.elapsed)
		}
		fmt.Fprintf(b, "%s\t%s\t%s\t%s\n", status, l.path, strings.Join(list, ", "), took)
	}
}
