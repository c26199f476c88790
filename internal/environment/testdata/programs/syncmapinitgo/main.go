// assumed: map order (one order from each starting point)
package main

import (
	"fmt"
	"sync"
)

type registry struct{ types sync.Map }

var begin = make(chan bool)

var first, second = new(registry), new(registry)

func main() {
	close(begin)
	for i := range 7 {
		v, ok := second.types.Load(i)
		fmt.Println(i, v, ok)
	}
}

func init() {
	go func() { <-begin }()
	for i := range 6 {
		first.types.Store(i, i*i%3)
	}
	first.types.Range(func(k, v any) bool {
		second.types.Store(k, v)
		return true
	})
}
