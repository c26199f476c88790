package report

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable returns s with characters escaped, as in Go's strings, that a terminal would execute instead of
// showing: control characters other than tabs and ends of lines, marks that change the direction of
// writing, and invalid UTF-8. The program's output, its panics and the names of its files may have them.
func Printable(s string) string {
	var b strings.Builder
	done := 0 // bytes of s that are in b
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || !shows(r) {
			b.WriteString(s[done:i])
			quoted := strconv.Quote(s[i : i+n])
			b.WriteString(quoted[1 : len(quoted)-1])
			done = i + n
		}
		i += n
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// shows reports whether a terminal shows r, or begins a line or a column at it.
func shows(r rune) bool {
	return r == '\n' || r == '\t' || !unicode.IsControl(r) && !unicode.Is(unicode.Bidi_Control, r)
}
