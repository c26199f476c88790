// assumed: nothing
package main

import (
	"fmt"
	"sort"
)

func main() {
	m := map[string]int{}
	for i := range 100 {
		m[fmt.Sprint(i)] = i
	}
	n, set := 0, map[string]bool{}
	var keys []string
	for k, v := range m {
		n += v
		set[k] = true
	}
	for k := range set {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	fmt.Println(n, len(set), keys[:3])
}
