package analyze

import (
	"bufio"
	_ "embed" // the page's style and script
	"fmt"
	"go/token"
	"html"
	"io"
	"os"
	"slices"
	"strings"
)

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

// WriteHTML writes a page that needs no other files. It shows the source of the packages named on the command
// line, with the facts beside the source.
func WriteHTML(w io.Writer, at Positions, p *Program, facts []Fact) error {
	pg := &page{w: bufio.NewWriter(w), at: at, p: p, ids: make(map[string]string), byLine: make(map[lineKey][]*Fact)}
	for i := range facts {
		f := &facts[i]
		k := lineKey{f.Pos.Filename, f.Pos.Line}
		pg.byLine[k] = append(pg.byLine[k], f)
	}
	var names []string
	for _, pkg := range p.Prog.Packages {
		for _, tree := range pkg.Files {
			name := p.position(tree.FileStart).Filename
			if _, ok := pg.ids[name]; !ok {
				pg.ids[name] = ""
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	for i, name := range names {
		pg.ids[name] = fmt.Sprintf("f%d", i)
	}
	pg.head(names, facts)
	for _, name := range names {
		if err := pg.file(name); err != nil {
			return err
		}
	}
	fmt.Fprintf(pg.w, "<script>\n%s</script>\n</body>\n</html>\n", pageJS)
	return pg.w.Flush()
}

type lineKey struct {
	file string
	line int
}

// page is the page being written.
type page struct {
	w      *bufio.Writer
	at     Positions
	p      *Program
	ids    map[string]string // ids of the files on the page
	byLine map[lineKey][]*Fact
}

func (pg *page) head(files []string, facts []Fact) {
	title := html.EscapeString(strings.Join(pg.p.paths(), ", "))
	fmt.Fprintf(pg.w, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>hbcheck analyze: %s</title>\n<style>\n%s", title, pageCSS)
	count := make(map[string]int)
	for i := range facts {
		count[facts[i].Analysis]++
	}
	var names []string
	for _, a := range Analyses(pg.p) {
		if count[a.Name()] > 0 {
			names = append(names, a.Name())
			fmt.Fprintf(pg.w, "body.no-%s .a-%[1]s { display: none; }\n", a.Name())
		}
	}
	fmt.Fprintf(pg.w, "</style>\n</head>\n<body>\n<header>\n<h1>%s</h1>\n", title)
	for _, a := range Analyses(pg.p) {
		if slices.Contains(names, a.Name()) {
			fmt.Fprintf(pg.w, "<label title=\"%s\"><input type=\"checkbox\" checked data-hide=\"no-%s\"> %[2]s (%d)</label>\n", html.EscapeString(a.Doc()), a.Name(), count[a.Name()])
		}
	}
	fmt.Fprint(pg.w, "<label title=\"facts about single accesses and calls\"><input type=\"checkbox\" data-show=\"details\"> every access and call</label>\n"+
		"<label><input type=\"checkbox\" data-show=\"only\"> only lines with facts</label>\n<div class=\"files\">\n")
	for _, name := range files {
		fmt.Fprintf(pg.w, "<a href=\"#%s\">%s</a>\n", pg.ids[name], html.EscapeString(pg.at.File(name)))
	}
	fmt.Fprint(pg.w, "</div>\n</header>\n")
}

// file writes the source of a file.
func (pg *page) file(name string) error {
	src, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	fmt.Fprintf(pg.w, "<h2 id=\"%s\">%s</h2>\n<table>\n", pg.ids[name], html.EscapeString(pg.at.File(name)))
	n := 0
	for line := range strings.Lines(string(src)) {
		n++
		facts := pg.byLine[lineKey{name, n}]
		class := ""
		if len(facts) > 0 {
			class = " class=\"has\""
		}
		id := fmt.Sprintf("%s-%d", pg.ids[name], n)
		fmt.Fprintf(pg.w, "<tr id=\"%s\"%s><td class=\"n\"><a href=\"#%[1]s\">%[3]d</a></td><td class=\"s\"><pre>%[4]s</pre></td><td class=\"f\">", id, class, n,
			pg.source(strings.TrimRight(line, "\r\n"), facts))
		for _, f := range facts {
			pg.fact(f)
		}
		fmt.Fprint(pg.w, "</td></tr>\n")
	}
	fmt.Fprint(pg.w, "</table>\n")
	return nil
}

// source returns a line with links from calls to their callees.
func (pg *page) source(line string, facts []*Fact) string {
	type link struct {
		from, to    int
		href, title string
	}
	var links []link
	for _, f := range facts {
		if f.Analysis != "calls" || f.Whole || len(f.Notes) == 0 {
			continue
		}
		from, to := word(line, f.Pos.Column-1)
		if from == to || slices.ContainsFunc(links, func(l link) bool { return from < l.to && l.from < to }) {
			continue
		}
		for _, n := range f.Notes {
			if href := pg.href(n.Pos); href != "" {
				links = append(links, link{from, to, href, f.Message(0)})
				break
			}
		}
	}
	slices.SortFunc(links, func(a, b link) int { return a.from - b.from })
	var b strings.Builder
	end := 0
	for _, l := range links {
		b.WriteString(html.EscapeString(line[end:l.from]))
		fmt.Fprintf(&b, "<a href=\"%s\" title=\"%s\">%s</a>", l.href, html.EscapeString(l.title), html.EscapeString(line[l.from:l.to]))
		end = l.to
	}
	b.WriteString(html.EscapeString(line[end:]))
	return b.String()
}

// word returns the name in line that ends or begins at byte i. The position of a call is that of its
// parenthesis, after the name, or that of the word go or defer.
func word(line string, i int) (from, to int) {
	letter := func(c byte) bool {
		return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	if i < 0 || i >= len(line) {
		return 0, 0
	}
	from, to = i, i
	if letter(line[i]) {
		for to < len(line) && letter(line[to]) {
			to++
		}
		return from, to
	}
	for from > 0 && letter(line[from-1]) {
		from--
	}
	return from, to
}

// href returns the link to a position, or "" if it is not on the page.
func (pg *page) href(pos token.Position) string {
	if id := pg.ids[pos.Filename]; id != "" {
		return fmt.Sprintf("#%s-%d", id, pos.Line)
	}
	return ""
}

func (pg *page) fact(f *Fact) {
	class := "fact a-" + f.Analysis
	if f.Whole {
		class += " whole"
	}
	if f.Detail {
		class += " detail"
	}
	if f.No {
		class += " no"
	}
	title := ""
	if len(f.Items) > itemsInText {
		title = fmt.Sprintf(" title=\"%s\"", html.EscapeString(strings.Join(f.Items, "\n")))
	}
	fmt.Fprintf(pg.w, "<div class=\"%s\"%s><b>%s</b> %s", class, title, f.Analysis, html.EscapeString(f.Message(itemsInText)))
	for i, n := range f.Notes {
		if i == itemsInText {
			fmt.Fprintf(pg.w, "<span class=\"why\">and %d more</span>", len(f.Notes)-i)
			break
		}
		text := html.EscapeString(fmt.Sprintf("%s:%d", pg.at.File(n.Pos.Filename), n.Pos.Line))
		if href := pg.href(n.Pos); href != "" {
			text = fmt.Sprintf("<a href=\"%s\">%s</a>", href, text)
		}
		if n.Pos.IsValid() {
			fmt.Fprintf(pg.w, "<span class=\"why\" title=\"%s\">%s</span>", html.EscapeString(n.Text), text)
		}
	}
	fmt.Fprint(pg.w, "</div>")
}
