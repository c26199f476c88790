// A quicksort of our own over 300,000 pseudo-random ints.
package main

func quicksort(a []int) {
	for len(a) > 12 {
		p := a[len(a)/2]
		i, j := 0, len(a)-1
		for i <= j {
			for a[i] < p {
				i++
			}
			for a[j] > p {
				j--
			}
			if i <= j {
				a[i], a[j] = a[j], a[i]
				i++
				j--
			}
		}
		if j+1 < len(a)-i {
			quicksort(a[:j+1])
			a = a[i:]
		} else {
			quicksort(a[i:])
			a = a[:j+1]
		}
	}
	for i := 1; i < len(a); i++ {
		for j := i; j > 0 && a[j] < a[j-1]; j-- {
			a[j], a[j-1] = a[j-1], a[j]
		}
	}
}

func main() {
	a := make([]int, 300_000)
	x := uint32(1)
	for i := range a {
		x = x*1664525 + 1013904223
		a[i] = int(x >> 8)
	}
	quicksort(a)
	ok := true
	for i := 1; i < len(a); i++ {
		ok = ok && a[i-1] <= a[i]
	}
	println(ok, a[0], a[len(a)-1])
}
