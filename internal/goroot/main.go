// Goroot runs the tests of packages of the Go distribution once in the machine and prints the results, the
// page docs/research/goroot.md:
//
//	go build -o /tmp/hbcheck ./cmd/hbcheck && go run ./internal/goroot /tmp/hbcheck > docs/research/goroot.md
//
// Arguments after the command are packages instead of those of the page.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
)

var packages = strings.Fields(`context io bufio sync sync/atomic time container/heap container/list container/ring
	log log/slog text/template net/textproto errors strings maps slices iter unique os/signal`)

// flags of a run. Time is only a safeguard: the number of steps bounds a test, so that the
// page is the same on a busy machine.
const flags = "--por=random --max-executions 1 --time=virtual --signals=sent --assume=all --max-steps 1000000 --timeout 1m"

// again are the flags for tests that do not end, which run again after the others.
var again = []struct{ name, flags string }{
	{"--short", "--short --max-steps 3000000 --timeout 5m"},
	{"--short --time=bounded", "--short --max-steps 3000000 --time=bounded"},
}

const head = `# Tests of the Go distribution

Each test of these packages, run once in the machine, compared with ` + "`go test`" + `, where all of them pass: they test the
library on top of the models. Time passes when all goroutines wait, as for a test that runs alone, and only signals
that a test sends arrive.
` + "`go run ./internal/goroot HBCHECK > docs/research/goroot.md`" + ` makes this page; each package is run by

    hbcheck %s PACKAGE

A refused test needs something that the machine does not model; the verdict names it. Some tests make a hundred
thousand iterations in each of ten goroutines: a test that has not ended after these steps runs again with --short and
three times the steps. If it has not ended then, it runs with --time=bounded, too, because some count on time that
passes while they compute. The page shows the result.

| package | tests | pass | of these with --short | fail | refused | not ended |
|---|---|---|---|---|---|---|
`

type result struct {
	Action, Package, Entry, Verdict, Error string
	Bugs                                   []struct{ Code, Severity, Message, Pos string }
	Incomplete                             []string
}

func main() {
	list := packages
	if len(os.Args) > 2 {
		list = os.Args[2:]
	}
	fmt.Printf(head, flags)
	done := make([]tally, len(list))
	var wg sync.WaitGroup
	turn := make(chan bool, 3) // three packages at a time
	for i, p := range list {
		wg.Go(func() {
			turn <- true
			done[i] = measure(p)
			<-turn
		})
	}
	wg.Wait()
	var reasons []string
	total := map[string]int{}
	for i, p := range list {
		line(p, done[i].n)
		reasons = append(reasons, done[i].reasons...)
		for what, k := range done[i].n {
			total[what] += k
		}
	}
	line("all", total)
	fmt.Printf("\n%.1f %% pass. Those that do not, or only with --short:\n\n", 100*float64(total["pass"])/float64(max(tests(total), 1)))
	for _, s := range reasons {
		fmt.Println(s)
	}
}

// tally has the results of the tests of a package.
type tally struct {
	n       map[string]int
	reasons []string
}

// measure runs the tests of package p, and those that do not end again.
func measure(p string) tally {
	t := tally{n: map[string]int{}}
	var more, long []string
	for i := 0; i == 0 || i <= len(again) && len(long) > 0; i++ {
		if i > 0 {
			more = append(strings.Fields(again[i-1].flags), "--run", "^("+strings.Join(long, "|")+")$")
			long = nil
		}
		run(p, more, func(entry, what, why string) {
			if what == "does not end" && i < len(again) {
				long = append(long, entry)
				return
			}
			t.n[what]++
			if what == "pass" && i == 0 {
				return
			}
			if what == "pass" {
				t.n["short"]++
				what, why = "passes", "with "+again[i-1].name
			}
			t.reasons = append(t.reasons, fmt.Sprintf("- %s.%s %s: %s", p, entry, what, why))
		})
	}
	return t
}

// run runs the tests of package p, and calls f with the result of each.
func run(p string, more []string, f func(entry, what, why string)) {
	args := slices.Concat(strings.Fields(flags), more, []string{"--format=json", "-count=1", "-o", os.TempDir(), p})
	cmd := exec.Command(os.Args[1], args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	cmd.Run() // its status is that of the tests
	for dec := json.NewDecoder(&out); ; {
		var r result
		if dec.Decode(&r) != nil {
			return
		}
		if r.Entry == "" {
			continue // the summary
		}
		what, why := judge(&r)
		f(r.Entry, what, why)
	}
}

// line prints a line of the table.
func line(name string, n map[string]int) {
	fmt.Printf("| %s | %d | %d | %d | %d | %d | %d |\n", name, tests(n), n["pass"], n["short"], n["fails"], n["is refused"], n["does not end"])
}

func tests(n map[string]int) int {
	return n["pass"] + n["fails"] + n["is refused"] + n["does not end"]
}

// place matches a position in a test. Positions change with the Go release.
var place = regexp.MustCompile(`[^ ]*_test\.go:[0-9:]+`)

// judge returns the result of a test, and the reason why it does not pass.
func judge(r *result) (what, why string) {
	if r.Action == "error" {
		return "is refused", r.Error
	}
	for _, b := range r.Bugs {
		if b.Severity != "warning" {
			return "fails", b.Code + ": " + first(b.Message)
		}
	}
	for _, s := range r.Incomplete {
		if strings.Contains(s, "unsupported") {
			return "is refused", first(s[strings.Index(s, "unsupported: ")+len("unsupported: "):])
		}
	}
	if i := slices.IndexFunc(r.Incomplete, func(s string) bool { return !strings.HasPrefix(s, "only a sample of 1 execution,") }); i >= 0 {
		return "does not end", place.ReplaceAllString(r.Incomplete[i], "its file")
	}
	return "pass", ""
}

// first returns the beginning of a message, in one line.
func first(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	if len(s) > 160 {
		s = s[:160] + "..."
	}
	return s
}
