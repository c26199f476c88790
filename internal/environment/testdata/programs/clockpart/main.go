// assumed: the clock used as a number (one value tried)
package main

import (
	"fmt"
	"time"
)

func main() {
	_, month, _ := time.Now().Date()
	fmt.Println(month == time.December)
}
