// Floating point: the product of two 200x200 matrices.
package main

func main() {
	const n = 200
	mat := func(f func(i, j int) float64) [][]float64 {
		m := make([][]float64, n)
		for i := range m {
			m[i] = make([]float64, n)
			for j := range m[i] {
				m[i][j] = f(i, j)
			}
		}
		return m
	}
	a := mat(func(i, j int) float64 { return float64(i + j) })
	b := mat(func(i, j int) float64 { return float64(i - j) })
	c := mat(func(i, j int) float64 { return 0 })
	for i := 0; i < n; i++ {
		for j := 0; j < n; j++ {
			s := 0.0
			for k := 0; k < n; k++ {
				s += a[i][k] * b[k][j]
			}
			c[i][j] = s
		}
	}
	println(c[10][20], c[199][199])
}
