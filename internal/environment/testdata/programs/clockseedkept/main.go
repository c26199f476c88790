// assumed: the clock used as a number (one value tried)
package main

import (
	"fmt"
	"math/rand"
	"os"
	"time"
)

type retrier struct {
	rand *rand.Rand
	seed int64
}

func main() {
	seed := int64(1)
	if os.Getenv("HBCHECK_NO_SUCH_SEED") == "" {
		seed = time.Now().UnixNano()
	}
	r := &retrier{rand.New(rand.NewSource(seed)), seed}
	fmt.Println(r.seed%2 < 2)
}
