// assumed: nothing
package main

import "fmt"

func main() {
	for k := range map[string]int{"a": 1, "b": 2, "c": 3, "d": 4} {
		fmt.Print(k)
	}
}
