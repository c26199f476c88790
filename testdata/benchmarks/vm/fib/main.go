// Recursive calls: fib(32).
package main

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func main() { println(fib(32)) }
