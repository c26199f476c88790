// Package pipe squares numbers in stages. Its stages are left behind when nobody reads on.
package pipe

import "context"

func generate(ctx context.Context, n int) <-chan int {
	out := make(chan int)
	go func() {
		defer close(out)
		for i := 1; i <= n; i++ {
			out <- i
		}
	}()
	return out
}

func square(ctx context.Context, in <-chan int) <-chan int {
	out := make(chan int)
	go func() {
		defer close(out)
		for x := range in {
			out <- x * x
		}
	}()
	return out
}

// First returns the first square of 1 to n that is at least min, or 0.
func First(ctx context.Context, n, min int) int {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for x := range square(ctx, generate(ctx, n)) {
		if x >= min {
			return x
		}
	}
	return 0
}
