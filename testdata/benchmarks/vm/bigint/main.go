// Factorials with math/big.
package main

import "math/big"

func main() {
	n := 0
	for range 600 {
		f := big.NewInt(1)
		for i := range int64(300) {
			f.Mul(f, big.NewInt(i+1))
		}
		n += len(f.String())
	}
	println(n)
}
