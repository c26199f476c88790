package report

// Nearest returns the element of names that name probably misspells; "" if there is no such element.
func Nearest(name string, names []string) (best string) {
	least := max(1, len(name)/3) + 1
	for _, n := range names {
		if d := distance(name, n); d < least {
			best, least = n, d
		}
	}
	return best
}

// distance returns how many letters have to be inserted, removed, replaced or exchanged with the next one
// to turn a into b.
func distance(a, b string) int {
	var rows [3][]int // the last of the rows belongs to the letter a[i]
	for k := range rows {
		rows[k] = make([]int, len(b)+1)
	}
	for j := range rows[2] {
		rows[2][j] = j
	}
	for i := range len(a) {
		rows[0], rows[1], rows[2] = rows[1], rows[2], rows[0]
		rows[2][0] = i + 1
		for j := range len(b) {
			d := min(rows[1][j+1], rows[2][j]) + 1
			if a[i] == b[j] {
				d = min(d, rows[1][j])
			} else {
				d = min(d, rows[1][j]+1)
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, rows[0][j-1]+1)
			}
			rows[2][j+1] = d
		}
	}
	return rows[2][len(b)]
}
