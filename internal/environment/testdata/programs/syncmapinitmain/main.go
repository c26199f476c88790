// assumed: map order (one order from each starting point)
package main

import (
	"fmt"
	"sync"
)

func main() {
	var first, second sync.Map
	for i := range 6 {
		first.Store(i, i*i%3)
	}
	first.Range(func(k, v any) bool {
		second.Store(k, v)
		return true
	})
	fmt.Println(second.Load(3))
}
