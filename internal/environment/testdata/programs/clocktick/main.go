// assumed: the clock (some of its possible readings tried)
package main

import (
	"fmt"
	"time"
)

func main() {
	t := time.NewTicker(time.Millisecond)
	a := <-t.C
	b := <-t.C
	late := b.Sub(a) > time.Millisecond // as it is in half of all runs
	fmt.Println(late || !late)
}
