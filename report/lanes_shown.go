package report

// shownRows chooses the rows to draw: all of them if there are few. Otherwise it draws the ends of
// each goroutine's stretches and everything remarkable. Of very many rows it draws only the first
// and the last ones.
func shownRows(rows []row, all bool, most int) []bool {
	keep := make([]bool, len(rows))
	var stretch []int // rows of the present one
	n := numDrawn(rows)
	for i := range rows {
		if rows[i].out != drawn {
			continue
		}
		r := &rows[i]
		keep[i] = all || (n <= fewRows || r.note != "" || r.wrong || r.decides) && !again(rows, i)
		stretch = append(stretch, i)
		if !r.last {
			continue
		}
		for j, k := range stretch {
			if (j < 2 || len(stretch)-j < 4 || len(stretch) < 8) && !again(rows, k) {
				keep[k] = true
			}
		}
		stretch = stretch[:0]
	}
	if !all {
		leaveOutMiddle(rows, keep, most)
	}
	return keep
}

// numDrawn returns how many rows are not left out.
func numDrawn(rows []row) (n int) {
	for i := range rows {
		if rows[i].out == drawn {
			n++
		}
	}
	return n
}

// How many rows of a schedule are drawn. A person reads back from the end, one screen; -v and the
// page have all rows.
const (
	fewRows    = 24 // a schedule with this number of rows is shown in full
	mostRows   = 32
	mostFolded = 16 // rows of a longer schedule whose steps are replaced by calls
	firstRows  = 4  // rows from the beginning, if there are still too many
)

// leaveOutMiddle keeps a bounded number of rows at both ends, the rows of failures, those that the
// explanation names, and, unless there are many, those of preemptions and overwritten values.
func leaveOutMiddle(rows []row, keep []bool, most int) {
	n, notes, waits := 0, 0, 0
	for i, k := range keep {
		if k {
			n++
			if rows[i].wrong && rows[i].Blocked {
				waits++
			}
			if rows[i].note != "" && !rows[i].Blocked {
				notes++
			}
		}
	}
	left := n - most
	for i, seen := 0, 0; i < len(rows) && left > 0; i++ {
		if !keep[i] {
			continue
		}
		if seen++; seen > firstRows {
			r := &rows[i]
			keep[i] = r.wrong && !(r.Blocked && waits > most/2) || r.decides || r.note != "" && !r.Blocked && notes <= mostRows/3
			if !keep[i] {
				left--
			}
		}
	}
}

// again reports whether row i has the text of the previous row, as when a library function reads one
// element after the other.
func again(rows []row, i int) bool {
	if i == 0 || rows[i].note != "" || rows[i].wrong || rows[i].decides {
		return false
	}
	a, b := rows[i-1], rows[i]
	same := a.G == b.G && a.kind == b.kind && a.what == b.what && a.pos == b.pos
	return same && a.out == b.out && a.Blocked == b.Blocked && a.note == ""
}
