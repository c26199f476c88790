package page

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/report"
)

// Cover takes the results of a run and writes a page that shows the executed code in the source of the
// user's module. It is a report.Writer.
type Cover struct {
	Name  string // name of the file to which the page is written when it is closed, if coverage was noted
	Paths report.Paths
	Told  io.Writer // where its name is written then; nil: nowhere
	all   report.Coverages
}

// Result implements report.Writer.
func (c *Cover) Result(r *explore.Result, _ []report.Files) error {
	c.all.Add(r)
	return nil
}

// Failed implements report.Writer.
func (c *Cover) Failed(string, string, string) error { return nil }

// Close implements report.Writer.
func (c *Cover) Close() error {
	if c.all.All == nil {
		return nil
	}
	content, err := coverHTML(c.all.All, c.all.Packages(), c.Paths)
	if err == nil {
		err = Write(c.Name, content)
	}
	if err != nil || c.Told == nil {
		return err
	}
	_, err = fmt.Fprintf(c.Told, "covered: %s\n", report.Printable(c.Name))
	return err
}

// A coverFile is a file as the page shows it.
type coverFile struct {
	ID, Name, Percent string
	Lines             []coverLine
}

// A coverLine is a line of a file. Word says whether it was reached, for readers who do not see colours.
type coverLine struct {
	N     int
	Word  string
	Spans []coverSpan
	Notes []string
}

// A coverSpan is a part of a line. Class is yes, no or empty.
type coverSpan struct{ Class, Text string }

// A coverPackage is a line of the table at the top of the page.
type coverPackage struct {
	Path, Percent       string
	Statements, Reached int
	Files               []coverFile
	OneWay              []string
	Orders              []string // pairs met in one order only
	MoreOrders          int      // that are not listed
}

// maxOrders is how many pairs the page lists of a package.
const maxOrders = 50

var coverTemplate = template.Must(template.New("cover").Parse(asset("cover.html")))

// coverHTML returns the page.
func coverHTML(c *explore.Coverage, packages []string, paths report.Paths) ([]byte, error) {
	byFile := make(map[string][]int)
	for i := range c.Blocks {
		if b := &c.Blocks[i]; b.Kind != load.Else && !b.Test {
			byFile[b.Start.Filename] = append(byFile[b.Start.Filename], i)
		}
	}
	var list []coverPackage
	for _, path := range packages {
		sum := report.PackageCoverage(c, path)
		p := coverPackage{Path: path, Percent: sum.Percent(), Statements: sum.Statements, Reached: sum.Reached}
		notes := make(map[string]map[int][]string)
		for _, o := range sum.OneWay {
			if notes[o.File] == nil {
				notes[o.File] = make(map[int][]string)
			}
			notes[o.File][o.Line] = append(notes[o.File][o.Line], o.What)
			p.OneWay = append(p.OneWay, fmt.Sprintf("%s:%d: %s", paths.File(o.File), o.Line, o.What))
		}
		for _, o := range sum.Orders[:min(len(sum.Orders), maxOrders)] {
			p.Orders = append(p.Orders, o.Words(paths))
		}
		p.MoreOrders = len(sum.Orders) - len(p.Orders)
		var names []string
		for name, blocks := range byFile {
			if c.Blocks[blocks[0]].Package == path {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		for _, name := range names {
			p.Files = append(p.Files, newCoverFile(c, name, byFile[name], notes[name], paths))
		}
		list = append(list, p)
	}
	var body bytes.Buffer
	if err := coverTemplate.Execute(&body, map[string]any{"Packages": list}); err != nil {
		return nil, err
	}
	return document("hbcheck: coverage", body.String(), asset("cover.js"), []byte("{}")), nil
}

// newCoverFile colours the source of a file.
func newCoverFile(c *explore.Coverage, name string, blocks []int, notes map[int][]string, paths report.Paths) coverFile {
	f := coverFile{Name: report.Printable(paths.File(name))}
	f.ID = "f-" + strings.NewReplacer(" ", "_").Replace(filepath.ToSlash(f.Name))
	statements, reached := 0, 0
	for _, i := range blocks {
		statements += c.Blocks[i].Stmts
		if c.Executed(i) {
			reached += c.Blocks[i].Stmts
		}
	}
	f.Percent = fmt.Sprintf("%.1f%%", 100*float64(reached)/float64(max(1, statements)))
	blocks = slices.Clone(blocks)
	slices.SortStableFunc(blocks, func(i, j int) int {
		a, b := c.Blocks[i].Start, c.Blocks[j].Start
		return cmp.Or(a.Line-b.Line, a.Column-b.Column)
	})
	for n, text := range read(report.Paths{}, name) {
		line := coverLine{N: n + 1, Notes: notes[n+1]}
		at := 0
		yes, no := false, false
		add := func(to int, class string) {
			to = min(to, len(text))
			if to > at {
				line.Spans = append(line.Spans, coverSpan{class, printable([]string{text[at:to]})[0]})
				at = to
			}
		}
		for _, i := range blocks {
			b := &c.Blocks[i]
			if b.Start.Line > line.N || b.End.Line < line.N {
				continue
			}
			from, to := 0, len(text)
			if b.Start.Line == line.N {
				from = b.Start.Column - 1
			}
			if b.End.Line == line.N {
				to = b.End.Column - 1
			}
			add(from, "")
			class := "no"
			if c.Executed(i) {
				class = "yes"
			}
			if inner := strings.TrimSpace(text[min(at, len(text)):max(min(to, len(text)), min(at, len(text)))]); inner != "" && inner != "}" && inner != "{" {
				yes, no = yes || class == "yes", no || class == "no"
			}
			add(to, class)
		}
		add(len(text), "")
		switch {
		case yes && no:
			line.Word = "partly"
		case yes:
			line.Word = "reached"
		case no:
			line.Word = "never"
		}
		f.Lines = append(f.Lines, line)
	}
	return f
}
