package explorers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/por"
)

// TestDocTable compares the table in the documentation of package por with the explorers.
func TestDocTable(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "doc.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "//\tname ")
	table, _, _ = strings.Cut(table, "\n//\n")
	rows := strings.Split(table, "\n//\t")[1:]
	all := All()
	if len(rows) != len(all) {
		t.Fatalf("%d rows, want %d", len(rows), len(all))
	}
	for i, e := range all {
		cells := strings.Fields(rows[i])
		want := []string{e.Name, needs(e), storesStates(e), yes(!e.NoPreemptionBound), yes(e.Serial == "")}
		if got := strings.Join(cells[:5], " "); got != strings.Join(want, " ") {
			t.Errorf("por/doc.go says %q, want %q", got, strings.Join(want, " "))
		}
		guarantee := strings.Join(cells[5:], " ")
		if e.Samples != (strings.HasPrefix(guarantee, "none") || strings.HasPrefix(guarantee, "a probability")) {
			t.Errorf("%s: %q is what one guarantees that samples: %v", e.Name, guarantee, e.Samples)
		}
		if e.OnePerClass != strings.HasPrefix(guarantee, "each class") {
			t.Errorf("%s: %q is what one guarantees that completes each class once: %v", e.Name, guarantee, e.OnePerClass)
		}
	}
}

func needs(e *por.Explorer) string {
	names := make([]string, len(e.Needs))
	for i, n := range e.Needs {
		names[i] = string(n)
	}
	if len(names) == 0 {
		return "-"
	}
	return strings.Join(names, ",")
}

func storesStates(e *por.Explorer) string {
	switch {
	case e.Stateless && e.Stateful:
		return "either"
	case e.Stateful:
		return "always"
	}
	return "never"
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
