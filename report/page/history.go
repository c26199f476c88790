package page

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/report"
)

// A history is the history of a scenario of package hbtest/lin: the calls and returns of its operations,
// with their results.
type history struct {
	first, last, order string // operations before and after, and the longest order; as text
	rows               []historyRow
	ranks              int // calls and returns
}

type historyRow struct {
	lane string
	ops  []historyOp
}

// A historyOp is an operation. Its call and its return are known by their ranks among all calls and
// returns, and by their steps.
type historyOp struct {
	text           string // with its arguments and its result
	call, ret      int
	callAt, retAt  int
	place          int // its place in the longest order that the specification has; 0: not in that order
	called, ending bool
}

var (
	historyLine = regexp.MustCompile(`^  (first|g\d+|last|order) +(.*)$`)
	historyCell = regexp.MustCompile(`├─ (.*?) ─+┤`)
	placedOp    = regexp.MustCompile(`of g(\d+)$`)
)

// newHistory returns the history of a failure's text, if it is one of hbtest/lin and the text agrees with
// the calls and returns of the schedule.
func newHistory(b *bug.Bug, message, detail string) *history {
	if !strings.Contains(message, "not linearizable") {
		return nil
	}
	h := &history{}
	for line := range strings.SplitSeq(detail, "\n") {
		m := historyLine.FindStringSubmatch(line)
		switch {
		case m == nil:
			return nil
		case m[1] == "first":
			h.first = m[2]
		case m[1] == "last":
			h.last = m[2]
		case m[1] == "order":
			h.order = m[2]
		default:
			r := historyRow{}
			for _, cell := range historyCell.FindAllStringSubmatch(m[2], -1) {
				r.ops = append(r.ops, historyOp{text: cell[1]})
			}
			h.rows = append(h.rows, r)
		}
	}
	if !h.schedule(b) {
		return nil
	}
	h.placed()
	return h
}

// schedule finds the calls and returns of the operations; ok is false if the text has other ones.
func (h *history) schedule(b *bug.Bug) (ok bool) {
	list, _ := report.Lines(b)
	var lanes []string
	for i := range list {
		if l := &list[i]; l.Step > 0 && l.Event.Word == "call" && !slices.Contains(lanes, l.Lane) {
			lanes = append(lanes, l.Lane)
		}
	}
	report.SortLanes(lanes)
	if len(lanes) != len(h.rows) {
		return false
	}
	for i, name := range lanes {
		h.rows[i].lane = name
	}
	at := make([]int, len(lanes))
	for i := range list {
		l := &list[i]
		g := slices.Index(lanes, l.Lane)
		if l.Step == 0 || g < 0 || l.Event.Word != "call" && l.Event.Word != "return" {
			continue
		}
		if at[g] == len(h.rows[g].ops) {
			return false
		}
		o := &h.rows[g].ops[at[g]]
		if !strings.HasPrefix(o.text, l.Event.What) {
			return false
		}
		if l.Event.Word == "call" {
			o.call, o.callAt, o.called = h.ranks, l.Step, true
		} else {
			o.ret, o.retAt, o.ending = h.ranks, l.Step, true
			at[g]++
		}
		h.ranks++
	}
	for _, r := range h.rows {
		for _, o := range r.ops {
			if !o.called || !o.ending {
				return false
			}
		}
	}
	return len(h.rows) > 0
}

// placed finds which operations are in the longest order. The n-th operation of a goroutine in that
// order is the n-th one in its row.
func (h *history) placed() {
	at := make([]int, len(h.rows))
	place := 0
	for part := range strings.SplitSeq(h.order, "; ") {
		var g int
		m := placedOp.FindStringSubmatch(part)
		if m == nil {
			continue
		}
		fmt.Sscan(m[1], &g)
		if g--; g < len(h.rows) && at[g] < len(h.rows[g].ops) {
			place++
			h.rows[g].ops[at[g]].place = place
			at[g]++
		}
	}
}

// Sizes of the picture.
const (
	historyName  = 48 // width of names of goroutines
	historyRowHt = 38
	historyChar  = 7.4 // width of a character
	historyGap   = 14
)

// columns returns the positions of calls and returns, which leave enough room for the texts.
func (h *history) columns() []float64 {
	x := make([]float64, h.ranks)
	x[0] = historyName
	for k := 1; k < h.ranks; k++ {
		x[k] = x[k-1] + historyGap
		for _, r := range h.rows {
			for _, o := range r.ops {
				if o.ret == k {
					x[k] = max(x[k], x[o.call]+historyChar*float64(len([]rune(o.label())))+18)
				}
			}
		}
	}
	return x
}

// label is the picture's text for an operation: with its place in the order, or without one.
func (o *historyOp) label() string {
	if o.place > 0 {
		return fmt.Sprintf("%d  %s", o.place, o.text)
	}
	return "✗  " + o.text
}

// html returns the picture: a lane for each goroutine, in which an operation reaches from its call to its
// return. Each is a link to the step of its call.
func (h *history) html() string {
	var b strings.Builder
	b.WriteString("\n<div class=\"history\" role=\"region\" tabindex=\"0\" aria-label=\"history of the operations\">\n")
	note := func(name, text, class string) {
		if text != "" {
			fmt.Fprintf(&b, "<p%s><b>%s</b> <code>%s</code></p>\n", class, name, escaped(text))
		}
	}
	all := !slices.ContainsFunc(h.rows, func(r historyRow) bool {
		return slices.ContainsFunc(r.ops, func(o historyOp) bool { return o.place == 0 })
	})
	note("before", h.first, "")
	x := h.columns()
	width, height := x[len(x)-1]+20, historyRowHt*len(h.rows)+4
	fmt.Fprintf(&b, "<svg width=\"%.0f\" height=\"%d\" viewBox=\"0 0 %.0f %d\" role=\"list\">\n", width, height, width, height)
	for g, r := range h.rows {
		y := historyRowHt * g
		fmt.Fprintf(&b, "<text x=\"4\" y=\"%d\" class=\"who\">%s</text><line x1=\"%d\" x2=\"%.0f\" y1=\"%d\" y2=\"%d\" class=\"time\"/>\n",
			y+24, escaped(r.lane), historyName-8, width, y+20, y+20)
		for _, o := range r.ops {
			class, place := "op", fmt.Sprintf("number %d of the longest order", o.place)
			if o.place == 0 {
				class, place = "op not", "no order can continue with it and this result"
			}
			says := fmt.Sprintf("%s: %s; called in step %d, returns in step %d; %s", r.lane, o.text, o.callAt, o.retAt, place)
			fmt.Fprintf(&b, "<g role=\"listitem\"><a href=\"#step=%d\" class=\"%s\" aria-label=\"%s\"><title>%s</title>"+
				"<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"26\" rx=\"4\"/><text x=\"%.1f\" y=\"%d\">%s</text></a></g>\n",
				o.callAt, class, escaped(says), escaped(says), x[o.call], y+7, x[o.ret]-x[o.call], x[o.call]+9, y+24, escaped(o.label()))
		}
	}
	b.WriteString("</svg>\n")
	wrong := ""
	if all {
		wrong = " class=\"not\"" // then these operations are not the cause
	}
	note("after", h.last, wrong)
	note("order", h.order, "")
	b.WriteString("</div>")
	return b.String()
}
