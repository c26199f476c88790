package report

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// TestJSONDocumented: docs/formats.md names every field.
func TestJSONDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, x := range []any{jsonResult{}, jsonBug{}, jsonRelated{}, JSONStats{}, jsonOutcome{}, jsonExplained{}, jsonBecause{}} {
		for f := range reflect.TypeOf(x).NumField() {
			name, _, _ := strings.Cut(reflect.TypeOf(x).Field(f).Tag.Get("json"), ",")
			if n++; !strings.Contains(string(text), "`"+name+"`") {
				t.Errorf("docs/formats.md does not tell of %T's %s", x, name)
			}
		}
	}
	if n < 30 {
		t.Errorf("only %d fields", n)
	}
}
