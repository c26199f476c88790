package lin

import (
	"fmt"
	"slices"
	"strings"
)

// picture shows h, and the longest order of operations that s allows. It has a row for each
// goroutine, in which an operation is as wide as the interval between its call and its return.
// initial, calls and final are the names of operations.
func (h *history) picture(s *spec, initial, calls, final []string) string {
	var b strings.Builder
	b.WriteString("not linearizable: no order of these operations, one after another, has these results\n")
	if len(initial) > 0 {
		fmt.Fprintf(&b, "  first  %s\n", sequenceText(initial, h.initial))
	}
	texts := make([][]string, len(h.events))
	for g, events := range h.events {
		for i, e := range events {
			texts[g] = append(texts[g], operation(calls[h.scenario[g][i]], e.result))
		}
	}
	for g, row := range h.rows(texts) {
		fmt.Fprintf(&b, "  g%-4d  %s\n", g+1, row)
	}
	if len(final) > 0 {
		fmt.Fprintf(&b, "  last   %s\n", sequenceText(final, h.final))
	}
	var best []int
	h.longest(s, s.root, nil, make([]int, len(h.events)), &best)
	at, placed := make([]int, len(texts)), []string{}
	for _, g := range best {
		placed = append(placed, fmt.Sprintf("%s of g%d", texts[g][at[g]], g+1))
		at[g]++
	}
	switch {
	case len(best) == 0:
		b.WriteString("  order  none of them can come first with its result")
	case slices.Equal(at, s.lengths):
		fmt.Fprintf(&b, "  order  %s; but then the operations before or after them have other results", strings.Join(placed, "; "))
	default:
		fmt.Fprintf(&b, "  order  %s; and no other operation can come next with its result", strings.Join(placed, "; "))
	}
	return b.String()
}

// operation returns the text of an operation and its result.
func operation(name string, result any) string {
	if result == nil {
		return name
	}
	return name + " " + show(result)
}

func sequenceText(names []string, list []any) string {
	var texts []string
	for i, name := range names {
		texts = append(texts, operation(name, list[i]))
	}
	return strings.Join(texts, "; ")
}

// rows draws the operations so that one ends before another begins if and only if the first precedes
// the second.
func (h *history) rows(texts [][]string) []string {
	rows := make([]string, len(texts))
	at := make([]int, len(texts))    // operations drawn to their end
	open := make([]bool, len(texts)) // of which the next one is called
	column := 0
	pad := func(g, to int, with string) {
		if n := to - len([]rune(rows[g])); n > 0 {
			rows[g] += strings.Repeat(with, n)
		}
	}
	for {
		// First all possible calls are drawn, then all returns that must come next.
		moved := false
		for g, events := range h.events {
			if !open[g] && at[g] < len(events) && h.minimal(&events[at[g]], at) {
				pad(g, column, " ")
				rows[g] += "├─ " + texts[g][at[g]] + " "
				open[g], moved = true, true
			}
		}
		for g := range rows {
			if open[g] {
				column = max(column, len([]rune(rows[g])))
			}
		}
		if g := h.returns(at, open); g >= 0 {
			pad(g, column, "─")
			rows[g] += "─┤"
			column = len([]rune(rows[g])) + 1
			at[g]++
			open[g], moved = false, true
		}
		if !moved {
			return rows
		}
	}
}

// returns returns a goroutine whose operation can return now, because every operation that it does
// not precede has been called; -1 if there is none.
func (h *history) returns(at []int, open []bool) int {
	for g, is := range open {
		if is && !slices.ContainsFunc(h.waiting(at, open), func(e *event) bool { return e.before.returned(g) <= at[g] }) {
			return g
		}
	}
	return -1
}

// waiting returns the next operation of each goroutine that is yet to be called.
func (h *history) waiting(at []int, open []bool) (list []*event) {
	for g, events := range h.events {
		next := at[g]
		if open[g] {
			next++
		}
		if next < len(events) {
			list = append(list, &events[next])
		}
	}
	return list
}
