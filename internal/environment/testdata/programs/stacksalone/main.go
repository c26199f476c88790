// assumed: nothing
package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"
)

// A stack trace does not show timers as goroutines.
func main() {
	t := time.NewTimer(time.Hour)
	defer t.Stop()
	<-time.After(time.Millisecond)
	b := make([]byte, 1<<16)
	fmt.Println(strings.Count(string(b[:runtime.Stack(b, true)]), "goroutine "))
}
