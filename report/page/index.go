package page

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/report"
)

// An Index takes the results of a run and writes a page that lists them, with links to the pages of
// their bugs. It is a report.Writer.
type Index struct {
	Name  string // name of the file to which the index is written when it is closed
	Paths report.Paths
	Lines string       // address of the page of a Cover, relative to the index
	Told  io.Writer    // where its name is written then; nil: nowhere
	lines bytes.Buffer // the output of report.JSON: the only source of the index
}

// Result implements report.Writer.
func (x *Index) Result(r *explore.Result, files []report.Files) error {
	return (&report.JSON{W: &x.lines, Paths: x.Paths}).Result(r, files)
}

// Failed implements report.Writer.
func (x *Index) Failed(pkg, entry, why string) error {
	return (&report.JSON{W: &x.lines, Paths: x.Paths}).Failed(pkg, entry, why)
}

// Close implements report.Writer.
func (x *Index) Close() error {
	list, err := ReadResults(&x.lines)
	if err != nil {
		return err
	}
	lines := ""
	if slices.ContainsFunc(list, func(r Result) bool { return r.Coverage != nil }) {
		lines = x.Lines
	}
	if err := WriteIndex(x.Name, lines, list); err != nil || x.Told == nil {
		return err
	}
	_, err = fmt.Fprintf(x.Told, "index:  %s\n", report.Printable(x.Name))
	return err
}

// A Result is the index's data about an entry: a line of docs/formats.md.
type Result struct {
	Action     string   `json:"action"`
	Package    string   `json:"package"`
	Entry      string   `json:"entry"`
	Error      string   `json:"error"`
	Verdict    string   `json:"verdict"`
	POR        string   `json:"por"`
	Bugs       []Found  `json:"bugs"`
	Incomplete []string `json:"incomplete"`
	Advice     []string `json:"advice"`
	NotRun     string   `json:"not_run"`
	Stats      struct {
		Executions uint64  `json:"executions"`
		States     uint64  `json:"states"`
		MaxDepth   int     `json:"maxdepth"`
		Goroutines int     `json:"goroutines"`
		Explore    float64 `json:"explore_s"`
	} `json:"stats"`
	Cached   bool `json:"cached"`
	Coverage *struct {
		Statements int `json:"statements"`
		Reached    int `json:"reached"`
		Functions  int `json:"functions"`
	} `json:"coverage"`
}

// Found is one bug of a Result.
type Found struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Pos      string `json:"pos"`
	Replay   string `json:"replay"`
	Page     string `json:"page"`
}

// ReadResults reads the output of report.JSON.
func ReadResults(r io.Reader) (list []Result, err error) {
	lines := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var x Result
			if err := json.Unmarshal(line, &x); err != nil {
				return nil, fmt.Errorf("line %d: not a result: %v", n, err)
			}
			switch x.Action {
			case "result", "error":
				list = append(list, x)
			case "summary":
			default:
				return nil, fmt.Errorf("line %d: not a result: action %q", n, x.Action)
			}
		}
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// indexRow is a Result as the index shows it.
type indexRow struct {
	Class, Word    string // class and word of the verdict
	Package, Entry string
	Bugs           []indexBug
	Notes          []string
	Advice         string // advice, if the exploration is incomplete
	Covered, Time  string
	Percent        string // percentage of the statements executed, if known
	Lines          string // the page that shows these statements
}

type indexBug struct {
	Code, Message, Pos, Link string
	Warning                  bool
}

// verdictWords are the words of verdicts, the worst first.
var verdictWords = []struct{ class, word string }{
	{"error", "not explored"}, {"fail", "FAIL"}, {"incomplete", "incomplete"}, {"skip", "skipped"}, {"ok", "ok"},
}

// WriteIndex writes the index of results to a file. Links are relative to its directory.
// lines is the address of the coverage page; empty: there is none.
func WriteIndex(name, lines string, list []Result) error {
	dir, err := filepath.Abs(filepath.Dir(name))
	if err != nil {
		return err
	}
	var rows []indexRow
	counts := make(map[string]int)
	for i := range list {
		row := newIndexRow(&list[i], dir)
		counts[row.Class]++
		if row.Percent != "" {
			row.Lines = lines
		}
		rows = append(rows, row)
	}
	rank := func(r indexRow) int {
		return slices.IndexFunc(verdictWords, func(w struct{ class, word string }) bool { return w.class == r.Class })
	}
	slices.SortStableFunc(rows, func(a, b indexRow) int { return rank(a) - rank(b) })
	var summary []string
	for _, w := range verdictWords {
		if n := counts[w.class]; n > 0 {
			summary = append(summary, fmt.Sprintf("%d %s", n, w.word))
		}
	}
	var body bytes.Buffer
	err = indexTemplate.Execute(&body, map[string]any{"Rows": rows, "Summary": strings.Join(summary, " · "), "Count": len(rows)})
	if err != nil {
		return err
	}
	return Write(name, document("hbcheck: "+cmp.Or(strings.Join(summary, ", "), "no entries"), body.String(), asset("index.js"), []byte("{}")))
}

var indexTemplate = template.Must(template.New("index").Parse(asset("index.html")))

func newIndexRow(x *Result, dir string) indexRow {
	row := indexRow{Class: x.Verdict, Package: report.Printable(x.Package), Entry: report.Printable(x.Entry)}
	switch {
	case x.Action == "error":
		row.Class = "error"
		row.Notes = append(row.Notes, report.Printable(firstLine(x.Error)))
	case x.NotRun != "" && x.Verdict == string(explore.OK):
		row.Class = "skip"
		row.Notes = append(row.Notes, report.Printable(x.NotRun))
	}
	for _, w := range verdictWords {
		if w.class == row.Class {
			row.Word = w.word
		}
	}
	for _, b := range x.Bugs {
		row.Bugs = append(row.Bugs, indexBug{b.Code, report.Printable(firstLine(b.Message)), report.Printable(b.Pos), link(b.Page, dir), b.Severity == "warning"})
	}
	for _, s := range x.Incomplete {
		row.Notes = append(row.Notes, report.Printable(s))
	}
	if len(x.Advice) > 0 {
		//mutant: the index has no advice [test ./report/page TestIndexAdvice]
		row.Advice = "try " + report.Printable(strings.Join(x.Advice, "; or "))
	}
	if x.Action != "error" {
		row.Covered = fmt.Sprintf("%s executions, %d goroutines, depth %d (%s)", report.Digits(x.Stats.Executions), x.Stats.Goroutines, x.Stats.MaxDepth, x.POR)
		if x.Stats.States > 0 {
			row.Covered = fmt.Sprintf("%s executions, %s states, %d goroutines, depth %d (%s)", report.Digits(x.Stats.Executions), report.Digits(x.Stats.States),
				x.Stats.Goroutines, x.Stats.MaxDepth, x.POR)
		}
		row.Time = fmt.Sprintf("%.2fs", x.Stats.Explore)
		if x.Cached {
			row.Time = "cached"
		}
		if c := x.Coverage; c != nil && c.Statements > 0 {
			row.Percent = fmt.Sprintf("%.1f%% of the statements it calls", 100*float64(c.Reached)/float64(c.Statements))
		}
	}
	return row
}

// link returns the address of a page relative to a directory; empty if there is no page.
func link(page, dir string) string {
	if page == "" {
		return ""
	}
	abs, err := filepath.Abs(page)
	if err != nil {
		return ""
	}
	rel, err := filepath.Rel(dir, abs)
	if err != nil {
		return ""
	}
	return "./" + filepath.ToSlash(rel) // a name with a colon is not a scheme
}
