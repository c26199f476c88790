// A token goes around a ring of 500 goroutines.
package main

const size, rounds = 500, 20

func main() {
	first := make(chan int)
	in := first
	for range size {
		out := make(chan int)
		go func(in, out chan int) {
			for v := range in {
				out <- v + 1
			}
			close(out)
		}(in, out)
		in = out
	}
	v := 0
	for range rounds {
		first <- v
		v = <-in
	}
	close(first)
	<-in
	if v != size*rounds {
		panic(v)
	}
}
