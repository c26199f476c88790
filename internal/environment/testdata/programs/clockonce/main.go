// assumed: the clock (some of its possible readings tried)
package main

import (
	"fmt"
	"time"
)

func main() {
	soon := time.Now().Add(time.Microsecond)
	fmt.Println(soon == time.Now())
}
