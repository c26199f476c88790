// strings: builders, fields, replacing and upper case.
package main

import "strings"

func main() {
	n := 0
	for i := range 5000 {
		var b strings.Builder
		for j := range 100 {
			b.WriteString("word")
			b.WriteByte(byte('a' + (i+j)%26))
			b.WriteByte(' ')
		}
		s := b.String()
		n += len(strings.Fields(s)) + len(strings.ToUpper(s)) + strings.Count(s, "da")
		n += len(strings.Split(s, " ")) + len(strings.ReplaceAll(s, "word", "w")) + strings.Index(s, "wordz")
	}
	println(n)
}
