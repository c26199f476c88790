package arch

import (
	"go/scanner"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// phrases are those that made readers read a sentence twice. docs/dev/prose.md has better ones.
var phrases = regexp.MustCompile(`(?i)\b(` + strings.Join([]string{
	`that (?:is|are|was|were) looked at`,
	`\w+ (?:is|are|was|were) none`, // but "there is none"
	`(?:go|goes|going|gone|went) on with`,
	`so many|so much`,
	`in vain`,
	`has been learnt`,
	`what (?:is|are) (?:looked|asked|told|shown|put|said|meant)`,
	`not even those`,
	`without a word`,
	`of which there (?:is|are)`,
	`than there (?:is|are|was|were)`,
}, `|`) + `)\b`)

// unwritten are the files, folders and documents whose text does not follow docs/dev/prose.md yet.
// Remove an entry when its text does.
var unwritten = []string{}

// exempt quotes bad phrases.
const exempt = "docs/dev/prose.md"

// TestPhrases: documents, texts for users and comments have none of the phrases, except files that are not
// rewritten yet. Texts for users are string literals with several words.
func TestPhrases(t *testing.T) {
	check := func(file string, line int, text string) {
		if p := found(text); p != "" {
			t.Errorf("%s:%d: %q: docs/dev/prose.md has better words", file, line, p)
		}
	}
	later := func(file string) bool {
		return slices.ContainsFunc(unwritten, func(prefix string) bool { return strings.HasPrefix(file, prefix) })
	}
	for _, file := range tracked(t, "*.md") {
		if file == exempt || later(file) || strings.Contains(file, "testdata/") {
			continue
		}
		first, text := 1, ""
		for i, line := range append(strings.Split(read(t, file), "\n"), "") {
			if line == "" || strings.HasPrefix(line, "    ") { // a paragraph has ended; code is quoted
				check(file, first, text)
				first, text = i+2, ""
				continue
			}
			text += strings.TrimSpace(line) + " "
		}
	}
	for _, c := range comments(t) {
		if mutant := strings.HasPrefix(strings.Replace(c.text, "// ", "//", 1), "//mutant: "); !mutant && !later(c.file) {
			check(c.file, c.line, c.text)
		}
	}
	for _, file := range tracked(t, "*.go") {
		if strings.Contains(file, "testdata/") || strings.Contains(file, "/_src/") || strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "internal/") {
			continue
		}
		eachText(read(t, file), func(line int, text string) { check(file, line, text) })
	}
}

// found returns the first of the phrases in text, "" if there is none.
func found(text string) string {
	for _, p := range phrases.FindAllString(text, -1) {
		if !strings.HasPrefix(strings.ToLower(p), "there ") {
			return p
		}
	}
	return ""
}

// eachText calls f for the string literals of a Go file that have several words.
func eachText(src string, f func(line int, text string)) {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, []byte(src), nil, 0)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return
		}
		if text, err := strconv.Unquote(lit); tok == token.STRING && err == nil && strings.Count(text, " ") > 1 {
			f(file.Line(pos), text)
		}
	}
}

// TestPhrasesFound: the phrases are found in text, and their replacements are not.
func TestPhrasesFound(t *testing.T) {
	n := 0
	for line := range strings.Lines(read(t, exempt)) {
		if strings.Contains(line, "- after:") && found(line) != "" {
			t.Errorf("not a better phrase: %s", line)
		}
		if strings.Contains(line, "- before:") && found(line) != "" {
			n++
		}
	}
	if n < 3 {
		t.Errorf("only %d of the sentences to avoid are found", n)
	}
}
