// assumed: nothing
package main

import (
	"fmt"
	"time"
)

// A look at the clock shows a later time than the one before.
func main() {
	a := time.Now()
	b := time.Now()
	fmt.Println(b.After(a))
}
