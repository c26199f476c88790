package bench

import (
	"fmt"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/report"
)

// Counted implements Writer.
func (b *textWriter) Counted(r *CountedRow) error {
	b.begin(countedTable+slices.Index(CountedSuites(), r.Suite), r.Suite, "explorer", "hybrid", "verdict",
		"executions", "expected", "blocked", "graphs", "states", "steps", "memory", "cpu", "executions/s",
		"solver", "published")
	s := &r.Result.Stats
	states, _ := r.Count("states")
	return b.row(r.Name(), r.Configuration.Name(), string(r.Result.Hybrid), string(r.Result.Verdict),
		decimals(s.Executions), expected(r), decimals(s.Blocked), graphs(s), decimals(states),
		decimals(s.Transitions), megabytes(s.PeakBytes), millis(r.CPU), thousands(r.Rate()), solver(r), published(r.Published))
}

// solver returns the share of the first search's time that was spent on solving conditions on inputs: "12%,
// 210 of 5000 asked". Both times are real time, so other running programs prolong them by the same factor.
func solver(r *CountedRow) string {
	x := &r.Solver
	if x.Questions == 0 {
		return "-"
	}
	share := 100 * x.Time.Seconds() / max(r.Result.Stats.Explore.Seconds(), x.Time.Seconds())
	s := fmt.Sprintf("%.0f%%, %d of %d asked", share, x.Solved, x.Questions)
	if x.Otherwise > 0 {
		s += fmt.Sprintf(", %d by circuits", x.Otherwise)
	}
	return s
}

// CountedSummary implements Writer.
func (b *textWriter) CountedSummary(problems []string) error {
	if err := b.Close(); err != nil {
		return err
	}
	if b.t != nil {
		b.t, b.k = nil, -1
	}
	for _, p := range problems {
		if _, err := fmt.Fprintln(b.w, "problem:", p); err != nil {
			return err
		}
	}
	return nil
}

// graphs returns a text with the number of graphs emitted, if any.
func graphs(s *explore.Stats) string {
	if s.Graphs == 0 {
		return "-"
	}
	switch s.Replays {
	case 0:
		return decimals(s.Graphs)
	case 1:
		return fmt.Sprintf("%d (1 replay)", s.Graphs)
	}
	return fmt.Sprintf("%d (%d replays)", s.Graphs, s.Replays)
}

// expected returns the counts that a row must have.
func expected(r *CountedRow) string {
	var list []string
	for _, c := range r.Expected(r.Configuration) {
		if c.What == "executions" {
			list = append(list, decimals(c.N))
		} else {
			list = append(list, decimals(c.N)+" "+c.What)
		}
	}
	if len(list) == 0 {
		return "-"
	}
	return strings.Join(list, ", ")
}

// published returns the numbers that papers and tools report: "JMC: 10 executions, 6 blocked".
func published(counts []Count) string {
	var b strings.Builder
	for i, c := range counts {
		switch {
		case i > 0 && c.By == counts[i-1].By:
			b.WriteString(", ")
		case i > 0:
			b.WriteString("; ")
			fallthrough
		default:
			b.WriteString(c.By + ": ")
		}
		b.WriteString(decimals(c.N) + " " + c.What)
	}
	return b.String()
}

type jsonCounted struct {
	report.JSONStats
	CPU  float64 `json:"cpu_s"`
	Rate float64 `json:"executions_per_cpu_s"`
	// These fields are about the first search: its time, and its questions whether conditions on inputs can
	// hold.
	First     float64 `json:"first_s"`
	Questions uint64  `json:"questions,omitempty"` // questions asked
	Solved    uint64  `json:"solved,omitempty"`    // questions whose answers were not known
	Solver    float64 `json:"solver_s,omitempty"`  // time for answering the Solved questions
}

type jsonCount struct {
	By   string `json:"by"`
	What string `json:"what"`
	N    uint64 `json:"n"`
}

// jsonPublished is everything that is known about the numbers of a program.
type jsonPublished struct {
	Classes  uint64      `json:"classes,omitempty"`    // Mazurkiewicz classes of executions
	RF       uint64      `json:"rf_classes,omitempty"` // reads-from classes
	Expected []jsonCount `json:"expected"`
	Others   []jsonCount `json:"others"`
}

func jsonCounts(counts []Count) []jsonCount {
	list := []jsonCount{}
	for _, c := range counts {
		list = append(list, jsonCount(c))
	}
	return list
}

// Counted implements Writer.
func (j *jsonWriter) Counted(r *CountedRow) error {
	return report.WriteJSON(j.w, jsonRow{Action: "row", Suite: r.Suite, Program: r.Program, Size: r.Args,
		POR: r.Configuration.Name(), Hybrid: string(r.Result.Hybrid), Verdict: string(r.Result.Verdict),
		Stats:     jsonCounted{report.NewJSONStats(&r.Result.Stats), r.CPU.Seconds(), r.Rate(), r.Result.Stats.Explore.Seconds(), r.Solver.Questions, r.Solver.Solved, r.Solver.Time.Seconds()},
		Published: jsonPublished{r.Classes, r.RF, jsonCounts(r.Expected(r.Configuration)), jsonCounts(r.Published)}})
}

// CountedSummary implements Writer.
func (j *jsonWriter) CountedSummary(problems []string) error {
	if problems == nil {
		problems = []string{}
	}
	return report.WriteJSON(j.w, struct {
		Action   string   `json:"action"`
		Problems []string `json:"problems"`
	}{"summary", problems})
}

// Counted implements Writer.
func (c *csvWriter) Counted(r *CountedRow) error {
	s, n := &r.Result.Stats, decimals
	row := []string{r.Suite, r.Program, r.Args, r.Configuration.Name(), string(r.Result.Hybrid),
		string(r.Result.Verdict), "", "", "", n(s.States), "", n(s.Matched), "",
		n(s.Transitions), n(s.Choices), n(s.Executions), n(uint64(s.PeakBytes)), decimal(r.CPU.Seconds())}
	for len(row) < csvColumns-8 {
		row = append(row, "")
	}
	return c.row(append(row, n(s.Blocked), decimal(r.Rate()), expected(r), published(r.Published),
		decimal(r.Result.Stats.Explore.Seconds()), n(r.Solver.Questions), n(r.Solver.Solved), decimal(r.Solver.Time.Seconds()))...)
}

// CountedSummary writes nothing, because all rows of the table have the same form.
func (c *csvWriter) CountedSummary([]string) error { return nil }
