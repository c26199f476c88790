// Placing ten queens, by recursion.
package main

func place(row, n int, cols, d1, d2 []bool) int {
	if row == n {
		return 1
	}
	s := 0
	for c := range n {
		if cols[c] || d1[row+c] || d2[row-c+n] {
			continue
		}
		cols[c], d1[row+c], d2[row-c+n] = true, true, true
		s += place(row+1, n, cols, d1, d2)
		cols[c], d1[row+c], d2[row-c+n] = false, false, false
	}
	return s
}

func main() {
	const n = 10
	println(place(0, n, make([]bool, n), make([]bool, 2*n), make([]bool, 2*n+1)))
}
