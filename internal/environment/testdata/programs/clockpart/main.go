// assumed: the clock as a number (one value of many)
package main

import (
	"fmt"
	"time"
)

func main() {
	_, month, _ := time.Now().Date()
	fmt.Println(month == time.December)
}
