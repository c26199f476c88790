// assumed: nothing
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

func init() {
	for i := range 6 {
		first.types.Store(i, i*i%3)
	}
	first.types.Range(func(k, v any) bool {
		if k != nil && v != nil {
			second.types.Store(k, v)
		}
		return true
	})
}
