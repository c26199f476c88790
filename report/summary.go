package report

import (
	"bytes"
	"cmp"
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"time"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/vm"
)

// A Summary is the part of a report about all entries together: the number of entries with each verdict,
// the assumptions, the timers that would have to be early, and the open entries.
type Summary struct {
	ok, failed, open, skipped, refused int
	small                              int // open entries with an exhaustive small version
	assumed                            []assumedBy
	early                              []earlyTimer
	findings                           []*finding
	unfinished                         []string // entries that more time may decide
	packages                           []string // packages of unfinished
	why                                []openReason
}

// assumedBy is an assumption of one kind.
type assumedBy struct {
	what    vm.Assumed
	places  []token.Position
	entries int
}

// An earlyTimer is a bug that is only a warning because it needs a timer to be early.
type earlyTimer struct {
	entry string
	bug   *bug.Bug
}

// openReason is why some entries were not explored completely.
type openReason struct {
	text    string         // text of the first one
	refused vm.RefusalCode // entries with the same code are together
	others  int            // entries with another text
	entries int
}

// line returns the reason, and the command that explains it if it is a refusal.
func (x *openReason) line() string {
	text := x.text
	if x.others > 0 {
		text += fmt.Sprintf(", and the like in %d of them", x.others)
	}
	if x.refused != "" {
		text += fmt.Sprintf(" (hbcheck explain refused-%s)", x.refused)
	}
	return text
}

// add adds the result of an entry.
func (s *Summary) add(r *explore.Result) {
	switch {
	case r.NotRun != nil && r.Verdict == explore.OK:
		s.skipped++
	case r.Verdict == explore.OK:
		s.ok++
	case r.Verdict == explore.Fail:
		s.failed++
	default:
		s.open++
		if r.Small != nil && r.Small.Exhaustive() {
			s.small++
		}
		text, refused := "time or memory was used up", vm.RefusalCode("")
		if !slices.ContainsFunc(r.Incomplete, outOfReach) {
			text, _, _ = strings.Cut(strings.Join(Incomplete(r), "; "), "\n")
			for _, x := range slices.Backward(r.Incomplete) {
				refused = cmp.Or(x.Refused.Code, refused)
			}
		}
		k := slices.IndexFunc(s.why, func(x openReason) bool {
			return x.text == text || refused != "" && x.refused == refused
		})
		if k < 0 {
			k = len(s.why)
			s.why = append(s.why, openReason{text: text, refused: refused})
		}
		s.why[k].entries++
		if s.why[k].text != text {
			s.why[k].others++
		}
		if slices.ContainsFunc(r.Incomplete, outOfReach) {
			s.unfinished = append(s.unfinished, r.Entry)
			if !slices.Contains(s.packages, r.Package) {
				s.packages = append(s.packages, r.Package)
			}
		}
	}
	for i, a := range r.Assumed {
		if r.Verdict == explore.Fail {
			break // a bug does not depend on assumptions
		}
		k := slices.IndexFunc(s.assumed, func(x assumedBy) bool { return x.what == a.What })
		if k < 0 {
			k = len(s.assumed)
			s.assumed = append(s.assumed, assumedBy{what: a.What})
		}
		x := &s.assumed[k]
		if !slices.ContainsFunc(r.Assumed[:i], func(b vm.Assumption) bool { return b.What == a.What }) {
			x.entries++
		}
		if a.Pos.IsValid() && !slices.Contains(x.places, a.Pos) {
			x.places = append(x.places, a.Pos)
		}
	}
	for _, bug := range r.Bugs {
		if bug.Warning && bug.Overtakes != nil {
			s.early = append(s.early, earlyTimer{r.Entry, bug})
		}
	}
}

// A finding is a bug or a warning that one or several entries have at the same place, with the same message
// except for the names of goroutines.
type finding struct {
	where, message string
	warning        bool
	lacks          string // a text about the feature that the execution lacked; only in brief
	entries        []string
}

// goroutineNames are the names of goroutines in a message.
var goroutineNames = regexp.MustCompile(`\bg[0-9]+(\.[0-9]+)*\b`)

// find returns the finding for a bug of an entry.
func (s *Summary) find(paths *Paths, entry string, bug *bug.Bug) *finding {
	f := findingOf(paths, bug)
	if i := s.index(f); i >= 0 {
		f = s.findings[i]
	} else {
		s.findings = append(s.findings, f)
	}
	if !slices.Contains(f.entries, entry) {
		f.entries = append(f.entries, entry)
	}
	return f
}

// has reports whether an earlier entry has the finding for bug.
func (s *Summary) has(paths *Paths, bug *bug.Bug) bool {
	return s.index(findingOf(paths, bug)) >= 0
}

func (s *Summary) index(f *finding) int {
	return slices.IndexFunc(s.findings, func(x *finding) bool {
		return x.where == f.where && x.message == f.message && x.warning == f.warning
	})
}

// findingOf returns the finding for bug, without entries.
func findingOf(paths *Paths, bug *bug.Bug) *finding {
	return &finding{where: paths.Pos(bug.Pos), warning: bug.Warning,
		message: bug.Kind.Code() + ": " + goroutineNames.ReplaceAllString(indented(Message(bug), ""), "g")}
}

// alsoIn returns the text about the entries that have f besides the first: "also in 2 other tests: TestB,
// TestC"; "" if there is none.
func (f *finding) alsoIn() string {
	if len(f.entries) < 2 {
		return ""
	}
	others := f.entries[1:]
	if len(others) == 1 {
		return "also in " + others[0]
	}
	return fmt.Sprintf("also in %d other entries: %s", len(others), someOf(others))
}

// repeated writes the findings that several entries have; if brief is set, it writes all warnings, and those
// about goroutines that the same entries leave on one line.
func (s *Summary) repeated(b *bytes.Buffer, brief bool) {
	written := make(map[*finding]bool)
	for i, f := range s.findings {
		n := len(f.entries)
		if written[f] || n < 2 && !(n == 1 && f.warning && brief) {
			continue
		}
		message, _, _ := strings.Cut(f.message, "\n")
		if f.warning {
			message = strings.Replace(message, ": ", ": warning: ", 1) // after the code
		}
		message += f.lacks
		if _, isLeft := f.left(); isLeft && brief {
			var others []string
			for _, o := range s.findings[i+1:] {
				//mutant: goroutines that other entries leave are on one line [test ./report TestLeftTogether]: "&& slices.Equal(f.entries, o.entries)" -> ""
				if name, isLeft := o.left(); isLeft && slices.Equal(f.entries, o.entries) {
					written[o] = true
					others = append(others, name+" at "+o.where)
				}
			}
			if len(others) > 0 {
				message += "; so are " + strings.Join(others, ", ")
			}
		}
		fmt.Fprintf(b, "in %s: %s: %s (%s)\n", entries(n), f.where, message, someOf(f.entries))
	}
}

// left returns the name of the goroutine that f is about, if f is a warning about one that stays after its
// entry.
func (f *finding) left() (name string, is bool) {
	_, text, is := strings.Cut(f.message, "goroutine left behind: ")
	name, _, found := strings.Cut(text, " waits ")
	return name, is && found && f.warning
}

// someOf names the first of a list.
func someOf(list []string) string {
	s := strings.Join(list[:min(len(list), maxPlaces)], ", ")
	if n := len(list) - maxPlaces; n > 0 {
		s += fmt.Sprintf(" and %d more", n)
	}
	return s
}

// end writes the summary.
func (t *Text) end(b *bytes.Buffer) {
	s := &t.summary
	s.repeated(b, t.Brief && !t.Verbose)
	t.timers(b)
	s.assumptions(b)
	if t.Brief && !t.Verbose {
		for _, x := range s.why {
			fmt.Fprintf(b, "open: %s, because %s\n", entries(x.entries), x.line())
		}
	}
	if n := len(s.unfinished); n > 0 && s.total() > 1 {
		again := t.Again
		if again == "" {
			words := []string{"hbcheck", t.Flags, fmt.Sprintf("--timeout 1h --resume --run '%s'", anyOf(s.unfinished))}
			words = slices.DeleteFunc(append(words, s.packages...), func(w string) bool { return w == "" })
			again = strings.Join(words, " ")
		}
		fmt.Fprintf(b, "more time may decide %d of them: %s\n", n, again)
	}
	if s.total() > 1 {
		fmt.Fprintln(b, s.counts())
	}
}

func (s *Summary) total() int { return s.ok + s.failed + s.open + s.skipped + s.refused }

// counts returns the number of entries with each verdict, as text.
func (s *Summary) counts() string {
	var list []string
	open := "?? (not everything explored, no bug so far"
	if s.small > 0 {
		open += fmt.Sprintf("; %d with an exhaustive small version", s.small)
	}
	for _, x := range []struct {
		n    int
		what string
	}{
		{s.failed, "FAIL"}, {s.ok, "ok"}, {s.open, open + ")"}, {s.skipped, "skip"}, {s.refused, "!! (not explored)"},
	} {
		if x.n > 0 {
			list = append(list, fmt.Sprintf("%d %s", x.n, x.what))
		}
	}
	return fmt.Sprintf("%d entries: %s", s.total(), strings.Join(list, ", "))
}

// maxPlaces bounds the places of an assumption, and the entries with a timer, that the summary names.
const maxPlaces = 3

// sort puts the assumptions in the order of their kinds.
func (s *Summary) sort() {
	slices.SortStableFunc(s.assumed, func(x, y assumedBy) int { return int(x.what) - int(y.what) })
}

// assumptions writes what was assumed.
func (s *Summary) assumptions(b *bytes.Buffer) {
	if len(s.assumed) == 0 {
		return
	}
	s.sort()
	fmt.Fprintln(b, "assumed (hbcheck explain assuming):")
	for _, x := range s.assumed {
		a := assumptions[x.what]
		fmt.Fprintf(b, "    %s (%s)", a.what, a.how)
		if len(x.places) > 0 {
			fmt.Fprintf(b, " at %s", places(x.places))
		}
		if s.total() > 1 {
			fmt.Fprintf(b, ", in %s", entries(x.entries))
		}
		fmt.Fprintln(b)
	}
}

// entries prints a number of entries.
func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return Digits(uint64(n)) + " entries"
}

// places names some positions.
func places(list []token.Position) string {
	var words []string
	for _, pos := range list {
		words = append(words, line(pos))
	}
	return someOf(words)
}

// longTimer is a duration for which no machine is slow enough: a timer of at least this duration
// does not fire early.
const longTimer = time.Minute

// timers writes the entries that fail only if a timer is early.
func (t *Text) timers(b *bytes.Buffer) {
	list := t.summary.early
	if t.Verbose || len(list) == 0 {
		return
	}
	if len(list) == 1 {
		entry := ""
		//mutant: the only early timer is one of any entry [test ./report TestTimers]: "t.summary.total() > 1" -> "false"
		if t.summary.total() > 1 {
			entry = ", in " + list[0].entry
		}
		t.warning(b, list[0].bug, entry)
		return
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(x, y earlyTimer) int { return cmp.Compare(x.bug.Overtakes.Wait, y.bug.Overtakes.Wait) })
	var words []string
	for i, x := range list {
		//mutant: timers of an hour are named [test ./report TestTimers]: ">= longTimer" -> "< 0"
		if x.bug.Overtakes.Wait >= longTimer {
			words = append(words, fmt.Sprintf("%d with timers of a minute or more", len(list)-i))
			break
		}
		wait := ""
		if d := x.bug.Overtakes.Wait; d > 0 {
			wait = d.String() + ", "
		}
		words = append(words, fmt.Sprintf("%s (%s%s)", x.entry, wait, x.bug.Kind.Code()))
	}
	fmt.Fprintf(b, "warning: these fail only if a timer fires while goroutines can run, on a machine that is slow for that long: %s; -v shows each\n",
		someOf(words))
}

// anyOf returns a pattern of --run for tests of these names.
func anyOf(names []string) string {
	var list []string
	for _, name := range names {
		list = append(list, regexp.QuoteMeta(name))
	}
	slices.Sort(list)
	return "^(" + strings.Join(slices.Compact(list), "|") + ")$"
}
