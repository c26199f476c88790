// assumed: the clock (some of its possible readings tried)
package main

import (
	"fmt"
	"time"
)

var late = func() bool { a := time.Now(); return time.Since(a) > time.Hour }()

func main() {
	fmt.Println(late)
}
