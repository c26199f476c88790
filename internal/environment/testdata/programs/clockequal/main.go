// assumed: the clock (it shows some of what it may show)
package main

import (
	"fmt"
	"time"
)

func main() {
	soon := time.Now().Add(time.Microsecond)
	fmt.Println(time.Now().Equal(soon))
}
