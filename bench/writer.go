package bench

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"hbcheck.dev/hbcheck/report"
)

// A Writer takes the rows of a benchmark run, suite by suite.
type Writer interface {
	Speed(r *SpeedRow) error
	// SpeedSummary comes after all rows of the suite vm.
	SpeedSummary(rows []SpeedRow) error
	Big(r *BigRow) error
	// Sampled takes the rows of one program of a suite that compares samplers, one for each sampler, and that
	// of auto.
	Sampled(suite string, rows []*SampledRow, auto *AnswerRow) error
	JPF(r *JPFRow) error
	Realistic(r *RealisticRow) error
	// Spin14 takes the columns of one program of the suite spin14.
	Spin14(columns []*Spin14Row) error
	// Spin14Summary comes after all programs of the suite spin14. problems are the results of
	// Spin14Row.Check.
	Spin14Summary(programs [][]*Spin14Row, problems []string) error
	Counted(r *CountedRow) error
	// CountedSummary comes after all rows of the suites of counted programs. problems are the results of
	// CountedRow.Check.
	CountedSummary(problems []string) error
	// Answers takes the rows of one program of the suite answers.
	Answers(suite string, rows []*AnswerRow) error
	Close() error
}

// NewWriter returns the writer for a format, or nil if there is none.
func NewWriter(format string, w io.Writer) Writer {
	switch format {
	case "text":
		return &textWriter{w: w}
	case "md":
		return &textWriter{w: w, md: true}
	case "json":
		return &jsonWriter{w: w}
	case "csv":
		return &csvWriter{w: csv.NewWriter(w)}
	}
	return nil
}

// textWriter writes tables for people, aligned or in Markdown.
type textWriter struct {
	w  io.Writer
	md bool
	t  *tabwriter.Writer // of the table that is being written
	k  int               // number of that table
}

// The tables.
const (
	speedTable = 1 + iota
	jpfTable
	realisticTable
	spin14Table
	spin14CostTable
	answersTable
	bigTable
	sampledTable // the table of the first suite that compares samplers; one for each further suite follows
	_
	_
	_
	countedTable // the table of the first suite of counted programs; one for each further suite follows
)

func (b *textWriter) Realistic(r *RealisticRow) error {
	b.begin(realisticTable, "realistic", "explorer", "hybrid", "verdict", "states", "executions", "choices", "steps", "memory", "cpu")
	s := &r.Result.Stats
	return b.row(r.Name(), r.Result.POR, string(r.Result.Hybrid), string(r.Result.Verdict), decimals(s.States), decimals(s.Executions),
		decimals(s.Choices), decimals(s.Transitions), megabytes(s.PeakBytes), millis(r.CPU))
}

// begin writes the heading of table k, unless the table has begun.
func (b *textWriter) begin(k int, heading ...string) {
	if b.k == k {
		return
	}
	if b.t != nil {
		b.t.Flush()
	}
	if b.k != 0 {
		fmt.Fprintln(b.w)
	}
	b.k = k
	if !b.md {
		b.t = tabwriter.NewWriter(b.w, 0, 0, 2, ' ', tabwriter.AlignRight)
	}
	b.row(heading...)
	if b.md {
		fmt.Fprintln(b.w, "|---|"+strings.Repeat("--:|", len(heading)-1))
	}
}

// row writes one row of the table begun.
func (b *textWriter) row(cells ...string) error {
	if b.md {
		_, err := fmt.Fprintln(b.w, "| "+strings.Join(cells, " | ")+" |")
		return err
	}
	_, err := fmt.Fprintln(b.t, strings.Join(cells, "\t")+"\t")
	return err
}

func (b *textWriter) Speed(r *SpeedRow) error {
	b.begin(speedTable, "vm", "native", "machine", "ratio")
	return b.row(r.Program, millis(r.Native), millis(r.Machine), tenths(r.Ratio()))
}

func (b *textWriter) SpeedSummary(rows []SpeedRow) error {
	mean, worst := Geomean(rows)
	if err := b.row("geometric mean", "", "", tenths(mean)); err != nil {
		return err
	}
	return b.row("worst", "", "", tenths(worst))
}

func (b *textWriter) JPF(r *JPFRow) error {
	b.begin(jpfTable, "jpf", "explorer", "hybrid", "verdict", "states", "in JPF", "matched", "in JPF", "steps",
		"choices", "executions", "memory", "cpu", "steps/s", "states/s", "in JPF")
	s := &r.Result.Stats
	return b.row(r.Name(), r.Result.POR, string(r.Result.Hybrid), string(r.Result.Verdict), decimals(s.States),
		decimals(r.Published.States), decimals(s.Matched), decimals(r.Published.Visited),
		decimals(s.Transitions), decimals(s.Choices), decimals(s.Executions), megabytes(s.PeakBytes), millis(r.CPU), thousands(r.Transitions()), thousands(r.Arrivals()), thousands(r.Published.Rate()))
}

func (b *textWriter) Close() error {
	if b.t == nil {
		return nil
	}
	return b.t.Flush()
}

func decimals(n uint64) string { return strconv.FormatUint(n, 10) }

func tenths(x float64) string { return fmt.Sprintf("%.1f", x) }

func millis(d time.Duration) string { return fmt.Sprintf("%.1fms", d.Seconds()*1000) }

func megabytes(n int64) string { return fmt.Sprintf("%.1fM", float64(n)/(1<<20)) }

func thousands(x float64) string {
	if x == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0fk", x/1000)
}

// jsonWriter writes one object per line.
type jsonWriter struct{ w io.Writer }

type jsonRow struct {
	Action  string `json:"action"`
	Suite   string `json:"suite"`
	Program string `json:"program,omitempty"`
	Size    string `json:"size"`
	POR     string `json:"por"`
	Hybrid  string `json:"hybrid"`
	Verdict string `json:"verdict"`
	Stats   any    `json:"stats"`
	// Published is the number of the literature or of another tool for the program.
	Published any `json:"published"`
}

type jsonSpeed struct {
	Native  float64 `json:"native_cpu_s,omitempty"`
	Machine float64 `json:"vm_cpu_s,omitempty"`
	Ratio   float64 `json:"ratio,omitempty"`
	Geomean float64 `json:"geomean,omitempty"`
	Worst   float64 `json:"worst,omitempty"`
}

type jsonJPF struct {
	report.JSONStats
	CPU         float64 `json:"cpu_s"`
	Transitions float64 `json:"transitions_per_cpu_s"`
	Arrivals    float64 `json:"states_per_cpu_s"`
}

type jsonJPFPublished struct {
	Tool     string  `json:"tool"`
	States   uint64  `json:"states"`
	Matched  uint64  `json:"matched"`
	CPU      float64 `json:"cpu_s"`
	Arrivals float64 `json:"states_per_cpu_s"`
}

func (j *jsonWriter) Speed(r *SpeedRow) error {
	return report.WriteJSON(j.w, jsonRow{Action: "row", Suite: "vm", Program: r.Program, Hybrid: "none",
		Verdict: "ok", Published: struct{}{},
		Stats: jsonSpeed{Native: r.Native.Seconds(), Machine: r.Machine.Seconds(), Ratio: r.Ratio()}})
}

func (j *jsonWriter) SpeedSummary(rows []SpeedRow) error {
	mean, worst := Geomean(rows)
	return report.WriteJSON(j.w, struct {
		Action string    `json:"action"`
		Suite  string    `json:"suite"`
		Stats  jsonSpeed `json:"stats"`
	}{"summary", "vm", jsonSpeed{Geomean: mean, Worst: worst}})
}

func (j *jsonWriter) JPF(r *JPFRow) error {
	return report.WriteJSON(j.w, jsonRow{Action: "row", Suite: "jpf", Program: r.Program, Size: r.Size(),
		POR: r.Result.POR, Hybrid: string(r.Result.Hybrid), Verdict: string(r.Result.Verdict),
		Stats: jsonJPF{report.NewJSONStats(&r.Result.Stats), r.CPU.Seconds(), r.Transitions(), r.Arrivals()},
		Published: jsonJPFPublished{"Java Pathfinder 8.0", r.Published.States, r.Published.Visited,
			r.Published.CPU.Seconds(), r.Published.Rate()}})
}

func (j *jsonWriter) Close() error { return nil }

func (j *jsonWriter) Realistic(r *RealisticRow) error {
	return report.WriteJSON(j.w, jsonRow{Action: "row", Suite: "realistic", Program: r.Program, Size: r.Args,
		POR: r.Result.POR, Hybrid: string(r.Result.Hybrid), Verdict: string(r.Result.Verdict), Published: struct{}{},
		Stats: struct {
			report.JSONStats
			CPU float64 `json:"cpu_s"`
		}{report.NewJSONStats(&r.Result.Stats), r.CPU.Seconds()}})
}

// csvWriter writes one table with the columns of all suites.
type csvWriter struct {
	w     *csv.Writer
	begun bool
}

// csvColumns is how many columns there are.
const csvColumns = 37

func (c *csvWriter) row(fields ...string) error {
	if !c.begun {
		c.begun = true
		c.w.Write([]string{"suite", "program", "size", "por", "hybrid", "verdict", "native_cpu_s", "vm_cpu_s",
			"ratio", "states", "jpf_states", "matched", "jpf_matched",
			"transitions", "choices", "executions", "peak_bytes", "cpu_s", "transitions_per_cpu_s", "states_per_cpu_s", "jpf_states_per_cpu_s",
			"eliminated", "static_s", "reduction", "paper_choices", "paper_static_s", "paper_total_s", "paper_reduction", "finals",
			"blocked", "executions_per_cpu_s", "expected", "published", "first_s", "questions", "solved", "solver_s"})
	}
	for len(fields) < csvColumns {
		fields = append(fields, "") // the columns of suites to come
	}
	c.w.Write(fields)
	return c.w.Error()
}

func (c *csvWriter) Speed(r *SpeedRow) error {
	return c.row("vm", r.Program, "", "", "", "ok", decimal(r.Native.Seconds()), decimal(r.Machine.Seconds()),
		decimal(r.Ratio()), "", "", "", "", "", "", "", "", "", "", "", "")
}

// SpeedSummary writes nothing, because all rows of the table have the same form.
func (c *csvWriter) SpeedSummary([]SpeedRow) error { return nil }

func (c *csvWriter) JPF(r *JPFRow) error {
	s, n := &r.Result.Stats, decimals
	return c.row("jpf", r.Program, r.Size(), r.Result.POR, string(r.Result.Hybrid), string(r.Result.Verdict), "", "",
		"", n(s.States), n(r.Published.States), n(s.Matched), n(r.Published.Visited),
		n(s.Transitions), n(s.Choices), n(s.Executions), n(uint64(s.PeakBytes)), decimal(r.CPU.Seconds()), decimal(r.Transitions()), decimal(r.Arrivals()), decimal(r.Published.Rate()))
}

func (c *csvWriter) Realistic(r *RealisticRow) error {
	s, n := &r.Result.Stats, decimals
	return c.row("realistic", r.Program, r.Args, r.Result.POR, string(r.Result.Hybrid), string(r.Result.Verdict), "", "",
		"", n(s.States), "", n(s.Matched), "", n(s.Transitions), n(s.Choices), n(s.Executions), n(uint64(s.PeakBytes)), decimal(r.CPU.Seconds()))
}

func (c *csvWriter) Close() error {
	c.w.Flush()
	return c.w.Error()
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', 6, 64) }
