// assumed: runtime.SetFinalizer (the finalizer runs only in runtime.GC and when every goroutine waits)
package main

import (
	"fmt"
	"runtime"
)

type object struct{ p *int }

func main() {
	c := make(chan bool)
	runtime.SetFinalizer(&object{new(int)}, func(*object) { close(c) })
	runtime.GC()
	<-c
	fmt.Println("done")
}
