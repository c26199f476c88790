// Array stores: the sieve of Eratosthenes up to two million.
package main

func main() {
	const n = 2_000_000
	composite := make([]bool, n)
	count := 0
	for i := 2; i < n; i++ {
		if composite[i] {
			continue
		}
		count++
		for j := i * 2; j < n; j += i {
			composite[j] = true
		}
	}
	println(count)
}
