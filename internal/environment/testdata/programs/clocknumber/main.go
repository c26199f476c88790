// assumed: the clock as a number (one value of many)
package main

import (
	"fmt"
	"math/rand"
	"time"
)

func main() {
	r := rand.New(rand.NewSource(time.Now().UnixNano()))
	fmt.Println(r.Intn(2) < 2)
}
