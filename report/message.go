package report

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/por"
)

// Message returns the sentence that describes the bug.
func Message(b *bug.Bug) string { return shortened(message(b), maxMessage) }

// maxMessage bounds the bytes that are shown of a message, which may quote a panic of any size.
const maxMessage = 8 << 10

// shortened returns at most the first n bytes of s, with the number of omitted bytes.
func shortened(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return fmt.Sprintf("%s... (%s left out)", s[:n], count(len(s)-n, "byte"))
}

// indented returns a message with more after its first line, and the other lines indented as go test does.
func indented(message, more string) string {
	first, rest, several := strings.Cut(strings.TrimRight(message, "\n"), "\n")
	if first += more; !several {
		return first
	}
	return first + "\n    " + strings.ReplaceAll(rest, "\n", "\n    ")
}

func message(b *bug.Bug) string {
	switch d := b.Detail.(type) {
	case bug.Crashed:
		return asserted(d.Text)
	case bug.TestFailed:
		if d.Message == "" {
			return "test failed"
		}
		return "test failed: " + asserted(d.Message)
	case bug.Exited:
		if d.InTest {
			return fmt.Sprintf("os.Exit(%d) during the test", d.Status)
		}
		return fmt.Sprintf("exit status %d", d.Status)
	case bug.WaitCycle:
		list := strings.Fields(string(d.Goroutines))
		if n := len(list) - 1; n > 0 {
			return fmt.Sprintf("deadlock: %s and %s wait for each other", strings.Join(list[:n], ", "), list[n])
		}
		return fmt.Sprintf("deadlock: %s waits for a lock that it holds itself", list[0])
	case bug.MainBlocked:
		s := "deadlock: " + d.Goroutine + " waits forever" + waiting(d.Waiting)
		switch {
		case d.Others == 1:
			s += ", and so does another goroutine"
		case d.Others > 1:
			s += fmt.Sprintf(", and so do %d other goroutines", d.Others)
		}
		return s
	case bug.LeftBehind:
		return fmt.Sprintf("goroutine left behind: %s waits forever%s", d.Func, waiting(d.Waiting))
	case bug.LeftLooping:
		return fmt.Sprintf("goroutine left behind: %s loops forever", d.Func)
	case bug.LivesOn:
		return fmt.Sprintf("goroutine left running: %s waits%s again and again, and nothing can stop it", d.Func, waiting(d.Waiting))
	case bug.Spins:
		return fmt.Sprintf("%s loops forever in %s, and no other goroutine could end it", d.Goroutine, d.Func) + afterMain(d.MainEnded)
	case bug.Loops:
		list := strings.Join(strings.Fields(string(d.Goroutines)), ", ")
		return fmt.Sprintf("%s can loop forever without progress", list) + afterMain(d.MainEnded)
	case bug.Conflict:
		what := ""
		if d.What != "" {
			what = " on " + d.What
		}
		s := fmt.Sprintf("data race%s: %s and %s", what, verb(d.First), verb(d.Second))
		if d.At.IsValid() {
			s += " at " + line(d.At)
		}
		return s
	}
	panic(fmt.Sprintf("BUG: report: a bug with detail %T", b.Detail))
}

// asserted returns the message of a failure; if it has the form of testify, the sentence that says
// what is wrong comes first. Testify's form is a table: Error Trace, Error, Test, and the text of
// the test itself (Messages). Package testing indents the table in the message of a panic.
func asserted(message string) string {
	before, _, ok := strings.Cut(message, "\tError Trace:\t")
	if !ok {
		return message
	}
	indent := before[strings.LastIndex(before, "\n")+1:]
	head := strings.TrimSpace(strings.TrimSuffix(before, indent))
	fields, label := make(map[string][]string), ""
	for l := range strings.Lines(message[len(before)-len(indent):]) {
		l = strings.TrimPrefix(l, indent)
		rest, ok := strings.CutPrefix(strings.TrimRight(l, "\n"), "\t")
		if name, text, found := strings.Cut(rest, ":"); ok && found && strings.HasPrefix(strings.TrimLeft(text, " "), "\t") && name != "" && name == strings.TrimSpace(name) {
			label, rest = name, text
		}
		if _, text, ok := strings.Cut(rest, "\t"); label != "" && ok {
			fields[label] = append(fields[label], strings.TrimRight(text, " "))
		}
	}
	words := fields["Error"]
	if len(words) == 0 {
		return message
	}
	// The sentence also has the compared values: "Not equal: expected: 1, actual: 2". The
	// difference follows, or the calls that an error has recorded.
	end := len(words)
	for i, w := range words {
		if strings.HasPrefix(w, "Diff:") || i+1 < len(words) && frameLine.MatchString(words[i+1]) {
			end = i
			break
		}
	}
	var list []string
	for _, w := range words[:end] {
		if w != "" {
			list = append(list, w)
		}
	}
	text := strings.Join(list, ", ")
	text = strings.NewReplacer(":, ", ": ", "actual  :", "actual:").Replace(text)
	if own := strings.TrimSpace(strings.Join(fields["Messages"], " ")); own != "" {
		text += " (" + own + ")"
	}
	if end < len(words) {
		text += "\n" + strings.Join(words[end:], "\n")
	}
	if head != "" {
		text = head + " " + text
	}
	return strings.TrimRight(text, "\n")
}

// frameLine is the second line of a frame of a stack, which has the position.
var frameLine = regexp.MustCompile(`^\t\S.*\.go:\d+$`)

func afterMain(ended bool) string {
	if ended {
		return ", after main has returned"
	}
	return ""
}

// waiting returns the text about the object that a goroutine waits for: " in sync.Mutex.Lock on bank.mu".
func waiting(w describe.Waiting) string {
	s := ""
	if w.For != "" {
		s = " in " + w.For
	}
	if w.On != "" {
		s += " on " + w.On
	}
	return s
}

// relatedMessage returns the text about a related position.
func relatedMessage(r *describe.Related) string {
	switch r.Role {
	case describe.RoleWaits:
		return r.Goroutine + " waits" + waiting(r.Waiting)
	case describe.RoleLoops:
		return r.Goroutine + " loops here"
	case describe.RoleConflicts:
		return "concurrent " + verb(r.Access) + " in " + describe.ShortFunc(r.Func)
	}
	return r.Goroutine + " started here"
}

var verbs = [...]string{
	describe.Reads: "read", describe.Writes: "write", describe.AtomicallyReads: "atomic read", describe.AtomicallyWrites: "atomic write",
	describe.Closes: "close", describe.Sends: "send", describe.AddsToGroup: "WaitGroup.Add", describe.WaitsForGroup: "WaitGroup.Wait",
}

// verb is a word that fits after "concurrent".
func verb(v describe.Verb) string { return verbs[v] }

// Incomplete returns the reasons for incompleteness as clauses.
func Incomplete(r *explore.Result) []string {
	var list []string
	for _, x := range r.Incomplete {
		if s := reason(&x, r.LongLoops); !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

func reason(x *explore.Reason, loops []explore.LongLoop) string {
	switch x.Cause {
	case explore.CauseBound:
		s := bound(x.Bound)
		if x.Bound.Bound != por.BoundSteps || len(loops) == 0 {
			return s
		}
		if x.Ended {
			s += ", which ended the search"
		}
		var list []string
		for _, l := range loops {
			list = append(list, longLoop(&l))
		}
		return s + ": " + strings.Join(list, ", ")
	case explore.CauseMemory:
		return x.Text + " (--max-memory)"
	case explore.CauseTime:
		if x.Passes {
			return fmt.Sprintf("the loop at %s continues forever, as time passes", line(x.Pos))
		}
		return fmt.Sprintf("the loop at %s ends only when time passes, and time passes here only while goroutines sleep", line(x.Pos))
	case explore.CauseAssumed:
		return Assumption(x.Assumption)
	case explore.CauseImpossible:
		return "no execution satisfies the assumptions of the program (hbtest.Assume)"
	}
	return x.Text
}

// bound returns the text about the bound that kept the explorer from covering everything.
func bound(r por.Reason) string {
	switch r.Bound {
	case por.BoundExecutions:
		return fmt.Sprintf("stopped after %s (--max-executions)", plural(r.Limit, "execution"))
	case por.BoundSteps:
		return fmt.Sprintf("%s cut after %s (--max-steps)", plural(r.Count, "execution"), plural(r.Limit, "step"))
	case por.BoundStates:
		return fmt.Sprintf("stopped at %s (--max-states)", plural(r.Limit, "state"))
	case por.BoundMemory:
		return fmt.Sprintf("stopped at the memory budget of %s (--max-memory)", Memory(r.Limit))
	case por.BoundPreempt:
		return fmt.Sprintf("only schedules with at most %s (--preempt)", plural(r.Limit, "preemption"))
	case por.BoundSampled:
		return fmt.Sprintf("only a sample of %s, from seed %d (--max-executions, --seed)", plural(r.Count, "execution"), int64(r.Limit))
	case por.BoundLivelocks:
		return "a large loop of states was not searched for livelocks: not enough memory (--max-memory)"
	case por.BoundContext:
		if r.Text == "cuts" {
			return "some executions were cut as useless, and may have been useful (--context=cuts)"
		}
		return fmt.Sprintf("executions that were put to sleep may have been needed (--context=%s)", r.Text)
	case por.BoundPoll:
		return r.Text
	}
	panic("BUG: report has no sentence for the bound " + string(r.Bound))
}

// plural writes a number with a noun, without grouping digits: limits are shown as they are given.
func plural(n uint64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Memory writes a number of bytes.
func Memory(n uint64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}

func longLoop(l *explore.LongLoop) string {
	if l.Loop {
		return fmt.Sprintf("%s was then in the loop at %s", l.Goroutine, line(l.Pos))
	}
	return fmt.Sprintf("%s was then in %s at %s:%d", l.Goroutine, describe.ShortFunc(l.Func), filepath.Base(l.Pos.Filename), l.Pos.Line)
}
