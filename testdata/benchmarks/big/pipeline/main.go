// 400 values pass 50 stages.
package main

func stage(in <-chan int) <-chan int {
	out := make(chan int, 4)
	go func() {
		defer close(out)
		for v := range in {
			out <- v + 1
		}
	}()
	return out
}

func main() {
	src := make(chan int)
	in := (<-chan int)(src)
	for range 50 {
		in = stage(in)
	}
	go func() {
		for i := range 400 {
			src <- i
		}
		close(src)
	}()
	sum := 0
	for v := range in {
		sum += v
	}
	if sum != 400*399/2+400*50 {
		panic(sum)
	}
}
