package main

import (
	_ "embed"
	"fmt"
	"io"
	"log"
	"slices"
	"strings"
)

//go:embed argued.txt
var arguedText string

const head = `# Tests of published modules

Unmodified tests of published modules, with hbcheck's default flags and %s for each test. First, every test is run once
in the machine. Some of them start goroutines, end, and use nothing that the machine refuses; of these, at most %d of
each module are explored, evenly spread over its files. "ok": all schedules were explored, and none has a bug.
"assuming": these are ok, too, and the verdict names assumptions about the environment (the order of a range over a large
map, a signal that arrives once ...). "red": a bug. "open" (verdict ??): not everything was explored, and no bug was found.
Warnings do not fail a test: they need a timer to overtake a goroutine that could run. [reports.md](reports.md) has bugs
that others reported.
` + "`go run ./internal/real -work DIR HBCHECK > page`" + ` makes this page. %s

| module | tests | concurrent | explored | ok | assuming | red | open | warnings | median s |
|---|---|---|---|---|---|---|---|---|---|
`

// outcome is the column of the page that counts a verdict.
type outcome int

const (
	exhaustive outcome = iota
	butFor             // all schedules, with an assumption about the environment
	red
	incomplete
)

// judge returns the column of an explored test, the reason why it is not exhaustive, and the number of its
// warnings.
func judge(r *result) (o outcome, why string, warnings int) {
	for _, b := range r.Bugs {
		if b.Severity == "warning" {
			warnings++
		} else {
			o, why = red, b.Code+": "+firstLine(b.Message)
		}
	}
	if o == red {
		return o, why, warnings
	}
	if r.Error != "" {
		return incomplete, firstLine(r.Error), warnings
	}
	o = exhaustive
	if len(r.Assumed) > 0 {
		o, why = butFor, firstLine(r.Assumed[0].Message)
	}
	if len(r.Incomplete) > 0 {
		return incomplete, firstLine(r.Incomplete[0]), warnings
	}
	return o, why, warnings
}

// refused reports whether the machine lacks a model that the test needs.
func refused(r result) bool {
	return slices.ContainsFunc(r.Incomplete, func(s string) bool { return strings.Contains(s, "unsupported") })
}

func page(w io.Writer, all []answers) {
	fmt.Fprintf(w, head, *timeFlag, *limitFlag, *noteFlag)
	argued := parseArgued(arguedText)
	var reds, greys []string
	var sum [4]int
	tests, concurrent, explored, warned := 0, 0, 0, 0
	for _, a := range all {
		var n [4]int
		warnings := 0
		var times []float64
		for _, r := range a.Explored {
			o, why, w := judge(&r)
			n[o]++
			sum[o]++
			warnings += w
			times = append(times, r.Stats.Explore)
			name := a.Path + " " + r.Entry
			switch o {
			case red:
				argument := argued[name]
				if argument == "" {
					log.Printf("%s: %s: no argument in argued.txt", name, why)
				}
				reds = append(reds, fmt.Sprintf("    %s: %s\n\n%s\n", name, why, argument))
			case butFor, incomplete:
				greys = append(greys, fmt.Sprintf("    %s: %s", name, why))
			}
		}
		fmt.Fprintf(w, "| %s %s | %d | %d | %d | %d | %d | %d | %d | %d | %s |\n", a.Path, a.Version, len(a.Once), a.Concurrent,
			len(a.Explored), n[exhaustive], n[butFor], n[red], n[incomplete], warnings, median(times))
		tests, concurrent, explored, warned = tests+len(a.Once), concurrent+a.Concurrent, explored+len(a.Explored), warned+warnings
	}
	fmt.Fprintf(w, "| %d modules | %d | %d | %d | %d | %d | %d | %d | %d | |\n\n", len(all), tests, concurrent, explored,
		sum[exhaustive], sum[butFor], sum[red], sum[incomplete], warned)
	proved := sum[exhaustive] + sum[butFor]
	decided := proved + sum[red]
	fmt.Fprintf(w, "Decided (ok or red): %d of %d, %.0f %%; %d of them without assumptions. ok: %d, %.0f %%.\n",
		decided, explored, percent(decided, explored), sum[exhaustive]+sum[red], proved, percent(proved, explored))
	fmt.Fprintf(w, "\n## Red, one by one\n\n%s\n\n## Assumptions and reasons\n\n%s\n", strings.Join(reds, "\n"), strings.Join(greys, "\n"))
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }

func median(all []float64) string {
	if len(all) == 0 {
		return ""
	}
	slices.Sort(all)
	return fmt.Sprintf("%.1f", all[len(all)/2])
}

// parseArgued reads argued.txt: "module test: why the verdict is right", a line each.
func parseArgued(text string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(text) {
		if name, why, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && !strings.HasPrefix(name, "#") {
			all[name] = why
		}
	}
	return all
}

// firstLine returns the beginning of a message.
func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	if len(s) > 200 {
		s = s[:200] + "..."
	}
	return s
}
