package bench

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"hbcheck.dev/hbcheck/report"
)

// Spin14 implements Writer. The Markdown tables have one row per program,
// as in the paper; Spin14Summary writes them.
func (b *textWriter) Spin14(columns []*Spin14Row) error {
	if b.md {
		return nil
	}
	b.begin(spin14Table, "spin14", "hybrid", "verdict", "choices", "fewer", "in paper", "choices there", "states",
		"final", "eliminated", "static", "total", "memory")
	for i, r := range columns {
		name := strings.TrimRight(r.Program+" "+r.Args(r.Size), " ")
		if i > 0 {
			name = ""
		}
		s, there := &r.Result.Stats, "-"
		if p, ok := r.Published(); ok {
			there = decimals(p.Choices)
		}
		ours, paper := r.Reduction()
		err := b.row(name, string(r.Result.Hybrid), string(r.Result.Verdict), decimals(s.Choices), times(ours),
			times(paper), there, decimals(s.States),
			decimals(uint64(len(r.Result.Finals))), reasons(r), millis(s.Static), millis(r.CPU), megabytes(s.PeakBytes))
		if err != nil {
			return err
		}
	}
	return nil
}

// Spin14Summary implements Writer.
func (b *textWriter) Spin14Summary(programs [][]*Spin14Row, problems []string) error {
	if len(programs) == 0 {
		return nil
	}
	if b.md {
		b.spin14Markdown(programs)
	}
	if err := b.Close(); err != nil {
		return err
	}
	if b.t != nil {
		b.t, b.k = nil, -1
	}
	if len(problems) == 0 {
		_, err := fmt.Fprintln(b.w,
			"\nAll columns of a program have the same verdict, the same bugs and the same final states, and no more choices than the column to the left.")
		return err
	}
	fmt.Fprintln(b.w)
	for _, p := range problems {
		if _, err := fmt.Fprintln(b.w, "problem:", p); err != nil {
			return err
		}
	}
	return nil
}

// spin14Markdown writes the numbers that are compared with the paper, and then the costs.
func (b *textWriter) spin14Markdown(programs [][]*Spin14Row) {
	inPaper := func(columns []*Spin14Row, i int) (string, bool) {
		p, ok := columns[i].Published()
		if !ok {
			return "–", false
		}
		return report.Digits(p.Choices), true
	}
	published := func(i int) bool {
		return slices.ContainsFunc(programs, func(c []*Spin14Row) bool { _, ok := inPaper(c, i); return ok })
	}
	heading := []string{"program"}
	for i, r := range programs[0] {
		if published(i) {
			heading = append(heading, "paper: "+string(r.Result.Hybrid))
		}
	}
	for i, r := range programs[0] {
		heading = append(heading, string(r.Result.Hybrid))
		if i > 0 {
			heading = append(heading, "fewer")
			if published(i) {
				heading = append(heading, "in paper")
			}
		}
	}
	heading = append(heading, "in all", "in paper")
	b.begin(spin14Table, heading...)
	for _, columns := range programs {
		row := []string{columns[0].Title}
		for i := range columns {
			if n, _ := inPaper(columns, i); published(i) {
				row = append(row, n)
			}
		}
		for i, r := range columns {
			row = append(row, report.Digits(r.Result.Stats.Choices))
			if i > 0 {
				ours, paper := r.Reduction()
				row = append(row, times(ours))
				if published(i) {
					row = append(row, times(paper))
				}
			}
		}
		ours, paper := columns[len(columns)-1].Overall()
		row = append(row, times(ours), times(paper))
		b.row(row...)
	}
	b.begin(spin14CostTable, "program", "arguments", "", "verdict", "states", "final", "time", "static (elapsed)", "memory", "eliminated")
	for _, columns := range programs {
		for i, r := range columns {
			title, args := r.Title, r.Args(r.Size)
			if i > 0 {
				title, args = "", ""
			}
			s := &r.Result.Stats
			b.row(title, args, string(r.Result.Hybrid), string(r.Result.Verdict), report.Digits(s.States),
				report.Digits(uint64(len(r.Result.Finals))),
				took(r.CPU), took(s.Static), megabytes(s.PeakBytes), reasons(r))
		}
	}
}

// times writes a factor, if there is one.
func times(x float64) string {
	if x == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f×", x)
}

func took(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

// reasons lists the choices eliminated.
func reasons(r *Spin14Row) string {
	var list []string
	for _, e := range r.Eliminated() {
		list = append(list, e.Name+" "+report.Digits(e.Count))
	}
	if len(list) == 0 {
		return "–"
	}
	return strings.Join(list, ", ")
}

type jsonSpin14 struct {
	report.JSONStats
	CPU       float64 `json:"cpu_s"` // static analysis and search
	Reduction float64 `json:"reduction"`
	Finals    int     `json:"finals"`
}

type jsonTable2 struct {
	Paper     string  `json:"paper"`
	Choices   uint64  `json:"choices,omitempty"`
	Static    float64 `json:"static_s"`
	Total     float64 `json:"total_s"`
	Reduction float64 `json:"reduction"`
}

// Spin14 implements Writer.
func (j *jsonWriter) Spin14(columns []*Spin14Row) error {
	for _, r := range columns {
		ours, paper := r.Reduction()
		row := jsonRow{Action: "row", Suite: "spin14", Program: r.Program, Size: r.Size, POR: r.Result.POR,
			Hybrid: string(r.Result.Hybrid), Verdict: string(r.Result.Verdict),
			Stats: jsonSpin14{report.NewJSONStats(&r.Result.Stats), r.CPU.Seconds(), ours, len(r.Result.Finals)}, Published: struct{}{}}
		if p, ok := r.Published(); ok {
			row.Published = jsonTable2{"SPIN 2014, table 2", p.Choices, p.Static.Seconds(), p.Total.Seconds(), paper}
		}
		if err := report.WriteJSON(j.w, row); err != nil {
			return err
		}
	}
	return nil
}

// Spin14Summary implements Writer.
func (j *jsonWriter) Spin14Summary(_ [][]*Spin14Row, problems []string) error {
	return report.WriteJSON(j.w, struct {
		Action   string   `json:"action"`
		Suite    string   `json:"suite"`
		Problems []string `json:"problems"`
	}{"summary", "spin14", append([]string{}, problems...)})
}

// Spin14 implements Writer.
func (c *csvWriter) Spin14(columns []*Spin14Row) error {
	for _, r := range columns {
		s := &r.Result.Stats
		ours, paper := r.Reduction()
		fields := []string{"spin14", r.Program, r.Size, r.Result.POR, string(r.Result.Hybrid),
			string(r.Result.Verdict), "", "", "", decimals(s.States), "", decimals(s.Matched), "",
			decimals(s.Transitions), decimals(s.Choices), decimals(s.Executions), decimals(uint64(s.PeakBytes)), decimal(r.CPU.Seconds()), "", "", "",
			strings.ReplaceAll(reasons(r), ", ", "; "), decimal(s.Static.Seconds()), decimal(ours)}
		if p, ok := r.Published(); ok {
			fields = append(fields, decimals(p.Choices), decimal(p.Static.Seconds()), decimal(p.Total.Seconds()), decimal(paper))
		} else {
			fields = append(fields, "", "", "", "")
		}
		if err := c.row(append(fields, decimals(uint64(len(r.Result.Finals))))...); err != nil {
			return err
		}
	}
	return nil
}

// Spin14Summary writes nothing, because all rows of the table have the same form.
func (c *csvWriter) Spin14Summary([][]*Spin14Row, []string) error { return nil }
