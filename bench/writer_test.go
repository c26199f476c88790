package bench

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
)

// someSpin14 are two programs with two columns, one of them not in the paper.
func someSpin14() [][]*Spin14Row {
	column := func(s *Spin14Program, h oracle.Kind, choices uint64, left *Spin14Row) *Spin14Row {
		r := &explore.Result{Verdict: explore.OK, POR: "jpf", Hybrid: h, Finals: make([]por.Hash, 3)}
		r.Stats.Choices, r.Stats.States = choices, choices+1
		if left != nil {
			r.Stats.Eliminated = map[string]uint64{"nofuture": 7, "lock": 12_345}
			r.Stats.Static = 20 * time.Millisecond
		}
		return &Spin14Row{Spin14Program: s, Size: "small", Result: r, CPU: time.Second, Left: left}
	}
	var programs [][]*Spin14Row
	for _, s := range Spin14Programs()[:2] {
		none := column(&s, oracle.None, 1000, nil)
		programs = append(programs, []*Spin14Row{none, column(&s, oracle.FieldAccess, 100, none)})
	}
	return programs
}

func spin14As(t *testing.T, format string, problems []string) string {
	t.Helper()
	var b bytes.Buffer
	w, programs := NewWriter(format, &b), someSpin14()
	for _, columns := range programs {
		if err := w.Spin14(columns); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Spin14Summary(programs, problems), w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestSpin14Formats: every format has the factors here and in the paper, and the
// ones for machines can be read by them.
func TestSpin14Formats(t *testing.T) {
	for format, want := range map[string][]string{
		"text": {"credemo 4", "10.0×", "12.6×", "lock 12 345, nofuture 7", "same final states"},
		"md":   {"| CRE Demo | 47 114 | 3736 | 1000 | 100 | 10.0× | 12.6× | 10.0× | 12.6× |", "lock 12 345, nofuture 7"},
		"json": {`"reduction":10`, `"choices":47114`, `"problems":[]`},
		"csv":  {"lock 12 345; nofuture 7", "12.610814"},
	} {
		got := spin14As(t, format, nil)
		for _, x := range want {
			if !strings.Contains(got, x) {
				t.Errorf("--format %s has no %q:\n%s", format, x, got)
			}
		}
		switch format {
		case "json":
			for d := json.NewDecoder(strings.NewReader(got)); ; {
				var x map[string]any
				if err := d.Decode(&x); err == io.EOF {
					break
				} else if err != nil {
					t.Fatal(err)
				}
			}
		case "csv":
			if rows, err := csv.NewReader(strings.NewReader(got)).ReadAll(); err != nil || len(rows) != 5 {
				t.Errorf("%d rows, %v", len(rows), err)
			}
		}
	}
	if got := spin14As(t, "text", []string{"p differs"}); !strings.Contains(got, "problem: p differs") || strings.Contains(got, "same final states") {
		t.Errorf("a problem is not told:\n%s", got)
	}
}

// TestPlotSpin14: the picture is XML and has a dot for every number.
func TestPlotSpin14(t *testing.T) {
	var b bytes.Buffer
	if err := PlotSpin14(&b, someSpin14()); err != nil {
		t.Fatal(err)
	}
	circles := 0
	for d := xml.NewDecoder(&b); ; {
		tok, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := tok.(xml.StartElement); ok && e.Name.Local == "circle" {
			circles++
		}
	}
	if want := 2 /* legend */ + 2*2 /* here */ + 2; /* there */ circles != want {
		t.Errorf("%d dots, want %d", circles, want)
	}
}
