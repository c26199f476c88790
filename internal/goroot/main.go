// Goroot runs the tests of packages of the Go distribution once in the machine and prints what
// became of them, as docs/goroot.md has it:
//
//	go build -o /tmp/hbcheck ./cmd/hbcheck && go run ./internal/goroot /tmp/hbcheck > docs/goroot.md
//
// Arguments after the command are packages instead of those of the page.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

var packages = strings.Fields(`context io bufio sync sync/atomic time container/heap container/list container/ring
	log log/slog text/template net/textproto errors strings maps slices iter unique os/signal`)

const flags = "--por=random --max-executions 1 --time=virtual --assume=all --timeout 20s"

const head = `# Tests of the Go distribution

Each test of these packages, run once in the machine: what the library does on top of the models, compared with
` + "`go test`" + `, where all of them pass. Time passes when all goroutines wait, as it does for a test that runs alone.
` + "`go run ./internal/goroot`" + ` makes this page; each package is run by

    hbcheck %s PACKAGE

A test that is refused needs something that the machine has no model of; the verdict names it.

| package | tests | pass | fail | refused | not ended | |
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
	var reasons []string
	tests, passed := 0, 0
	for _, p := range list {
		args := append(strings.Fields(flags), "--format=json", "-o", os.TempDir(), p)
		cmd := exec.Command(os.Args[1], args...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, os.Stderr
		cmd.Run() // its status is that of the tests
		n := map[string]int{}
		for dec := json.NewDecoder(&out); ; {
			var r result
			if dec.Decode(&r) != nil {
				break
			}
			what, why := judge(&r)
			n[what]++
			if what != "pass" {
				reasons = append(reasons, fmt.Sprintf("- %s.%s %s: %s", p, r.Entry, what, why))
			}
		}
		all := n["pass"] + n["fails"] + n["is refused"] + n["does not end"]
		fmt.Printf("| %s | %d | %d | %d | %d | %d | |\n", p, all, n["pass"], n["fails"], n["is refused"], n["does not end"])
		tests, passed = tests+all, passed+n["pass"]
	}
	fmt.Printf("| all | %d | %d | | | | %.1f %% |\n\nThose that do not pass:\n\n", tests, passed, 100*float64(passed)/float64(max(tests, 1)))
	for _, s := range reasons {
		fmt.Println(s)
	}
}

// judge says what became of a test, and why it does not pass.
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
		return "does not end", r.Incomplete[i]
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
