// assumed: nothing

//go:debug randseednop=0
package main

import (
	"fmt"
	"math/rand"
)

// Before Go 1.24 a seed makes what follows a known sequence.
func main() {
	rand.Seed(42)
	a, b, p := rand.Intn(6), rand.Intn(6), rand.Int63()
	rand.Seed(42)
	fmt.Println(a, b, rand.Intn(6) == a && rand.Intn(6) == b && rand.Int63() == p)
}
