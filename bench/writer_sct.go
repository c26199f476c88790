package bench

import (
	"fmt"

	"hbcheck.dev/hbcheck/report"
)

// cell returns the text for a row in a table: the mean, and the number of searches that find the bug unless
// all do.
func (r *SCTRow) cell() string {
	s := tenths(r.Mean())
	if n := r.Found(); n < len(r.First) {
		s += fmt.Sprintf(" (%d of %d)", n, len(r.First))
	}
	return s
}

func (b *textWriter) SCT(rows []*SCTRow) error {
	heading, cells := []string{"sct"}, []string{rows[0].Name()}
	for _, r := range rows {
		heading, cells = append(heading, r.POR), append(cells, r.cell())
	}
	b.begin(sctTable, heading...)
	return b.row(cells...)
}

func (j *jsonWriter) SCT(rows []*SCTRow) error {
	for _, r := range rows {
		err := report.WriteJSON(j.w, jsonRow{Action: "row", Suite: "sct", Program: r.Program, Size: r.Args, POR: r.POR, Hybrid: "none",
			Verdict: "fail", Published: struct{}{},
			Stats: struct {
				Mean  float64  `json:"executions_geomean"`
				Found int      `json:"found"`
				First []uint64 `json:"executions"`
			}{r.Mean(), r.Found(), r.First}})
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *csvWriter) SCT(rows []*SCTRow) error {
	for _, r := range rows {
		if err := c.row("sct", r.Program, r.Args, r.POR, "none", "fail", "", "", "", "", "", "", "", "", "", decimal(r.Mean())); err != nil {
			return err
		}
	}
	return nil
}
