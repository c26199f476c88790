package bench

import (
	"fmt"

	"hbcheck.dev/hbcheck/report"
)

func (b *textWriter) Big(r *BigRow) error {
	b.begin(bigTable, "big", "goroutines", "steps", "native", "-race", "run", "random", "run/native", "random/run", "ns/step", "memory")
	race := "-"
	if r.Race > 0 {
		race = millis(r.Race)
	}
	return b.row(r.Name(), fmt.Sprint(r.Goroutines), fmt.Sprint(r.Steps), millis(r.Native), race, millis(r.Run), millis(r.Random),
		tenths(ratio(r.Run, r.Native)), tenths(ratio(r.Random, r.Run)), fmt.Sprint(r.PerStep().Nanoseconds()), megabytes(r.Memory))
}

func (j *jsonWriter) Big(r *BigRow) error {
	return report.WriteJSON(j.w, jsonRow{Action: "row", Suite: "big", Program: r.Program, Size: r.Args, POR: "random", Hybrid: "none",
		Verdict: "ok", Published: struct{}{},
		Stats: struct {
			Goroutines int     `json:"goroutines"`
			Steps      int     `json:"maxdepth"`
			Native     float64 `json:"native_cpu_s"`
			Race       float64 `json:"race_cpu_s,omitempty"`
			Run        float64 `json:"vm_cpu_s"`
			Random     float64 `json:"cpu_s"`
			Memory     int64   `json:"peak_bytes"`
		}{r.Goroutines, r.Steps, r.Native.Seconds(), r.Race.Seconds(), r.Run.Seconds(), r.Random.Seconds(), r.Memory}})
}

func (c *csvWriter) Big(r *BigRow) error {
	return c.row("big", r.Program, r.Args, "random", "none", "ok", decimal(r.Native.Seconds()), decimal(r.Run.Seconds()),
		decimal(ratio(r.Run, r.Native)), "", "", "", "", fmt.Sprint(r.Steps), "", "1", fmt.Sprint(r.Memory), decimal(r.Random.Seconds()))
}
