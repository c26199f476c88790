// assumed: nothing
package main

import (
	"context"
	"fmt"
)

// Which of the children is cancelled first shows.
func main() {
	parent, cancel := context.WithCancel(context.Background())
	a, _ := context.WithCancel(parent)
	b, _ := context.WithCancel(parent)
	done := make(chan bool)
	go func() {
		<-a.Done()
		fmt.Print(b.Err() != nil)
		done <- true
	}()
	go func() {
		<-b.Done()
		fmt.Print(a.Err() != nil)
		done <- true
	}()
	cancel()
	<-done
	<-done
}
