package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore/bug"
)

// A code describes a kind of bug.
type code struct {
	title   string // a few words
	means   string // the meaning of its report
	example string // a program that has it
	mend    string // remedies
}

var codes = map[bug.Kind]code{
	bug.Deadlock: {
		title: "deadlock",
		means: "In the schedule shown, the main goroutine waits forever: every goroutine that could wake it also waits, or has ended. Go's runtime detects a deadlock only if every goroutine is blocked; hbcheck also detects it while other goroutines run.",
		example: `func transfer(from, to *account) {
	from.mu.Lock()
	defer from.mu.Unlock()
	to.mu.Lock() // another goroutine transfers from to to from: each holds the lock that the other one wants
	defer to.mu.Unlock()
	...
}`,
		mend: "For a cycle of locks (\"g1 waits for b, held by g2\"): acquire locks in the same order everywhere, for instance in the order of an identifier, or hold only one at a time. For a channel: every receive needs a send or a close on every path, also on paths that return an error early; a send on an unbuffered channel needs a receiver. For a WaitGroup: call Done on every path (wg.Go does it).",
	},
	bug.Race: {
		title: "data race",
		means: "Two goroutines access the same memory, at least one of them writes, at least one access is not atomic, and nothing orders the accesses (see the Go memory model). The compiler and the processor may reorder and tear such accesses, so the program can do things that no schedule explains. In the schedule shown one access comes first, but the other one could.",
		example: `go func() { hits++ }()
hits++ // no lock, channel or WaitGroup orders the two`,
		mend: "Guard every access to the variable by one mutex, give the variable a type of sync/atomic, or let one goroutine own it and send messages to that goroutine. Sleep and Gosched do not order anything, nor does the time that has passed.",
	},
	bug.Leak: {
		title: "leaked goroutine",
		means: "A goroutine waits forever, while the program continues or after main has returned: no goroutine that can still run has a reference to the object that it waits for. A leaked goroutine keeps its stack and everything that it refers to alive; in a server leaks add up. A leak is only a warning if the entry or a subtest could have stopped the goroutine, but returns without doing so in every schedule, as many tests do with a server (--leaks=error makes it an error).",
		example: `answers := make(chan string)
for _, q := range queries {
	go func() { answers <- ask(q) }()
}
return <-answers // the other senders wait forever`,
		mend: "Give the channel a buffer for every sender, let senders also select on a context's Done, or close the channel that they wait on. Whoever starts a goroutine should wait for it or be able to stop it. To accept a goroutine that is meant to stay, use //hbcheck:ignore HB003 reason, or --allow-leak.",
	},
	bug.Panic: {
		title: "panic",
		means: "In the schedule shown, a goroutine panics and does not recover, or the runtime stops the program with a fatal error (for example concurrent map writes).",
		example: `var conf *config
go func() { conf = load() }()
print(conf.name) // nil if this goroutine comes first`,
		mend: "Find the last step of another goroutine on the object of the panic (the page has a list of objects). Enforce the order of the two with a channel, a lock or a WaitGroup.",
	},
	bug.Failure: {
		title: "failed test, or a program that exits with an error",
		means: "In the schedule shown, a test calls Error or Fatal, or os.Exit is called with a status other than 0, or with any status during a test.",
		example: `// Balance and set each lock b.mu.
func (b *Bank) Deposit(n int) { b.set(b.Balance() + n) } // loses another deposit in between`,
		mend: "If the report says that steps are not atomic, put them in one critical section: it is not enough to hold the lock for the read and again for the write. Otherwise step backwards through the page from the end, and find the step that the test did not expect.",
	},
	bug.Livelock: {
		title: "livelock",
		means: "The program returns to an earlier state, and every goroutine that can run takes part in the loop; or one goroutine never leaves a loop whose iterations have no visible effect. The program runs forever without progress. A loop is reported only if fair scheduling does not end it. A livelock is only a warning if the loop ends when a variable changes, and the entry could change the variable, but returns without doing so in every schedule.",
		example: `for other.Load() { // each goroutine lets the other one go first
	me.Store(false)
	runtime.Gosched()
	me.Store(true)
}`,
		mend: "Break the symmetry (an order among the goroutines decides who goes first), or wait with a lock, a channel or a Cond instead of retrying. If the loop ends in practice because time passes, let it read the clock.",
	},
	bug.Misuse: {
		title: "misuse of a synchronisation object",
		means: "In the schedule shown, the program uses a synchronisation object in a way that stops it: Unlock of an unlocked mutex, a negative WaitGroup counter, close of a closed channel, send on a closed channel, reuse of a WaitGroup before Wait has returned.",
		example: `select {
case <-stop:
default:
	close(stop) // another goroutine may close it just before
}`,
		mend: "Let one goroutine be responsible for closing a channel; if several may close it, use a sync.Once. Call WaitGroup.Add before the go statement, not in the goroutine.",
	},
	bug.LeftRunning: {
		title: "goroutine left running (a warning)",
		means: "After main has returned, a timer wakes a goroutine again and again, and nothing can stop the goroutine. The process would end here, so this is not a failure; but a goroutine that a test leaves running continues during the next test.",
		example: `go func() {
	for range time.Tick(time.Minute) {
		refresh()
	}
}()`,
		mend: "End the loop by a context or a channel, stop the Ticker, and wait for the goroutine. To accept the goroutine, use //hbcheck:ignore HB008 reason.",
	},
}

// Explain returns the meaning of a code such as HB002, with an example and a correction; "" if there is no
// such code.
func Explain(name string) string {
	k := bug.KindOf(strings.ToUpper(name))
	if text, ok := verdictWords[name]; ok {
		return fold(text) + "\n"
	}
	if k == 0 {
		if text := explainFinding(name); text != "" {
			return text
		}
		return explainRefusal(name)
	}
	c := codes[k]
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n%s\n\nAn example:\n\n", k.Code(), c.title, fold(c.means))
	for l := range strings.Lines(c.example) {
		b.WriteString("    " + l)
	}
	fmt.Fprintf(&b, "\n\nWhat helps:\n\n%s\n", fold(c.mend))
	return b.String()
}

// verdictWords explains the words at the beginning of the line of an entry, and some after it.
var verdictWords = map[string]string{
	"ok": "ok: every schedule of the entry was explored, and none has a bug. " +
		"\"exhaustive\" says so; \"exhaustive, assuming ...\" names the parts of the environment for which only one behaviour was tried (hbcheck explain assuming). " +
		"\"exhaustive with --slack=500µs\" and the like name the flags that restrict the environment.",
	"??": "??: no bug so far, but not everything was explored: a limit was reached (--timeout, --max-memory), the program needs an operation that hbcheck does not execute (hbcheck explain refused-...), or only a sample was asked for. " +
		"\"too big\" means that a small version of the test was explored, with smaller numbers of goroutines and rounds. That is another program, and the result says nothing about the test itself. " +
		"The lines below the verdict report the progress of the search, the operations with most choices, and advice. The exit status is 0, or 3 with --strict.",
	"skip": "skip: no execution runs the test, because the test skips itself, or TestMain does not run it.",
	"!!":   "!!: the entry could not be explored at all: its package does not compile, or it mentions declarations that the model of a package lacks.",
	"FAIL": "FAIL: some schedule has a bug. The report shows the simplest such schedule found, explains the bug, and names the command that replays the schedule. The exit status is 1.",
	"assuming": "assuming: every schedule was explored, but only one value was tried for some part of the environment, for instance a large random number or the time of day, and the program depends on the value. " +
		"Three assumptions are about schedules. With \"uninterrupted library calls\" every order of your own operations and of your calls was explored, but other goroutines ran during a call of the standard library or another module only while it waited or called your code. With \"prompt library goroutines\", too, a goroutine that runs none of your code continued at once, until it waited again. With \"no delays\" time passed only while all goroutines waited. --calls=any explores the others, too, which can take very long. " +
		"\"Independent subtests\" means that the test is too big, and each of its subtests was explored without the others. " +
		"The end of the run lists where the assumptions come from; docs/model.md lists all of them. " +
		"--assume=none makes such a verdict ??, and --strict gives it the exit status 3.",
	"warning": "warning: a bug that needs unlikely timing (goroutines that can run have to wait longer than --slack) or behaviour that the language permits and Go's implementation does not have; or a goroutine that the test leaves behind in every schedule although it could stop it (HB003, HB006), or that a timer wakes again and again (HB008); or a failure after the program did not find something that may exist elsewhere (a server, arguments, a file, a variable), if no execution passes. " +
		"It does not fail the entry; with --strict the exit status is 1.",
}

// fold breaks a paragraph into lines that a terminal shows.
func fold(s string) string {
	const width = 90
	var b strings.Builder
	n := 0
	for i, w := range strings.Fields(s) {
		if n+1+len(w) > width {
			b.WriteByte('\n')
			n = 0
		} else if i > 0 {
			b.WriteByte(' ')
			n++
		}
		b.WriteString(w)
		n += len(w)
	}
	return b.String()
}

// Codes lists all codes with their titles; codes of refusals come last.
func Codes() string {
	var b strings.Builder
	for _, k := range bug.Kinds() {
		fmt.Fprintf(&b, "  %s  %s\n", k.Code(), codes[k].title)
	}
	b.WriteString(findingCodes())
	b.WriteString(refusalCodes())
	for _, word := range slices.Sorted(maps.Keys(verdictWords)) {
		fmt.Fprintf(&b, "  %-5s  a word of a verdict\n", word)
	}
	return b.String()
}
