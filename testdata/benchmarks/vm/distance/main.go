// The edit distance of two strings.
package main

func distance(a, b string) int {
	p := make([]int, len(b)+1)
	for j := range p {
		p[j] = j
	}
	for i := 1; i <= len(a); i++ {
		d := p[0]
		p[0] = i
		for j := 1; j <= len(b); j++ {
			c := d
			if a[i-1] != b[j-1] {
				c++
			}
			d = p[j]
			p[j] = min(c, p[j]+1, p[j-1]+1)
		}
	}
	return p[len(b)]
}

func main() {
	a, b := "", ""
	for i := range 1500 {
		a += string(rune('a' + i*7%26))
		b += string(rune('a' + i*11%26))
	}
	n := 0
	for range 5 {
		n += distance(a, b)
	}
	println(n)
}
