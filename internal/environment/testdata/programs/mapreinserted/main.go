// assumed: map entries inserted in the loop (at most 2 visited)
package main

import (
	"fmt"
	"strings"
)

func main() {
	m := map[string]int{"a": 1, "b": 2}
	for k, v := range m {
		delete(m, k)
		m[strings.ToUpper(k)] = v
	}
	fmt.Println(m)
}
