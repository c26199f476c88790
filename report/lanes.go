package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/trace"
)

// lanes draws a schedule: one line per step, one column per goroutine.
//
//	   main  g1  g2
//	4  │    ▸●   │   read  bank.bal = 0    bank.go:9
//	5  │     │  ▸●   read  bank.bal = 0    bank.go:9    ◂ g1 preempted
//
// ▸ marks where another goroutine continues, ✗ where a bug happens. Unless all
// is set, the middle of long stretches of one goroutine is left out.
func lanes(b *bytes.Buffer, events []explore.Event, all bool, bug *explore.Bug) {
	if len(events) == 0 {
		return
	}
	rows := makeRows(events, bug)
	cols := columns(rows)
	keep := shownRows(rows, all)

	kindWidth, whatWidth, posWidth := 0, 0, 0
	for i, r := range rows {
		if keep[i] {
			kindWidth = max(kindWidth, utf8.RuneCountInString(r.kind))
			whatWidth = max(whatWidth, min(48, utf8.RuneCountInString(r.what)))
			posWidth = max(posWidth, utf8.RuneCountInString(r.pos))
		}
	}
	b.WriteString("      ")
	for _, c := range cols {
		b.WriteString(c.name + "  ")
	}
	trimLine(b)
	hidden := 0
	for i, r := range rows {
		if !keep[i] {
			if hidden++; again(rows, i) && !all {
				hidden--
			}
			continue
		}
		if hidden > 0 {
			fmt.Fprintf(b, "   ⋮  (%s)\n", count(hidden, "more step"))
			hidden = 0
		}
		if r.step > 0 {
			fmt.Fprintf(b, "%4d  ", r.step)
		} else {
			b.WriteString("      ")
		}
		for _, c := range cols {
			b.WriteString(cell(c, i, r))
		}
		fmt.Fprintf(b, " %s  %s  %s", pad(r.kind, kindWidth), pad(r.what, whatWidth), pad(r.pos, posWidth))
		if r.note != "" {
			b.WriteString("  ◂ " + r.note)
		}
		trimLine(b)
	}
	if !all && slices.Contains(keep, false) {
		b.WriteString("      (-v shows all steps)\n")
	}
}

// A row is one line of the drawing.
type row struct {
	explore.Event
	step            int // 0: not a step
	kind, what, pos string
	note            string
	switched, wrong bool
	last            bool // of a stretch of one goroutine
}

func makeRows(events []explore.Event, bug *explore.Bug) []row {
	var rows []row
	step := 0
	prev := trace.NoGID
	lastWrite := make(map[uint64]int) // location -> row
	lastRead := make(map[[2]uint64]int)
	for i, e := range events {
		r := row{Event: e, kind: e.Kind.String(), pos: line(e.Pos), switched: prev != trace.NoGID && e.G != prev && !e.Blocked}
		r.what = strings.TrimSpace(e.What + " " + e.Effect)
		if r.what == "" {
			r.what = explore.ShortFunc(e.Func)
		}
		if r.switched {
			rows[len(rows)-1].last = true
		}
		if bug != nil && e.Kind == trace.Crash {
			r.pos = line(bug.Pos) // the stack is gone
		}
		if e.Blocked {
			r.note = "blocked"
			if e.Kind == trace.Spin {
				r.note = "forever"
			}
			rows = append(rows, r)
			continue
		}
		prev = e.G
		step++
		r.step = step
		if e.Preempts != "" {
			r.note = e.Preempts + " preempted"
		}
		if e.Loc != 0 {
			me := [2]uint64{uint64(e.G), e.Loc}
			if w, ok := lastWrite[e.Loc]; ok && e.Write && rows[w].G != e.G && changes(e) {
				if rd, ok := lastRead[me]; ok && rd < w {
					r.note = fmt.Sprintf("overwrites step %d", rows[w].step)
				}
			}
			if e.Write {
				lastWrite[e.Loc] = len(rows)
			} else {
				lastRead[me] = len(rows)
			}
		}
		if bug != nil {
			if bug.Loop >= 0 && i == bug.LoopEvent {
				r.note = strings.TrimPrefix(r.note+"; the loop begins", "; ")
			}
			if bug.Accesses != nil && (i == bug.AccessEvents[0] || i == bug.AccessEvents[1]) {
				r.wrong = true
			}
		}
		rows = append(rows, r)
	}
	if bug != nil && bug.Kind == explore.Failure {
		// The test has failed somewhere after the last operation.
		r := row{kind: "fail", pos: line(bug.Pos)}
		r.what, _, _ = strings.Cut(Message(bug), "\n")
		r.Name = bug.G
		r.G = trace.NoGID
		for _, e := range events {
			if e.Name == bug.G {
				r.G = e.G
			}
		}
		r.switched = r.G != prev
		rows = append(rows, r)
	}
	if end := rows[len(rows)-1]; bug != nil && bug.Loop < 0 && bug.Accesses == nil {
		// A bug of a stuck execution is where every goroutine waits in the end.
		for i := range rows {
			rows[i].wrong = rows[i].wrong || i == len(rows)-1 || end.Blocked && rows[i].Blocked && final(rows, i) && waits(bug, rows[i].G)
		}
	}
	rows[len(rows)-1].last = true
	return rows
}

// waits reports whether g is among those that had not ended when bug showed. A
// goroutine can wait at an operation that a partner then completes.
func waits(bug *explore.Bug, g trace.GID) bool {
	return slices.ContainsFunc(bug.Goroutines, func(x explore.Goroutine) bool { return x.ID == g })
}

// final reports whether row i is the last of its goroutine.
func final(rows []row, i int) bool {
	return !slices.ContainsFunc(rows[i+1:], func(r row) bool { return r.G == rows[i].G })
}

// A column is one goroutine's lane: it is drawn from the row of its first
// step to that of its last.
type column struct {
	g           trace.GID
	name        string
	width       int
	first, last int
}

// columns returns the lanes in the order in which the goroutines appear.
func columns(rows []row) []column {
	var cols []column
	for i, r := range rows {
		k := slices.IndexFunc(cols, func(c column) bool { return c.g == r.G })
		if k < 0 {
			cols = append(cols, column{r.G, r.Name, max(2, len(r.Name)), i, i})
			continue
		}
		cols[k].last = i
	}
	slices.SortStableFunc(cols, func(a, b column) int { return int(a.g) - int(b.g) })
	return cols
}

// cell draws column c in row number i.
func cell(c column, i int, r row) string {
	mark := " "
	switch {
	case c.g == r.G && r.wrong:
		mark = "✗"
	case c.g == r.G && r.Blocked:
		mark = "○"
	case c.g == r.G:
		mark = "●"
	case c.first < i && i < c.last:
		mark = "│"
	}
	lead := " "
	if c.g == r.G && r.switched {
		lead = "▸"
	}
	return lead + mark + strings.Repeat(" ", c.width)
}

// shownRows chooses the rows to draw: all of them if there are few, otherwise
// the ends of each goroutine's stretches and everything remarkable.
func shownRows(rows []row, all bool) []bool {
	keep := make([]bool, len(rows))
	from := 0
	for i := range rows {
		keep[i] = all || (len(rows) <= 24 || rows[i].note != "" || rows[i].wrong) && !again(rows, i)
		if !rows[i].last {
			continue
		}
		for j := from; j <= i; j++ {
			if (j-from < 2 || i-j < 3 || i-from < 7) && !again(rows, j) {
				keep[j] = true
			}
		}
		from = i + 1
	}
	return keep
}

// again reports whether row i says the same as the one before it: a library
// function reads one element after the other.
func again(rows []row, i int) bool {
	if i == 0 || rows[i].note != "" || rows[i].wrong {
		return false
	}
	a, b := rows[i-1], rows[i]
	return a.G == b.G && a.kind == b.kind && a.what == b.what && a.pos == b.pos && a.Blocked == b.Blocked && a.note == ""
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}

// trimLine ends a line without spaces at its end.
func trimLine(b *bytes.Buffer) {
	b.Truncate(len(bytes.TrimRight(b.Bytes(), " ")))
	b.WriteByte('\n')
}

// shortSchedule writes a schedule in one line: "main×3 g1 g2×2".
func shortSchedule(events []explore.Event) string {
	var parts []string
	for _, run := range runs(events) {
		s := run.Name
		if run.Steps > 1 {
			s += fmt.Sprintf("×%d", run.Steps)
		}
		if run.Choice > 0 {
			s += fmt.Sprintf("/%d", run.Choice)
		}
		parts = append(parts, s)
	}
	const most = 12
	if len(parts) > most {
		parts = append(parts[:most], "…")
	}
	return strings.Join(parts, " ")
}
