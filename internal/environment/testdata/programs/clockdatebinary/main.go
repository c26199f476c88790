// assumed: the time of day (it is compared with a future date)
package main

import (
	"fmt"
	"time"
)

func main() {
	var t time.Time
	err := t.UnmarshalBinary([]byte("\x01\x00\x00\x00\x0e\xe3\x00\x00\x00\x00\x00\x00\x00\xff\xff"))
	n := 0
	if time.Now().After(t) {
		n++
	}
	fmt.Println(n < 2, err)
}
