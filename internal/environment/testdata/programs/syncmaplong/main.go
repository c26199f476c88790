// assumed: map order (one order from each starting point)
package main

import (
	"fmt"
	"sync"
)

func main() {
	var m sync.Map
	for i := range 6 {
		m.Store(i, i)
	}
	m.Range(func(k, v any) bool {
		fmt.Print(k)
		return k != 3
	})
}
