// assumed: nothing
package main

import "time"

var late bool

func init() {
	start, done := time.Now(), make(chan bool)
	go func() {
		late = time.Since(start) > time.Hour
		done <- true
	}()
	<-done
}

func main() {
	if late {
		panic("late")
	}
}
