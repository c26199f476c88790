// assumed: map order (one order)
package main

import (
	"fmt"
	"sync"
)

type registry struct{ types sync.Map }

var first, second = new(registry), new(registry)

func main() {
	for i := range 7 {
		v, ok := second.types.Load(i)
		fmt.Println(i, v, ok)
	}
}

var last any

func init() {
	for i := range 6 {
		first.types.Store(i, i*i%3)
	}
	first.types.Range(func(k, v any) bool {
		last = k
		return true
	})
	second.types.Store(0, last)
}
