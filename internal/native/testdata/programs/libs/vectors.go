package libs

import (
	"fmt"
	"math/big"
)

// Vectors: numbers of up to 40 words, with words of ones and zeros among them, where operands are also
// results.
func Vectors() {
	x := uint64(1)
	next := func(words int) *big.Int {
		n := new(big.Int)
		for range words {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
			w := x
			switch x % 5 {
			case 0:
				w = 0
			case 1:
				w = ^uint64(0)
			}
			n.Or(n.Lsh(n, 64), new(big.Int).SetUint64(w))
		}
		return n
	}
	sum := new(big.Int)
	mix := func(n *big.Int) {
		sum.Add(sum.Lsh(sum, 3), n)
		sum.Xor(sum, new(big.Int).Rsh(sum, 1500))
		sum.And(sum, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 1500), big.NewInt(1)))
	}
	for i := range 60 {
		a, b, s := next(i%40), next(1+i*7%23), uint(i*11%200)
		mix(new(big.Int).Add(a, b))
		mix(new(big.Int).Sub(a, b))
		mix(new(big.Int).Mul(a, b))
		mix(new(big.Int).Mul(a, a))
		mix(new(big.Int).Lsh(a, s))
		mix(new(big.Int).Rsh(a, s))
		if b.Sign() != 0 {
			q, r := new(big.Int).QuoRem(a, b, new(big.Int))
			mix(q)
			mix(r)
			mix(new(big.Int).GCD(nil, nil, a, b))
			if b.Bit(0) == 1 {
				mix(new(big.Int).Exp(a, big.NewInt(int64(i)), b))
			}
		}
		a.Add(a, b)
		mix(a)
		b.Sub(a, b)
		mix(b)
		b.Add(a, b)
		mix(b.Add(b, b))
		mix(a.Lsh(a, s))
		mix(a.Rsh(a, s/2))
		mix(a.Mul(a, b))
		mix(b.Sub(a, b))
	}
	fmt.Print(sum)
}

// SharedNumber is read by two goroutines, and changed by one of them under a lock.
func SharedNumber() {
	n := new(big.Int).Lsh(big.NewInt(3), 200)
	done := make(chan string)
	c := make(chan int, 1)
	for range 2 {
		go func() {
			c <- 1
			n.Add(n, n)
			n.Sub(n, big.NewInt(1))
			s := n.Text(36)
			<-c
			done <- s[len(s)-2:]
		}()
	}
	fmt.Print(<-done, <-done)
}
