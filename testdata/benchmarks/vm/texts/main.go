// Package strings: built, split, joined, searched and changed.
package main

import "strings"

func main() {
	n := 0
	for i := range 16_000 {
		var b strings.Builder
		for j := range 20 {
			b.WriteString("word")
			b.WriteByte(byte('a' + (i+j)%26))
			b.WriteByte(',')
		}
		parts := strings.Split(b.String(), ",")
		s := strings.ToUpper(strings.Join(parts, ";"))
		n += len(parts) + strings.Count(s, "WORD") + strings.Index(s, "Z") + len(strings.ReplaceAll(s, "D", "dd")) + len(strings.TrimSpace(s))
	}
	println(n)
}
