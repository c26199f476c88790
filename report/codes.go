package report

import (
	"fmt"
	"strings"

	"hbcheck.dev/hbcheck/explore"
)

// A code is what there is to know about a kind of bugs.
type code struct {
	title   string // a few words
	means   string // what it means that it is reported
	example string // a program that has it
	mend    string // what helps
}

var codes = map[explore.Kind]code{
	explore.Deadlock: {
		title: "deadlock",
		means: "In the schedule shown the main goroutine waits forever: whatever it waits for could only be done by a goroutine that waits itself or has ended. Go's runtime notices that only if every goroutine is blocked; hbcheck also if others go on.",
		example: `func transfer(from, to *account) {
	from.mu.Lock()
	defer from.mu.Unlock()
	to.mu.Lock() // another goroutine transfers from to to from: each holds what the other one wants
	defer to.mu.Unlock()
	...
}`,
		mend: "If there is a cycle of locks (\"g1 waits for b, held by g2\"): take locks in the same order everywhere, for instance by an identifier, or hold only one at a time. If a channel is waited on: every receive needs a send or a close on every path, also where an error returns early; a send to a channel without buffer needs a receiver that is still there. If it is a WaitGroup: Done on every path (wg.Go does it).",
	},
	explore.Race: {
		title: "data race",
		means: "Two goroutines access the same memory, at least one of them writes, at least one access is no atomic operation, and nothing orders them (the Go memory model). What the program does then is not defined by the accesses' values alone: the compiler and the processor may reorder and tear them. That one access came first in the schedule shown is chance.",
		example: `go func() { hits++ }()
hits++ // no lock, no channel and no WaitGroup is between the two`,
		mend: "Guard the variable by one mutex at every access, make it of a type of sync/atomic, or give it to one goroutine and send it messages. Sleep, Gosched, and seeing that the other goroutine must be done by now, order nothing.",
	},
	explore.Leak: {
		title: "leaked goroutine",
		means: "A goroutine waits forever though the program goes on or has returned from main: nothing that can still move refers to what it waits for. It keeps its stack and everything it refers to; in a server they add up.",
		example: `answers := make(chan string)
for _, q := range queries {
	go func() { answers <- ask(q) }()
}
return <-answers // the other senders wait forever`,
		mend: "Give the channel a buffer for all who may send, let senders select on a context's Done as well, or close what they wait on. Make sure that who starts a goroutine waits for it, or can stop it. What is meant to stay can be accepted with //hbcheck:ignore HB003 reason, or --allow-leak.",
	},
	explore.Panic: {
		title: "panic",
		means: "In the schedule shown a goroutine panics and does not recover, or the runtime ends the program with a fatal error (concurrent map writes, for example).",
		example: `var conf *config
go func() { conf = load() }()
print(conf.name) // nil if this goroutine comes first`,
		mend: "Look at the last step by another goroutine on what the panic is about (the page has a list of objects): the order of the two is what has to be made certain, by a channel, a lock or a WaitGroup.",
	},
	explore.Failure: {
		title: "failed test, or a program that exits with an error",
		means: "In the schedule shown a test calls Error or Fatal, or the program exits by itself with a status other than 0, or in the middle of a test.",
		example: `// Balance and set each lock b.mu.
func (b *Bank) Deposit(n int) { b.set(b.Balance() + n) } // another deposit comes in between, and is lost`,
		mend: "If the report says that steps are not atomic, they have to be in one critical section: holding the lock for the read and again for the write is not enough. Otherwise step through the page from the end, and ask which step the test did not expect.",
	},
	explore.Livelock: {
		title: "livelock",
		means: "The program comes back to a state that it was in, and every goroutine that can move takes part in the loop; or a goroutine never leaves a loop in which it does nothing that others could see. It runs forever without progress. A loop is reported only if fair scheduling does not end it.",
		example: `for other.Load() { // each goroutine is polite and lets the other one go first
	me.Store(false)
	runtime.Gosched()
	me.Store(true)
}`,
		mend: "Break the symmetry (an order among the goroutines decides who goes first), or wait with a lock, a channel or a Cond instead of retrying. If the loop ends in practice because time passes, let it look at the clock.",
	},
	explore.Misuse: {
		title: "misuse of a synchronisation object",
		means: "In the schedule shown an object of synchronisation is used in a way that ends the program: Unlock of a mutex that is not locked, a counter of a WaitGroup below zero, close of a closed channel, send on a closed channel, a WaitGroup used again before Wait has returned.",
		example: `select {
case <-stop:
default:
	close(stop) // between the look and the close another goroutine has closed it
}`,
		mend: "One goroutine should own the close of a channel; if several may, use a sync.Once. Add to a WaitGroup before the goroutine is started, and not in it.",
	},
	explore.LeftRunning: {
		title: "goroutine left running (a warning)",
		means: "main has returned, and a goroutine is woken by a timer again and again; nothing can stop it any more. The process would end, so this is no failure; in a test it goes on during the next one.",
		example: `go func() {
	for range time.Tick(time.Minute) {
		refresh()
	}
}()`,
		mend: "Give the loop a context or a channel that ends it, stop the Ticker, and wait until the goroutine has ended. //hbcheck:ignore HB008 reason accepts it.",
	},
}

// Explain returns what a code such as HB002 means, with an example and how to mend it; "" if there is
// no such code.
func Explain(name string) string {
	k := explore.KindOf(strings.ToUpper(name))
	if k == 0 {
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

// Codes lists all codes with their titles, those of what is refused last.
func Codes() string {
	var b strings.Builder
	for _, k := range explore.Kinds() {
		fmt.Fprintf(&b, "  %s  %s\n", k.Code(), codes[k].title)
	}
	b.WriteString(refusalCodes())
	return b.String()
}
