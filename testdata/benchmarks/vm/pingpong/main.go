// Unbuffered channels: 200,000 round trips between two goroutines.
package main

func main() {
	const n = 200_000
	ping, pong := make(chan int), make(chan int)
	go func() {
		for v := range ping {
			pong <- v + 1
		}
		close(pong)
	}()
	sum := 0
	for i := 0; i < n; i++ {
		ping <- i
		sum += <-pong
	}
	close(ping)
	println(sum)
}
