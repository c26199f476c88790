// assumed: nothing
package main

import (
	"fmt"
	"sync"
)

func main() {
	p := sync.Pool{New: func() any { return 0 }}
	p.Put(1)
	p.Put(2)
	done := make(chan bool)
	go func() {
		p.Put(3)
		done <- true
	}()
	fmt.Println(p.Get())
	<-done
}
