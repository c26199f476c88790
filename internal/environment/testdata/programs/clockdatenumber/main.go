// assumed: the time of day (it is compared with a date to come)
package main

import (
	"fmt"
	"time"
)

func main() {
	fmt.Println(time.Now().Unix() < 2500000000)
}
