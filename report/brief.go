package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"hbcheck.dev/hbcheck/explore"
)

// briefRows is how many rows a schedule has at most in a run of many entries, but for those that decide.
const briefRows = 10

// A packageLine is what a run of many entries says of a package that has no finding of its own to tell, as
// go test does.
//
//	ok  	example.com/queue	14 exhaustive	1.20s
//	??  	example.com/pool	31 exhaustive, 2 open: TestStress, TestResize	21.40s
//	FAIL	example.com/cache	8 exhaustive, 1 FAIL	3.02s
type packageLine struct {
	path                                    string
	exhaustive, failed, skipped, unexplored int
	open                                    []string // entries that were not explored completely
	fresh                                   bool     // one was not cached
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

// brief writes of a result only what a run of many entries tells at once, a bug that no other entry has had,
// and keeps the rest for the lines of packages and the summary.
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
			t.summary.find(&t.Paths, r.Entry, bug)
		}
	}
	return t.write(&b)
}

// again writes a line for each bug of a result if another entry has had all of them before, and reports
// whether that is so.
func (t *Text) again(b *bytes.Buffer, r *explore.Result, files []Files) bool {
	for _, bug := range r.Bugs {
		if !bug.Warning && !t.summary.has(&t.Paths, bug) {
			return false
		}
	}
	for i, bug := range r.Bugs {
		if bug.Warning {
			continue
		}
		first := t.summary.find(&t.Paths, r.Entry, bug).entries[0]
		fmt.Fprintf(b, "--- FAIL: %s: %s: %s, as in %s", r.Entry, t.Paths.Pos(bug.Pos), bug.Kind.Code(), first)
		if i < len(files) && files[i].Replay != "" {
			fmt.Fprintf(b, "; hbcheck replay %s", files[i].Replay)
		}
		fmt.Fprintln(b)
	}
	return true
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
