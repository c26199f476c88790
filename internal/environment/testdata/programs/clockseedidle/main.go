// assumed: nothing
package main

import (
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"time"
)

type retrier struct {
	rand  *rand.Rand
	tries int
}

// Nothing is drawn from what the clock seeds.
func main() {
	rand.Seed(time.Now().UnixNano())
	seed, err := strconv.ParseInt(os.Getenv("HBCHECK_NO_SUCH_SEED"), 10, 64)
	if err != nil {
		seed = time.Now().UnixNano()
	}
	r := &retrier{rand.New(rand.NewSource(seed)), 3}
	fmt.Println(r.tries, rand.New(rand.NewSource(7)).Intn(9))
}
