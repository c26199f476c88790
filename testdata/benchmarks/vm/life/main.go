// Conway's game of life on slices of slices of bools.
package main

func main() {
	const n = 128
	a, b := make([][]bool, n), make([][]bool, n)
	for i := range a {
		a[i], b[i] = make([]bool, n), make([]bool, n)
		for j := range a[i] {
			a[i][j] = (i*7+j*13)%5 < 2
		}
	}
	for range 60 {
		for i := range a {
			for j := range a[i] {
				k := 0
				for di := -1; di <= 1; di++ {
					for dj := -1; dj <= 1; dj++ {
						if (di != 0 || dj != 0) && a[(i+di+n)%n][(j+dj+n)%n] {
							k++
						}
					}
				}
				b[i][j] = k == 3 || k == 2 && a[i][j]
			}
		}
		a, b = b, a
	}
	s := 0
	for _, r := range a {
		for _, x := range r {
			if x {
				s++
			}
		}
	}
	println(s)
}
