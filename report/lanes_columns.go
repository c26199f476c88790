package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"hbcheck.dev/hbcheck/trace"
)

// A column is one goroutine's lane: it is drawn from the row of its first
// step to that of its last.
type column struct {
	g           trace.GID
	name        string
	width       int
	first, last int
}

// columns returns the lanes of the drawn goroutines: main, its children, their children, and timers.
//
// Names are spawn paths, because the numbers of goroutines depend on the exploration before, and on
// which of several workers came first.
func columns(rows []row, keep []bool) []column {
	var cols []column
	for i, r := range rows {
		if !keep[i] {
			continue
		}
		k := slices.IndexFunc(cols, func(c column) bool { return c.g == r.lane })
		if k < 0 {
			cols = append(cols, column{r.lane, r.laneName, max(2, len(r.laneName)), i, i})
			continue
		}
		cols[k].last = i
	}
	slices.SortStableFunc(cols, func(a, b column) int {
		if a.g >= trace.NoGID-1 || b.g >= trace.NoGID-1 { // no goroutine
			return cmp.Compare(a.g, b.g)
		}
		p, q := spawnPath(a.name), spawnPath(b.name)
		return cmp.Or(cmp.Compare(len(p), len(q)), slices.Compare(p, q))
	})
	return cols
}

// total returns how wide all lanes are.
func total(cols []column) (n int) {
	for _, c := range cols {
		n += c.width + 2
	}
	return n
}

// spawnPath returns the numbers in a goroutine's name; main has none.
func spawnPath(name string) (path []int) {
	for n := range strings.SplitSeq(strings.TrimLeft(name, "abcdefghijklmnopqrstuvwxyz"), ".") {
		if i, err := strconv.Atoi(n); err == nil {
			path = append(path, i)
		}
	}
	return path
}

// cell draws column c in row number i.
func cell(c column, i int, r *row) string {
	mark := " "
	switch {
	case c.g == r.lane && r.wrong:
		mark = "✗"
	case c.g == r.lane && r.Blocked:
		mark = "○"
	case c.g == r.lane:
		mark = "●"
	case c.first < i && i < c.last:
		mark = "│"
	}
	lead := " "
	if c.g == r.lane && r.switched {
		lead = "▸"
	}
	return lead + mark + strings.Repeat(" ", c.width)
}
