// Interface method calls: two dynamic types, four million calls.
package main

type shape interface{ area() int }

type square struct{ a int }
type rect struct{ a, b int }

func (s *square) area() int { return s.a * s.a }
func (r *rect) area() int   { return r.a * r.b }

func main() {
	shapes := []shape{&square{3}, &rect{2, 5}}
	sum := 0
	for i := 0; i < 2_000_000; i++ {
		for _, s := range shapes {
			sum += s.area()
		}
	}
	println(sum)
}
