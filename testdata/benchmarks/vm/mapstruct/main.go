// A map whose keys are structs.
package main

type key struct {
	a, b int32
	c    byte
}

func main() {
	m := map[key]int{}
	for i := range int32(400_000) {
		m[key{i % 1000, i % 77, byte(i)}] += int(i)
	}
	n := 0
	for k, v := range m {
		if k.a%2 == 0 {
			n += v
		}
	}
	println(len(m), n)
}
