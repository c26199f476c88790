// Maps with string keys: insert half a million keys, look each up twice.
package main

import "strconv"

func main() {
	const n = 500_000
	m := make(map[string]int)
	for i := 0; i < n; i++ {
		m[strconv.Itoa(i)] = i
	}
	sum := 0
	for r := 0; r < 2; r++ {
		for i := 0; i < n; i++ {
			sum += m[strconv.Itoa(i)]
		}
	}
	println(len(m), sum)
}
