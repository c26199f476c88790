// math/big: a factorial, its decimal text, and a modular power.
package main

import "math/big"

func main() {
	n := 0
	for range 6 {
		f := big.NewInt(1)
		for i := int64(2); i <= 900; i++ {
			f.Mul(f, big.NewInt(i))
		}
		n += len(f.String())
		p, _ := new(big.Int).SetString("170141183460469231731687303715884105727", 10)
		for i := range int64(60) {
			x := new(big.Int).Exp(big.NewInt(3+i), f, p)
			n += x.BitLen()
		}
	}
	println(n)
}
