// assumed: math/rand (one value tried)

//go:debug randseednop=0
package main

import (
	"fmt"
	"math/rand"
	"time"
)

// A seed from the clock is not a known number.
func main() {
	rand.Seed(42)
	rand.Seed(time.Now().UnixNano())
	fmt.Println(rand.Intn(1000) < 500)
}
