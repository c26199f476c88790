// Lines and words of a text, with bufio.Scanner and strings.Fields.
package main

import (
	"bufio"
	"strings"
)

func main() {
	text := strings.Repeat("the quick brown fox jumps over the lazy dog\n", 4_000)
	n := 0
	for range 30 {
		s := bufio.NewScanner(strings.NewReader(text))
		for s.Scan() {
			n += len(strings.Fields(s.Text()))
		}
	}
	println(n)
}
