// assumed: math/rand (one value tried)
package main

import (
	"fmt"
	"math/rand"
	"time"
)

func main() {
	for i := range 2 {
		r := rand.New(rand.NewSource(int64(time.Now().Unix()) + int64(i)))
		fmt.Println(r.Intn(200) < 100)
	}
}
