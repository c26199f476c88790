package page

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestIndexAdvice: the index has advice for incomplete explorations, and fits a phone.
func TestIndexAdvice(t *testing.T) {
	name := filepath.Join(t.TempDir(), "index.html")
	list := []Result{{Action: "result", Package: "example.com/x", Entry: "TestLarge", Verdict: "incomplete", Incomplete: []string{"stopped after 2s"},
		Advice: []string{"a longer --timeout", "fewer <goroutines>"}}}
	if err := WriteIndex(name, "", list); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"try a longer --timeout; or fewer &lt;goroutines&gt;", `<meta name="viewport" content="width=device-width`, "@media (max-width: 700px) { /* one entry"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q", want)
		}
	}
}
