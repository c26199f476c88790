// assumed: nothing
package main

import (
	"fmt"
	"sync"
)

func main() {
	var m sync.Map
	m.Store("a", 1)
	m.Store("b", 2)
	done := make(chan bool)
	go func() {
		m.Store("c", 3)
		m.Delete("a")
		close(done)
	}()
	m.Range(func(k, v any) bool {
		fmt.Print(k)
		return true
	})
	<-done
}
