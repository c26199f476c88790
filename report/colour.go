package report

import (
	"bytes"
	"strings"
)

// Colours for terminals: the beginning of a line, and the codes of its colour.
var colours = []struct{ prefix, code string }{
	{"--- FAIL:", "1;31"}, {"FAIL\t", "1;31"}, {"!!  \t", "1;31"}, {"ok  \t", "32"}, {"??  \t", "33"}, {"skip\t", "33"}, {"why:", "1"},
	{"    coverage:", "36"}, {"coverage:", "36"}, {"    warning:", "33"}, {"warning:", "33"},
}

// coloured returns the text of a report with colours. The program's texts have no control characters
// any more.
func coloured(text string) string {
	var b bytes.Buffer
	for line := range strings.Lines(text) {
		code, prefix := "", ""
		for _, c := range colours {
			if strings.HasPrefix(line, c.prefix) {
				code, prefix = c.code, strings.TrimSuffix(c.prefix, "\t")
				break
			}
		}
		if code == "" {
			b.WriteString(line)
			continue
		}
		b.WriteString("\x1b[" + code + "m" + prefix + "\x1b[0m" + line[len(prefix):])
	}
	return b.String()
}
