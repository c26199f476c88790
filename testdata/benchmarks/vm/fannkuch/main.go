// Permutations: small arrays indexed in loops.
package main

func main() {
	const n = 9
	var p, q, count [n]int
	for i := range p {
		p[i] = i
	}
	most, sum, perm := 0, 0, 0
	for r := n; ; perm++ {
		for ; r != 1; r-- {
			count[r-1] = r
		}
		if p[0] != 0 {
			q = p
			flips := 0
			for k := q[0]; k != 0; k = q[0] {
				for i, j := 0, k; i < j; i, j = i+1, j-1 {
					q[i], q[j] = q[j], q[i]
				}
				flips++
			}
			most = max(most, flips)
			if perm%2 == 0 {
				sum += flips
			} else {
				sum -= flips
			}
		}
		for ; ; r++ {
			if r == n {
				println(sum, most)
				return
			}
			first := p[0]
			copy(p[:r], p[1:r+1])
			p[r] = first
			if count[r]--; count[r] > 0 {
				break
			}
		}
	}
}
