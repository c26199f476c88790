// Splitting a text into words and counting them.
package main

import (
	"sort"
	"strings"
)

func main() {
	text := strings.Repeat("the quick brown fox jumps over the lazy dog and runs away ", 3000)
	counts := map[string]int{}
	for _, w := range strings.Fields(text) {
		counts[strings.ToUpper(w)]++
	}
	var keys []string
	for k := range counts {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	println(strings.Join(keys, " "), counts["THE"])
}
