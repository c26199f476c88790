// Deferred calls, panics that are recovered, wrapped errors and DeepEqual.
package main

import (
	"errors"
	"fmt"
	"reflect"
)

var errBase = errors.New("base")

type node struct {
	Name string
	Kids []*node
	Tags map[string]int
}

func try(i int) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("wrapped: %w", errBase)
		}
	}()
	if i%2 == 0 {
		panic(i)
	}
	return nil
}

func tree(depth int) *node {
	n := &node{Name: "n", Tags: map[string]int{"a": 1, "b": 2}}
	for range depth {
		n.Kids = append(n.Kids, tree(depth-1))
	}
	return n
}

func main() {
	n := 0
	for i := range 60_000 {
		if errors.Is(try(i), errBase) {
			n++
		}
	}
	a, b := tree(5), tree(5)
	for range 50 {
		if reflect.DeepEqual(a, b) {
			n++
		}
	}
	println(n)
}
