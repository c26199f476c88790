package bench

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/oracle"
)

// goldenSpin14 returns the choices of testdata/spin14.golden, which TestSpin14 measures, as rows.
func goldenSpin14(t *testing.T) (programs [][]*Spin14Row) {
	t.Helper()
	text, err := os.ReadFile("testdata/spin14.golden")
	if err != nil {
		t.Fatal(err)
	}
	column := regexp.MustCompile(`^  (\w+) +\w+: (\d+) choices`)
	list := Spin14Programs()
	for line := range strings.Lines(string(text)) {
		m := column.FindStringSubmatch(line)
		if m == nil {
			p := &list[len(programs)]
			if want := strings.TrimSpace(p.Program + " " + p.Small); strings.TrimSpace(line) != want {
				t.Fatalf("testdata/spin14.golden: %s, want %s", line, want)
			}
			programs = append(programs, nil)
			continue
		}
		r := &Spin14Row{Spin14Program: &list[len(programs)-1], Size: "small", Result: &explore.Result{Hybrid: oracle.Kind(m[1])}}
		if r.Result.Stats.Choices, err = strconv.ParseUint(m[2], 10, 64); err != nil {
			t.Fatal(err)
		}
		columns := &programs[len(programs)-1]
		if n := len(*columns); n > 0 {
			r.Left = (*columns)[n-1]
		}
		*columns = append(*columns, r)
	}
	if len(programs) != len(list) {
		t.Fatalf("%d programs, want %d", len(programs), len(list))
	}
	return programs
}

// TestSpin14Document: the table of choices in the document, the picture beside it and the numbers measured
// are the same. -update rewrites the picture and the table.
func TestSpin14Document(t *testing.T) {
	const document, picture = "../docs/research/spin14.md", "../docs/research/spin14.svg"
	programs := goldenSpin14(t)
	var table, svg bytes.Buffer
	if err := NewWriter("md", &table).Spin14Summary(programs, nil); err != nil {
		t.Fatal(err)
	}
	if err := PlotSpin14(&svg, programs); err != nil {
		t.Fatal(err)
	}
	// The table of choices comes first, and then that of costs.
	head, rest, _ := strings.Cut(table.String(), "\n| program | arguments |")
	choices := strings.TrimSpace(head)
	if rest == "" || strings.Count(choices, "\n") != len(programs)+1 {
		t.Fatalf("not a table of choices and one of costs:\n%s", table.String())
	}
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	first := regexp.MustCompile(`(?m)(?:^\|.*\n)+`)
	if *update {
		at := first.FindIndex(text)
		text = fmt.Appendf(nil, "%s%s\n%s", text[:at[0]], choices, text[at[1]:])
		for name, data := range map[string][]byte{document: text, picture: svg.Bytes()} {
			if err := os.WriteFile(name, data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := strings.TrimSpace(string(first.Find(text))); got != choices {
		t.Errorf("%s: the table of choices is\n%s\nwant\n%s\n(-update rewrites it)", document, got, choices)
	}
	drawn, err := os.ReadFile(picture)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(drawn, svg.Bytes()) {
		t.Errorf("%s does not show the numbers of the table (-update draws it again)", picture)
	}
}
