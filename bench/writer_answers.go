package bench

import (
	"fmt"

	"hbcheck.dev/hbcheck/report"
)

// Answers implements Writer.
func (b *textWriter) Answers(suite string, rows []*AnswerRow) error {
	b.begin(answersTable, suite, "explorer", "verdict", "executions", "states", "steps", "of the best", "cpu")
	for _, r := range rows {
		s := &r.Result.Stats
		name, by := r.Name(), r.Explorer
		if r.Result.Auto {
			by += " (" + r.Result.POR + ")"
		}
		ratio := "-"
		if r.Ratio() > 0 && r.Answered() {
			ratio = fmt.Sprintf("%.2f", r.Ratio())
		}
		if err := b.row(name, by, r.Verdict(), decimals(s.Executions), decimals(s.States), decimals(r.Work()), ratio, millis(r.CPU)); err != nil {
			return err
		}
	}
	return nil
}

type jsonAnswer struct {
	report.JSONStats
	CPU   float64 `json:"cpu_s"`
	Work  uint64  `json:"work"`
	Ratio float64 `json:"ratio,omitempty"`
}

// Answers implements Writer.
func (j *jsonWriter) Answers(suite string, rows []*AnswerRow) error {
	for _, r := range rows {
		if err := report.WriteJSON(j.w, jsonRow{Action: "row", Suite: suite, Program: r.Program, Size: r.Args, POR: r.Explorer,
			Hybrid: string(r.Result.Hybrid), Verdict: r.Verdict(),
			Stats:     jsonAnswer{report.NewJSONStats(&r.Result.Stats), r.CPU.Seconds(), r.Work(), r.Ratio()},
			Published: struct{}{}}); err != nil {
			return err
		}
	}
	return nil
}

// Answers implements Writer.
func (c *csvWriter) Answers(suite string, rows []*AnswerRow) error {
	for _, r := range rows {
		s, n := &r.Result.Stats, decimals
		if err := c.row(suite, r.Program, r.Args, r.Explorer, string(r.Result.Hybrid), r.Verdict(), "", "", decimal(r.Ratio()),
			n(s.States), "", n(s.Matched), "", n(r.Work()), n(s.Choices), n(s.Executions), n(uint64(s.PeakBytes)), decimal(r.CPU.Seconds())); err != nil {
			return err
		}
	}
	return nil
}
