package page

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"

	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/report"
)

//go:embed assets
var assets embed.FS

// scripts are the parts of the page's script, in their order.
var scripts = []string{"data.js", "lanes.js", "source.js", "step.js", "main.js"}

// A Schedule is the content of a page: a bug, and where it was found.
type Schedule struct {
	Package, Entry string
	Bug            *bug.Bug
	Search         string // the progress of the search: report.Search; may be empty
	Replay         string // name of the replay file in commands; may be empty
	Paths          report.Paths
}

// HTML returns the page of s.
func HTML(s *Schedule) ([]byte, error) {
	data, err := json.Marshal(newData(s)) // it escapes <, > and &
	if err != nil {
		return nil, err
	}
	var script strings.Builder
	for _, name := range scripts {
		script.WriteString(asset(name))
	}
	b := s.Bug
	entry := report.BugEntry(s.Entry, b)
	title := fmt.Sprintf("%s: %s: %s", entry, b.Kind.Code(), firstLine(report.Message(b)))
	why := report.Why(b)
	if why != "" {
		why = "Why: " + why
	}
	where := s.Package + " · " + entry + " · " + s.Paths.Pos(b.Pos)
	if x := report.FoundIn(b); x != "" {
		where += " · " + x
	}
	if s.Search != "" {
		where += " · " + s.Search
	}
	inputs := ""
	for _, in := range report.InputTexts(b) {
		inputs += "<p class=\"input\">input: " + escaped(in) + "</p>\n"
	}
	message, detail, _ := strings.Cut(report.Message(b), "\n")
	if h := newHistory(b, message, detail); h != nil {
		detail = h.html()
	} else if detail != "" { // columns carry meaning in the detail: a history, a difference
		detail = "\n<pre class=\"detail\">" + escaped(detail) + "</pre>"
	}
	body := fill(asset("page.html"), map[string]string{
		"CODE": b.Kind.Code(), "MESSAGE": escaped(message), "DETAIL": detail, "WHERE": escaped(where), "INPUTS": inputs, "WHY": escaped(why),
		"TEXT": escaped(report.BugText(s.Paths, b)),
	})
	return document(title, body, script.String(), data), nil
}

// document puts a page together.
func document(title, body, script string, data []byte) []byte {
	style := asset("style.css")
	policy := fmt.Sprintf("default-src 'none'; base-uri 'none'; form-action 'none'; script-src %s; style-src %s", hash(script), hash(style))
	return []byte(fill(asset("document.html"), map[string]string{
		"TITLE": escaped(title), "POLICY": policy, "STYLE": style, "SCRIPT": script,
		"BODY": body, "DATA": string(data),
	}))
}

// fill replaces every {{NAME}} of a template, once, and not in the values themselves.
func fill(template string, values map[string]string) string {
	var list []string
	for name, value := range values {
		list = append(list, "{{"+name+"}}", value)
	}
	return strings.NewReplacer(list...).Replace(template)
}

// escaped returns a text of the program as markup.
func escaped(s string) string { return html.EscapeString(report.Printable(s)) }

// hash names a script or a style in a Content-Security-Policy.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// asset returns a file that is embedded.
func asset(name string) string {
	text, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic("BUG: page: " + err.Error())
	}
	return string(text)
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// Write writes a page to a file, making its directory if need be. It is written as a whole or not at all,
// and a link with its name is replaced, not followed.
func Write(name string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	temp := fmt.Sprintf("%s.%d.tmp", name, os.Getpid())
	os.Remove(temp)
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = bytes.NewReader(content).WriteTo(f)
	if err = cmp.Or(err, f.Close()); err == nil {
		err = os.Rename(temp, name)
	}
	if err != nil {
		os.Remove(temp)
	}
	return err
}
