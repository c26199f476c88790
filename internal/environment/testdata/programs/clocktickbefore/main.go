// assumed: the clock (some of its possible readings tried)
package main

import (
	"fmt"
	"time"
)

func main() {
	t := time.NewTicker(time.Millisecond)
	next := (<-t.C).Add(time.Millisecond)
	late := (<-t.C).After(next) // as it is in half of all runs
	fmt.Println(late || !late)
}
