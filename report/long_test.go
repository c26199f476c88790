package report

import "testing"

// TestLongSchedule: for a schedule of thousands of switches the beginning, the end, and the failures in
// between are drawn.
func TestLongSchedule(t *testing.T) {
	rows := make([]row, 5000)
	for i := range rows {
		rows[i].step, rows[i].last = i+1, true
		rows[i].pos = string(rune('a' + i%2)) // no row has the text of the previous one
	}
	rows[2000].wrong = true
	const lastRows = mostRows - firstRows
	keep := shownRows(rows, false, mostRows)
	n := 0
	for _, k := range keep {
		if k {
			n++
		}
	}
	if n != mostRows || !keep[0] || !keep[firstRows-1] || keep[firstRows] || !keep[2000] || !keep[len(rows)-lastRows+1] || keep[len(rows)-lastRows] {
		t.Errorf("%d rows are drawn", n)
	}
	for i, k := range shownRows(rows, true, mostRows) {
		if !k {
			t.Fatalf("with -v row %d is not drawn", i)
		}
	}
	few := rows[:mostRows]
	for i, k := range shownRows(few, false, mostRows) {
		if !k {
			t.Fatalf("of %d rows row %d is not drawn", len(few), i)
		}
	}
}
