// Regular expressions: matches found and replaced.
package main

import (
	"regexp"
	"strings"
)

func main() {
	mail := regexp.MustCompile(`([a-z.]+)@([a-z]+)\.(com|org)`)
	text := strings.Repeat("write to jane.doe@example.com or bob@site.org, not to no-one@nowhere; ", 40)
	n := 0
	for range 150 {
		n += len(mail.FindAllString(text, -1)) + len(mail.ReplaceAllString(text, "$2 at $1"))
	}
	println(n)
}
