// Floating point and byte stores: a picture of the Mandelbrot set.
package main

func main() {
	const n, limit = 900, 50
	picture := make([]byte, n*n)
	for row := range n {
		for column := range n {
			cr, ci := 2*float64(column)/n-1.5, 2*float64(row)/n-1
			var r, i float64
			for k := range limit {
				r, i = r*r-i*i+cr, 2*r*i+ci
				if r*r+i*i > 4 {
					picture[row*n+column] = byte(k)
					break
				}
			}
		}
	}
	sum := 0
	for _, b := range picture {
		sum += int(b)
	}
	println(sum)
}
