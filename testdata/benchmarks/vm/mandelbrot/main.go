// The Mandelbrot set: floating-point numbers in registers.
package main

func main() {
	const n = 500
	in := 0
	for py := range n {
		for px := range n {
			cr, ci := 2*float64(px)/n-1.5, 2*float64(py)/n-1
			zr, zi := 0.0, 0.0
			i := 0
			for ; i < 50 && zr*zr+zi*zi < 4; i++ {
				zr, zi = zr*zr-zi*zi+cr, 2*zr*zi+ci
			}
			if i == 50 {
				in++
			}
		}
	}
	println(in)
}
