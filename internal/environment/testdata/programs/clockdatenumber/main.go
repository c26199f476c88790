// assumed: the time of day (it is compared with a future date)
package main

import (
	"fmt"
	"time"
)

func main() {
	fmt.Println(time.Now().Unix() < 2500000000)
}
