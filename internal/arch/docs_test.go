package arch

import (
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"hbcheck.dev/hbcheck/por/explorers"
)

// The rules for comments and documents: see CONTRIBUTING.md.
const (
	mostColumns  = 110 // of a line that is a comment
	readmeLines  = 160
	contributing = 60
	userPages    = 12
	glossaryRows = 60
	answerLines  = 30 // of a question in docs/dev/rationale
)

// banned are words that have a better one: after, before, a goroutine, depends on, partner, forever,
// pending operation (docs/dev/glossary.md).
var banned = regexp.MustCompile(`(?i)\b(behind|whoever|somebody|nobody|everybody|tangled|mate|for ever|stands before|in front of)\b`)

// tracked lists the files of the repository that match a pattern of git's, by paths from its root.
func tracked(t *testing.T, patterns ...string) []string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"ls-files", "--cached", "--others", "--exclude-standard", "--"}, patterns...)...)
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("git ls-files: %v", err) // a copy without its history
	}
	files := strings.Fields(string(out))
	return slices.DeleteFunc(files, func(f string) bool {
		_, err := os.Stat(filepath.Join(root, f))
		return err != nil
	})
}

var root = filepath.Join("..", "..")

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A comment of a Go file, and where it begins.
type comment struct {
	file, text string
	line       int
	alone      bool // there is nothing before it in its line
}

// comments lists the comments of the module's Go files, except test programs and replacements of parts of
// the standard library.
func comments(t *testing.T) []comment {
	t.Helper()
	var all []comment
	for _, file := range tracked(t, "*.go") {
		if strings.Contains(file, "testdata/") || strings.Contains(file, "/_src/") {
			continue
		}
		src := read(t, file)
		fset := token.NewFileSet()
		f := fset.AddFile(file, -1, len(src))
		var s scanner.Scanner
		s.Init(f, []byte(src), nil, scanner.ScanComments)
		last := 0 // the line of the last token that is not a comment
		for {
			pos, tok, lit := s.Scan()
			if tok == token.EOF {
				break
			}
			line := f.Line(pos)
			switch {
			case tok == token.COMMENT && !strings.HasPrefix(lit, "//go:") && !strings.HasPrefix(lit, "//lint:"):
				all = append(all, comment{file, lit, line, line != last})
			case tok != token.COMMENT && lit != "\n":
				last = line
			}
		}
	}
	if len(all) < 1000 {
		t.Errorf("only %d comments", len(all))
	}
	return all
}

// TestRooms: if a package's documentation describes its files, it names all of them. Files of vm are named
// without their prefix; files of natives need only the prefix.
func TestRooms(t *testing.T) {
	for _, dir := range []string{"vm", "vm/compile", "por/optimal", "por/hb"} {
		files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(files), err)
		}
		var doc string
		var names []string
		for _, file := range files {
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.PackageClauseOnly)
			if err != nil {
				t.Fatal(err)
			}
			if name := filepath.Base(file); f.Doc != nil && !strings.HasSuffix(name, "_test.go") {
				doc = f.Doc.Text()
			} else if !strings.HasSuffix(name, "_test.go") {
				names = append(names, name)
			}
		}
		for _, name := range names {
			if dir == "vm" {
				name = strings.TrimSuffix(name, ".go")
				if prefix, rest, ok := strings.Cut(name, "_"); ok && prefix != "native" {
					name = rest
				} else {
					name = prefix
				}
			}
			if !regexp.MustCompile(`(?:^|[^a-z])` + regexp.QuoteMeta(name) + `(?:$|[^a-z])`).MatchString(doc) {
				t.Errorf("%s: the package's documentation does not say what %s is for", dir, name)
			}
		}
	}
}

// TestCommentColumns: nothing wraps comments, so they are written in lines that fit.
func TestCommentColumns(t *testing.T) {
	for _, c := range comments(t) {
		if !c.alone {
			continue
		}
		for i, line := range strings.Split(c.text, "\n") {
			if n := utf8.RuneCountInString(line); n > mostColumns && !strings.HasPrefix(line, "//mutant: ") && !strings.HasPrefix(line, "// mutant: ") {
				t.Errorf("%s:%d: a comment of %d columns, more than %d", c.file, c.line+i, n, mostColumns)
			}
		}
	}
}

// TestWords: comments and documents use the words of the literature.
func TestWords(t *testing.T) {
	spaces := regexp.MustCompile(`[\s/]+`)
	check := func(file string, line int, text string) {
		for _, w := range banned.FindAllString(text, -1) {
			t.Errorf("%s:%d: %q: docs/dev/glossary.md has another word", file, line, w)
		}
	}
	var group string // comments of consecutive lines, as one text
	var first comment
	flush := func() {
		if group != "" {
			check(first.file, first.line, spaces.ReplaceAllString(group, " "))
		}
		group = ""
	}
	next := 0
	for _, c := range comments(t) {
		if c.file != first.file || c.line != next {
			flush()
			first = c
		}
		group += "\n" + c.text
		next = c.line + 1 + strings.Count(c.text, "\n")
	}
	flush()
	for _, file := range tracked(t, "docs/*.md", "README.md", "CONTRIBUTING.md") {
		for i, line := range strings.Split(read(t, file), "\n") {
			if !strings.HasPrefix(line, "    ") { // what is printed is quoted
				check(file, i+1, line)
			}
		}
	}
}

// TestReferences: every document, test, Go file and exported name that is named in a document exists, and
// every document and Go file that is named in a comment.
func TestReferences(t *testing.T) {
	document := regexp.MustCompile(`[A-Za-z0-9_./-]*[A-Za-z0-9_]\.md\b`)
	missing := func(from, name string) bool {
		for _, p := range []string{name, path.Join(path.Dir(from), name), path.Join("docs", name), path.Join("docs/dev", name), path.Join("docs/research", name)} {
			if _, err := os.Stat(filepath.Join(root, p)); err == nil {
				return false
			}
		}
		return true
	}
	sources := tracked(t, "*.go")
	isSource := func(name string) bool {
		return slices.ContainsFunc(sources, func(f string) bool { return strings.HasSuffix("/"+f, "/"+strings.TrimPrefix(name, "/")) })
	}
	file := regexp.MustCompile(`(?:\bsee |\()([a-z0-9_]+\.go)\b`)
	for _, c := range comments(t) {
		for _, name := range document.FindAllString(c.text, -1) {
			if missing(c.file, name) {
				t.Errorf("%s:%d: there is no %s", c.file, c.line, name)
			}
		}
		for _, m := range file.FindAllStringSubmatch(c.text, -1) {
			if !isSource(m[1]) {
				t.Errorf("%s:%d: there is no %s", c.file, c.line, m[1])
			}
		}
	}
	tests := make(map[string]bool)
	function := regexp.MustCompile(`(?m)^func ((?:Test|Example|Fuzz|Benchmark)\w*)\(`)
	for _, file := range tracked(t, "*_test.go") {
		for _, m := range function.FindAllStringSubmatch(read(t, file), -1) {
			tests[m[1]] = true
		}
	}
	named := regexp.MustCompile("`(Test[A-Z]\\w*)`")
	exported := regexp.MustCompile(`\b([a-z]+)\.([A-Z]\w*)`)
	words := exportedWords(t)
	source := regexp.MustCompile(`[a-z0-9_/]*[a-z0-9_]\.go\b`)
	link := regexp.MustCompile(`\]\(([^)#]+)[^)]*\)`)
	for _, file := range tracked(t, "*.md") {
		for i, line := range strings.Split(read(t, file), "\n") {
			for _, name := range document.FindAllString(line, -1) {
				if missing(file, name) {
					t.Errorf("%s:%d: there is no %s", file, i+1, name)
				}
			}
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				if _, err := os.Stat(filepath.Join(root, path.Dir(file), m[1])); err != nil && !strings.Contains(m[1], "://") {
					t.Errorf("%s:%d: there is no %s", file, i+1, m[1])
				}
			}
			for _, name := range source.FindAllString(line, -1) {
				module := strings.HasPrefix(line, "| github.com/") // whose name may end in .go
				if name != "file.go" && !module && !strings.HasPrefix(line, "    ") && !isSource(name) {
					t.Errorf("%s:%d: there is no %s", file, i+1, name)
				}
			}
			for _, m := range exported.FindAllStringSubmatch(line, -1) {
				if in := words[m[1]]; in != nil && !in[m[2]] {
					t.Errorf("%s:%d: there is no %s", file, i+1, m[0])
				}
			}
			for _, m := range named.FindAllStringSubmatch(line, -1) {
				if !tests[m[1]] {
					t.Errorf("%s:%d: there is no %s", file, i+1, m[1])
				}
			}
		}
	}
}

// exportedWords lists, by the name of each package of the module, the words with a capital in its code.
func exportedWords(t *testing.T) map[string]map[string]bool {
	words := make(map[string]map[string]bool)
	capital := regexp.MustCompile(`\b[A-Z]\w*`)
	for _, file := range tracked(t, "*.go") {
		if strings.Contains(file, "testdata/") || strings.Contains(file, "/_src/") {
			continue
		}
		pkg := path.Base(path.Dir(file))
		if words[pkg] == nil {
			words[pkg] = make(map[string]bool)
		}
		for _, w := range capital.FindAllString(read(t, file), -1) {
			words[pkg][w] = true
		}
	}
	return words
}

// TestLengths bounds the documents that everyone should read.
func TestLengths(t *testing.T) {
	if n := strings.Count(read(t, "README.md"), "\n"); n > readmeLines {
		t.Errorf("README.md has %d lines, more than %d", n, readmeLines)
	}
	if n := strings.Count(read(t, "CONTRIBUTING.md"), "\n"); n > contributing {
		t.Errorf("CONTRIBUTING.md has %d lines, more than %d", n, contributing)
	}
	pages := 0
	for _, file := range tracked(t, "docs/*.md") {
		if path.Dir(file) == "docs" {
			pages++
		}
	}
	if pages > userPages {
		t.Errorf("docs has %d pages for users, more than %d", pages, userPages)
	}
	rows := 0
	for line := range strings.Lines(read(t, "docs/dev/glossary.md")) {
		if strings.HasPrefix(line, "| ") {
			rows++
		}
	}
	if rows--; rows > glossaryRows || rows < 20 { // without the head
		t.Errorf("docs/dev/glossary.md has %d rows, want at most %d", rows, glossaryRows)
	}
}

// TestRationale: docs/dev/rationale/README.md lists the questions of its folder, and no answer is long.
func TestRationale(t *testing.T) {
	contents := read(t, "docs/dev/rationale/README.md")
	for _, file := range tracked(t, "docs/dev/rationale/*.md") {
		if path.Base(file) == "README.md" {
			continue
		}
		question, lines := "", 0
		for line := range strings.Lines(read(t, file) + "## \n") {
			q, heading := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "## ")
			switch {
			case strings.HasPrefix(line, "###"):
				t.Errorf("%s: %q: questions have one level", file, line)
			case heading:
				if lines > answerLines {
					t.Errorf("%s: %q has %d lines, more than %d", file, question, lines, answerLines)
				}
				if question, lines = q, 0; q != "" && !strings.Contains(contents, "- ["+q+"]("+path.Base(file)+"#") {
					t.Errorf("docs/dev/rationale/README.md does not list %q of %s", q, file)
				}
			case strings.TrimSpace(line) != "":
				lines++
			}
		}
	}
}

// TestFormatsPage: docs/formats.md has a row for each output format.
func TestFormatsPage(t *testing.T) {
	page, table := read(t, "docs/formats.md"), read(t, "cmd/hbcheck/formats.go")
	names := regexp.MustCompile(`(?m)^\t\{"(\w+)", func\(w writing\)`).FindAllStringSubmatch(table, -1)
	if len(names) < 6 {
		t.Errorf("cmd/hbcheck/formats.go has a table of only %d formats", len(names))
	}
	for _, m := range names {
		if !strings.Contains(page, "\n| `"+m[1]+"`") {
			t.Errorf("docs/formats.md has no row for %s", m[1])
		}
	}
}

// TestExplorersPage: docs/explorers.md has a row for each explorer and explains its options.
func TestExplorersPage(t *testing.T) {
	page := read(t, "docs/explorers.md")
	for _, e := range explorers.All() {
		if !strings.Contains(page, "\n| `"+e.Name+"`") {
			t.Errorf("docs/explorers.md has no row for %s", e.Name)
		}
		for _, o := range e.Options {
			if !o.Hidden && !strings.Contains(page, "`--"+o.Name) {
				t.Errorf("docs/explorers.md does not mention --%s", o.Name)
			}
		}
	}
}
