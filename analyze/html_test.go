package analyze_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/analyze"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/report"
	"hbcheck.dev/hbcheck/vm"
)

const counter = `package counter

import "sync"

type Counter struct {
	mu sync.Mutex
	n  int
}

func (c *Counter) Inc() {
	c.mu.Lock()
	c.n++
	c.mu.Unlock()
}

func (c *Counter) Twice() { c.Inc(); c.Inc() }

func (c *Counter) Less(d *Counter) bool { return c.n < d.n && "<&>" != "" }
`

// program loads a package of one file as a library.
func program(t *testing.T, src string) (*analyze.Program, report.Paths) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/counter\n\ngo 1.26\n", "counter.go": src} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := load.Load(load.Config{Dir: dir, Implicit: []string{"runtime"}, Cache: &vmtest.Cache})
	if err != nil {
		t.Fatal(err)
	}
	p := analyze.New(prog, vm.NewModels(prog), analyze.Entries(prog))
	if !p.Solve() {
		t.Fatal("interrupted")
	}
	return p, report.Paths{Base: prog.Dir}
}

// TestHTML: the page has every line of the source and the facts beside it, its links
// lead somewhere, and it needs no other file.
func TestHTML(t *testing.T) {
	p, paths := program(t, counter)
	facts, err := p.Facts(analyze.Selection{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := analyze.WriteHTML(&b, paths, p, facts); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	ids := make(map[string]bool)
	for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if ids[m[1]] {
			t.Errorf("two elements are called %s", m[1])
		}
		ids[m[1]] = true
	}
	links := regexp.MustCompile(` href="([^"]*)"`).FindAllStringSubmatch(page, -1)
	for _, m := range links {
		if !strings.HasPrefix(m[1], "#") || !ids[m[1][1:]] {
			t.Errorf("link to %s, which is not on the page", m[1])
		}
	}
	for _, want := range []string{
		`<tr id="f0-16" class="has">`,                           // the line of Twice
		`<a href="#f0-10" title="calls (*Counter).Inc">Inc</a>`, // a call's link to the callee
		`field n of counter.Counter is not guarded by mu: read at counter.go:18 without mu`,
		`&#34;&lt;&amp;&gt;&#34;`,
		`data-hide="no-guardedby"`, `body.no-guardedby .a-guardedby { display: none; }`,
		`prefers-color-scheme: dark`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if n := strings.Count(page, "<tr id="); n != strings.Count(counter, "\n") {
		t.Errorf("%d lines, want %d", n, strings.Count(counter, "\n"))
	}
	if regexp.MustCompile(`(?i)(src=|@import|url\(|https?:)`).MatchString(page) {
		t.Error("the page refers to something outside of it")
	}
}

// TestTimeout: only the analysis that takes too long is omitted.
func TestTimeout(t *testing.T) {
	p, _ := program(t, counter)
	p.Timeout = 1 // nanosecond
	facts, err := p.Facts(analyze.Selection{Analyses: []string{"calls", "fieldaccess"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.GaveUp) != 1 || p.GaveUp[0] != "fieldaccess" {
		t.Errorf("gave up %q, want fieldaccess", p.GaveUp)
	}
	if len(facts) == 0 || facts[0].Analysis != "calls" {
		t.Errorf("%d facts, want those of calls", len(facts))
	}
}

// TestStable: two loads of a program lead to the same text.
func TestStable(t *testing.T) {
	text := func() string {
		p, paths := program(t, counter)
		facts, err := p.Facts(analyze.Selection{})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := analyze.WriteText(&b, paths, facts, true); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if a, b := text(), text(); a != b {
		t.Errorf("first\n%s\nthen\n%s", a, b)
	}
}
