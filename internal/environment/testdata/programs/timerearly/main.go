// assumed: nothing

//go:debug asynctimerchan=1
package main

import (
	"fmt"
	"time"
)

// As before Go 1.23, Stop leaves what the timer has sent where it is.
func main() {
	t := time.NewTimer(time.Millisecond)
	time.Sleep(5 * time.Millisecond)
	fmt.Print(len(t.C), t.Stop(), len(t.C), cap(t.C))
	t.Reset(time.Hour)
	select {
	case <-t.C:
		fmt.Println(" stale")
	default:
		fmt.Println(" none")
	}
}
