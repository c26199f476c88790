// regexp: finding and replacing in a text of some lines.
package main

import (
	"regexp"
	"strings"
)

func main() {
	text := strings.Repeat("2026-01-02 GET /path/to/item?id=42 200 12ms user@example.com\n", 200)
	date := regexp.MustCompile(`(\d{4})-(\d{2})-(\d{2})`)
	mail := regexp.MustCompile(`[a-z]+@[a-z]+\.(com|org)`)
	n := 0
	for range 80 {
		n += len(date.FindAllStringSubmatch(text, -1))
		n += len(mail.FindAllStringIndex(text, -1))
		n += len(date.ReplaceAllString(text, "$3.$2.$1"))
	}
	println(n)
}
