package report

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/trace"
)

// lanes draws a schedule: one line per step, one column per goroutine.
//
//	   main  g1  g2
//	4  │    ▸●   │   read  bank.bal = 0    bank.go:9
//	5  │     │  ▸●   read  bank.bal = 0    bank.go:9    ◂ g1 preempted
//
// ▸ marks where another goroutine continues, ✗ where a bug happens. Unless all is set, the middle of long
// stretches of one goroutine is left out. bound limits the rows, except decisive ones; 0: the usual limit.
func lanes(b *bytes.Buffer, events []describe.Event, all bool, bug *bug.Bug, bound int) {
	if len(events) == 0 {
		return
	}
	rows, most := makeRows(events, bug), mostRows
	if !all {
		leaveOut(rows, bug)
		if long := numDrawn(rows) > mostRows; foldRows(rows, bug) && long {
			most = mostFolded
		}
		if bound > 0 {
			most = min(most, bound)
		}
	}
	markStretches(rows)
	keep := shownRows(rows, all, most)
	cols := columns(rows, keep)
	w := widths(rows, keep)
	b.WriteString(strings.Repeat(" ", w.step+2))
	if total(cols) > maxLanes {
		cols = nil // names instead
		b.WriteString(" goroutine")
	}
	for _, c := range cols {
		b.WriteString(c.name + "  ")
	}
	trimLine(b)
	hidden, more := gap{}, false
	for i := range rows {
		if !keep[i] {
			more = more || rows[i].out != untold
			hidden.add(&rows[i])
			continue
		}
		hidden.write(b)
		hidden = gap{}
		rows[i].write(b, i, cols, w)
	}
	hidden.write(b)
	if more && !all {
		b.WriteString("      (-v shows all steps)\n")
	}
}

// A gap is a stretch of rows that are not drawn.
type gap struct {
	steps    int
	out      [numOuts]int // numbers of these steps, by reason
	internal []string     // packages of the internal steps
	waits    int          // goroutines that wait forever
}

func (g *gap) add(r *row) {
	if r.wrong && r.Blocked {
		g.waits++
	}
	if r.step > 0 && r.out != folded {
		n := max(1, r.steps, r.calls)
		g.steps += n
		g.out[r.out] += n
		if r.out == internal && !slices.Contains(g.internal, r.Internal) {
			g.internal = append(g.internal, r.Internal)
		}
	}
}

// write writes the number of steps that are not drawn, with the reason if all have the same one.
func (g *gap) write(b *bytes.Buffer) {
	if g.waits > 0 {
		defer fmt.Fprintf(b, "   ⋮  (%s)\n", count(g.waits, "more goroutine")+" blocked")
	}
	if g.steps == 0 {
		return
	}
	text := count(g.steps, "more step")
	switch g.steps {
	case g.out[internal]:
		text += " inside " + strings.Join(g.internal, " and ")
	case g.out[uninvolved]:
		text += " of goroutines that share nothing with these"
	case g.out[untold]:
		text += ", not shown"
	case g.out[afterwards]:
		text += " until the test has ended"
	}
	fmt.Fprintf(b, "   ⋮  (%s)\n", text)
}

// rowWidths are the widths of the columns to the right of the lanes.
type rowWidths struct{ step, name, kind, what, pos int }

// maxLanes bounds the width of the lanes of all goroutines. If more are needed, all steps are drawn in one,
// with names.
const maxLanes = 120

// maxWhat is the width of the longest text for which there is room in a column.
const maxWhat = 48

// mostWhat is the number of bytes that are shown of a longer text.
const mostWhat = 1 << 10

// widths returns the widths that the rows to be drawn need.
func widths(rows []row, keep []bool) (w rowWidths) {
	w.step = 4
	for i, r := range rows {
		if keep[i] {
			w.step = max(w.step, len(strconv.Itoa(r.step)))
			w.name = max(w.name, len(r.Name))
			w.kind = max(w.kind, utf8.RuneCountInString(r.kind))
			w.what = max(w.what, min(maxWhat, utf8.RuneCountInString(r.text())))
			w.pos = max(w.pos, utf8.RuneCountInString(r.pos))
		}
	}
	return w
}

// A row is one line of the drawing.
type row struct {
	describe.Event
	lane            trace.GID // lane of its goroutine, or that of all timers
	laneName        string
	step            int // 0: not a step
	kind, what, pos string
	note            string
	switched, wrong bool
	last            bool // the step is the last one of a stretch of one goroutine
	out             out  // why the row is left out
	calls           int  // number of steps of a call for which the row stands; 0: the row is a single step
	decides         bool // the explanation of the bug names the step
	overwrites      int  // the step it overwrites, 0: none
	steps           int  // number of steps for which the row stands, if their details are unknown
}

// write draws r, which is row number i.
func (r *row) write(b *bytes.Buffer, i int, cols []column, w rowWidths) {
	if r.step > 0 {
		fmt.Fprintf(b, "%*d  ", w.step, r.step)
	} else {
		b.WriteString(strings.Repeat(" ", w.step+2))
	}
	for _, c := range cols {
		b.WriteString(cell(c, i, r))
	}
	if cols == nil {
		b.WriteString(cell(column{g: r.lane, width: 1}, i, r) + pad(r.Name, w.name) + " ")
	}
	fmt.Fprintf(b, " %s  %s  %s", pad(r.kind, w.kind), pad(r.text(), w.what), pad(r.pos, w.pos))
	if r.note != "" {
		b.WriteString("  ◂ " + r.note)
	}
	trimLine(b)
}

// text is the text of r.
func (r *row) text() string {
	//mutant: calls hide how many steps they have [test ./cmd/hbcheck TestScripts/folded]: "r.calls > 1" -> "r.calls > 1000"
	if r.calls > 1 {
		return fmt.Sprintf("%s (%s)", r.what, count(r.calls, "step"))
	}
	return r.what
}

// makeRows returns a row for each event, and one for the failure of a test.
func makeRows(events []describe.Event, b *bug.Bug) []row {
	rows := make([]row, 0, len(events)+1)
	updates := newOverwrites()
	step, failed := 0, false
	if b != nil && b.FailsAtStart && len(events) > 0 {
		rows = append(rows, failureRow(events, b))
		failed = true
	}
	for i := range events {
		e := &events[i]
		if e.Brief {
			step++
			if n := len(rows); n == 0 || rows[n-1].out != untold {
				rows = append(rows, row{Event: *e, lane: e.G, laneName: e.Name, step: step, out: untold})
				updates = newOverwrites()
			}
			rows[len(rows)-1].steps++
			if e.Fails && b != nil && b.Kind == bug.Failure {
				rows = append(rows, failureRow(events, b))
				failed = true
			}
			continue
		}
		r := newRow(e, b)
		if e.Blocked && (timer(e) || collector(e)) {
			continue // e waits for time to pass, or for all goroutines to wait
		}
		if e.Blocked {
			r.note = "blocked"
			if e.Kind == trace.Spin {
				r.note = "forever"
			}
			rows = append(rows, r)
			continue
		}
		step++
		r.step = step
		if e.Preempts != "" {
			r.note = e.Preempts + " preempted"
		}
		if n := updates.add(e, step); n > 0 {
			r.note, r.overwrites = fmt.Sprintf("overwrites step %d", n), n
		}
		if b != nil && b.Loop >= 0 && i == b.LoopEvent {
			r.note = strings.TrimPrefix(r.note+"; the loop begins", "; ")
		}
		r.wrong = b != nil && b.Accesses != nil && slices.Contains(b.AccessEvents[:], i)
		rows = append(rows, r)
		if e.Fails && b != nil && b.Kind == bug.Failure {
			rows = append(rows, failureRow(events, b))
			failed = true
		}
	}
	if b != nil && b.Kind == bug.Failure && !failed {
		rows = append(rows, failureRow(events, b))
	}
	markWrong(rows, b)
	markDecisive(rows, b)
	numberNames(rows, b)
	return rows
}

// markDecisive marks the rows of steps that the explanation of the bug names. For a goroutine that waits
// for a lock, it names the holder.
func markDecisive(rows []row, bug *bug.Bug) {
	if bug == nil {
		return
	}
	named := decisive(bug)
	var overwritten []int
	for i := range rows {
		if n := rows[i].overwrites; n > 0 {
			overwritten = append(overwritten, n)
		}
	}
	if len(overwritten) <= maxPlaces {
		named = append(named, overwritten...)
	}
	for i := range rows {
		r := &rows[i]
		r.decides = r.step > 0 && slices.Contains(named, r.step)
		if !r.wrong || !r.Blocked {
			continue
		}
		for _, g := range bug.Goroutines {
			if g.ID != r.G || len(g.Awaits) == 0 {
				continue
			}
			if h := &g.Awaits[0]; h.Event >= 0 {
				r.note = fmt.Sprintf("blocked: locked by %s in step %d", h.G, len(steps(bug.Events[:h.Event+1])))
			}
		}
	}
}

// numberNames numbers objects that the program calls by the same name, such as the mutexes of two accounts:
// the second is "a.mu (2)".
func numberNames(rows []row, bug *bug.Bug) {
	known := make(map[string][]uint64) // objects, by name
	for i := range rows {
		r := &rows[i]
		loc, row := r.Loc, r.Event.Kind.Row()
		if n := len(r.Touches); loc == 0 && n > 0 {
			loc = r.Touches[0]
		}
		if !row.On.Row().Primitive || row.On == trace.OnCond { // Cond.Wait is on its lock, too
			continue
		}
		if bug != nil && row.On == trace.OnChannel {
			if calls := bug.CallsOf(&r.Event); len(calls) > 0 && calls[0].Std {
				continue // a channel of the library's own, with the name of the function
			}
		}
		if row.On == trace.OnChannel {
			loc >>= 32 // operations on a channel access different parts of it
		}
		name := strings.TrimPrefix(r.What, "<-")
		if loc == 0 || r.step == 0 && !r.Blocked || len(r.Touches) > 1 && row.On == trace.OnChannel || !simple(name) {
			continue
		}
		k := slices.Index(known[name], loc)
		if k < 0 {
			k = len(known[name])
			known[name] = append(known[name], loc)
		}
		if k > 0 {
			r.what = strings.TrimSpace(fmt.Sprintf("%s (%d) %s", r.What, k+1, r.Effect))
		}
	}
}

// simple reports whether a name is that of a variable or a field, which does not denote a new
// object each time.
func simple(name string) bool { return name != "" && !strings.ContainsAny(name, "(<, ") }

// markStretches marks the first and the last row of each stretch of one goroutine. Rows that are left
// out are in none.
func markStretches(rows []row) {
	last := -1
	for i := range rows {
		r := &rows[i]
		if r.out != drawn {
			continue
		}
		if !r.Blocked && last >= 0 && rows[last].G != r.G {
			r.switched, rows[last].last = true, true
		}
		last = i
	}
	if last >= 0 {
		rows[last].last = true
	}
}

// timer reports whether e is an event of a timer, which is not a goroutine of the program.
func timer(e *describe.Event) bool { return e.Kind == trace.Timer && !e.Pos.IsValid() }

// collector reports whether e is an event of the garbage collector.
func collector(e *describe.Event) bool { return e.Kind == trace.SemAcquire && !e.Pos.IsValid() }

// timers is the name of the lane of all timers.
const timers = "timers"

// newRow returns the row of e, as far as it depends on e alone.
func newRow(e *describe.Event, bug *bug.Bug) row {
	r := row{Event: *e, lane: e.G, laneName: e.Name, kind: e.KindName(), pos: line(e.Pos), what: shortened(strings.TrimSpace(e.What+" "+e.Effect), mostWhat)}
	if (e.Kind == trace.Select || e.Kind == trace.TrySelect) && e.Effect != "" && utf8.RuneCountInString(r.what) > maxWhat {
		r.what = "... " + e.Effect // the case that was taken, without the others
	}
	if e.What == "" && (r.what == "" || e.Kind == trace.Clock) {
		r.what = strings.TrimSpace(describe.ShortFunc(e.Func) + " " + e.Effect)
	}
	if timer(e) {
		r.lane, r.laneName, r.what = trace.NoGID-1, timers, e.Name+" "+r.what
	}
	if bug != nil && e.Kind == trace.Crash {
		r.pos = line(bug.Pos) // there is no stack any more
	}
	return r
}

// failureRow returns a row for the failure of a test, which is not an operation.
func failureRow(events []describe.Event, bug *bug.Bug) row {
	r := row{kind: failureKind, pos: line(bug.Pos)}
	r.what, _, _ = strings.Cut(Message(bug), "\n")
	r.what = shortened(r.what, mostWhat)
	r.Name, r.G = bug.G, trace.NoGID
	for _, e := range events {
		if e.Name == bug.G {
			r.G = e.G
		}
	}
	r.lane, r.laneName = r.G, r.Name
	return r
}

// markWrong marks where the bug happens: in the last row, or, if the execution is stuck, where every
// goroutine waits in the end. The accesses of a race are already marked, and a loop has no single place.
func markWrong(rows []row, b *bug.Bug) {
	if b == nil || b.Loop >= 0 || b.Accesses != nil {
		return
	}
	end := len(rows) - 1
	if i := slices.IndexFunc(rows, func(r row) bool { return r.kind == failureKind }); i >= 0 {
		end = i
	}
	stuck := b.Kind == bug.Deadlock || b.Kind == bug.Leak || rows[end].Blocked
	for i := range rows {
		waitsHere := stuck && rows[i].Blocked && final(rows, i) && waits(b, rows[i].G) &&
			(b.Kind != bug.Leak || rows[i].Name == b.G) // another goroutine that is left is another bug
		//mutant: a bubble's goroutines do not wait where it ends [test ./cmd/hbcheck TestScripts/stranded]: remove 1
		waitsHere = waitsHere || b.Strands() && rows[i].Blocked && stranded(b, rows[i].G)
		rows[i].wrong = rows[i].wrong || i == end && !stuck || waitsHere
	}
}

// overwrites finds writes that overwrite a value that another goroutine has written since the writer read
// the location.
type overwrites struct {
	written map[uint64]access // the last write, by location
	read    map[[2]uint64]int // the step of the last read, by goroutine and location
}

type access struct {
	g    trace.GID
	step int
}

func newOverwrites() overwrites {
	return overwrites{make(map[uint64]access), make(map[[2]uint64]int)}
}

// add takes e, the next step, and returns the step it overwrites, or 0.
func (o overwrites) add(e *describe.Event, step int) (overwritten int) {
	if e.Loc == 0 {
		return 0
	}
	own := [2]uint64{uint64(e.G), e.Loc}
	if !e.Write {
		o.read[own] = step
		return 0
	}
	last, known := o.written[e.Loc]
	read, hasRead := o.read[own]
	if known && last.g != e.G && changes(e) && hasRead && read < last.step {
		overwritten = last.step
	}
	o.written[e.Loc] = access{e.G, step}
	return overwritten
}

// waits reports whether g had not ended when bug showed. A goroutine can wait at an operation that a partner
// then completes.
func waits(bug *bug.Bug, g trace.GID) bool {
	return slices.ContainsFunc(bug.Goroutines, func(x describe.Goroutine) bool { return x.ID == g })
}

// stranded reports whether a goroutine waits in a bubble that has ended.
func stranded(bug *bug.Bug, g trace.GID) bool {
	return slices.ContainsFunc(bug.Goroutines, func(x describe.Goroutine) bool { return x.ID == g && x.Bubble != 0 })
}

// final reports whether row i is the last of its goroutine.
func final(rows []row, i int) bool {
	return !slices.ContainsFunc(rows[i+1:], func(r row) bool { return r.G == rows[i].G })
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
func shortSchedule(events []describe.Event) string {
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
