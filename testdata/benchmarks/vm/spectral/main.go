// The spectral norm of a matrix: calls of a small function in loops.
package main

import "math"

func a(i, j int) float64 { return 1 / float64((i+j)*(i+j+1)/2+i+1) }

func times(v, u []float64, transposed bool) {
	for i := range v {
		s := 0.0
		for j := range u {
			if transposed {
				s += a(j, i) * u[j]
			} else {
				s += a(i, j) * u[j]
			}
		}
		v[i] = s
	}
}

func main() {
	const n = 400
	u, v, t := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range u {
		u[i] = 1
	}
	for range 10 {
		times(t, u, false)
		times(v, t, true)
		times(t, v, false)
		times(u, t, true)
	}
	var uv, vv float64
	for i := range u {
		uv += u[i] * v[i]
		vv += v[i] * v[i]
	}
	println(int(math.Sqrt(uv/vv) * 1e9))
}
