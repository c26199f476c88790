// assumed: the time of day (it is compared with a future date)
package main

import (
	"fmt"
	"time"
)

func main() {
	end := time.Date(2050, 1, 1, 0, 0, 0, 0, time.UTC)
	fmt.Println(time.Now().Before(end))
}
