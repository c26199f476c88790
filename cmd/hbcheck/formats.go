package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/report"
	"hbcheck.dev/hbcheck/report/page"
)

// A format is an output format: its name, and the writer of it.
type format struct {
	name   string
	writer func(w writing) report.Writer
}

// writing has the arguments of format.writer.
type writing struct {
	to       io.Writer
	paths    report.Paths
	code     report.Paths // relative to the repository, as services that show code require
	text     report.Text  // how those formats write an entry's report that include it
	outcomes bool
}

// formats are what --format accepts. Each is written to stdout, or to a file: sarif:out.sarif.
var formats = []format{
	{"text", func(w writing) report.Writer { w.text.W = w.to; return &w.text }},
	{"json", func(w writing) report.Writer { return &report.JSON{W: w.to, Paths: w.paths, Outcomes: w.outcomes} }},
	{"sarif", func(w writing) report.Writer { return &report.SARIF{W: w.to, Paths: w.code, Version: version()} }},
	{"github", func(w writing) report.Writer {
		return &report.GitHub{W: w.to, Paths: w.code, Text: w.text, Summary: os.Getenv("GITHUB_STEP_SUMMARY")}
	}},
	{"junit", func(w writing) report.Writer { return &report.JUnit{W: w.to, Text: w.text} }},
	{"test2json", func(w writing) report.Writer { return &report.Test2JSON{W: w.to, Text: w.text} }},
}

// formatNames returns the names of the formats, with sep between them.
func formatNames(sep string) string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return strings.Join(names, sep)
}

// formatCalled returns the format of that name.
func formatCalled(name string) (f format, ok bool) {
	i := slices.IndexFunc(formats, func(f format) bool { return f.name == name })
	if i < 0 {
		return format{}, false
	}
	return formats[i], true
}

// An output is one of the formats of --format, and the file that it is written to; empty: stdout.
type output struct {
	format
	file string
}

// outputs parses --format. Only one format can be on stdout; GitHub's commands are an
// exception, because GitHub finds them among other lines.
func (f *exploreFlags) outputs() (list []output, err error) {
	stdout := ""
	for _, s := range strings.Split(f.format, ",") {
		name, file, hasFile := strings.Cut(s, ":")
		format, known := formatCalled(name)
		switch {
		case !known:
			return nil, fmt.Errorf("--format %s: want %s, each perhaps with a file (sarif:out.sarif)", s, formatNames(", "))
		case hasFile && file == "":
			return nil, fmt.Errorf("--format %s: no file after the colon", s)
		case !hasFile && name != "github" && stdout != "":
			return nil, fmt.Errorf("--format %s: %s is on stdout already; give one of them a file (%s:FILE)", f.format, stdout, name)
		case !hasFile && name != "github":
			stdout = name
		}
		list = append(list, output{format, file})
	}
	return list, nil
}

// textOnStdout reports whether people read stdout.
func textOnStdout(list []output) bool {
	return slices.ContainsFunc(list, func(o output) bool { return o.name == "text" && o.file == "" })
}

// defaultFormat is the default of --format: on GitHub it includes annotations.
func defaultFormat() string {
	if os.Getenv("GITHUB_ACTIONS") == "true" {
		return "text,github"
	}
	return "text"
}

// mostLines is the maximum number of entries with a line each, without -v. They fit on a screen.
const mostLines = 40

// writer returns the writer of the results of a number of entries, in the requested formats, and of the
// index of pages. Mistakes in writing are reported to errs.
func (f *exploreFlags) writer(out, errs io.Writer, paths report.Paths, entries int, next nextTime) report.Writer {
	list, err := f.outputs()
	if err != nil {
		panic("BUG: formats that have not been checked: " + err.Error())
	}
	mistake := func(err error) {
		f.mistaken = true
		complain(errs, err)
	}
	var all report.Writers
	text := report.Text{Paths: paths, Verbose: f.verbose, AnyTime: f.time == "any", Hybrid: f.hybrid != "auto" || f.explain != "", Explain: f.explain}
	text.Subtests = strings.Contains(f.run+f.skip, "/")
	text.Brief = entries > mostLines && !f.outcomes && !f.checkStatic && !f.covers() && !text.Hybrid
	if text.Brief {
		text.Again = next.again
	}
	text.Flags = next.flags
	code := paths
	if root := os.Getenv("GITHUB_WORKSPACE"); root != "" && os.Getenv("GITHUB_ACTIONS") == "true" {
		code.Base = root
	}
	for _, o := range list {
		to := out
		if o.file != "" {
			to = &lateFile{name: o.file}
		}
		own := text
		own.Color = o.name == "text" && f.colours(to)
		all = append(all, closing{guarded{o.writer(writing{to, paths, code, own, f.outcomes}), mistake}, to})
	}
	if f.coverProfile != "" {
		file := &lateFile{name: f.coverProfile}
		all = append(all, closing{guarded{&report.Profile{W: file}, mistake}, file})
	}
	if dir := f.html; f.covers() && dir != htmlOff {
		if dir == htmlAuto {
			dir = f.out
		}
		c := &page.Cover{Name: filepath.Join(dir, coverPage), Paths: paths}
		if textOnStdout(list) {
			c.Told = out
		}
		all = append(all, guarded{c, mistake})
	}
	if f.html != htmlAuto && f.html != htmlOff {
		index := &page.Index{Name: filepath.Join(f.html, "index.html"), Lines: "./" + coverPage, Paths: paths}
		if textOnStdout(list) {
			index.Told = out
		}
		all = append(all, guarded{index, mistake})
	}
	return all
}

// colours reports whether text that is written to w has colours (no-color.org).
func (f *exploreFlags) colours(w io.Writer) bool {
	if f.color != "auto" {
		return f.color == "always"
	}
	file, _ := fileOf(w)
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && escapes(file)
}

// coverPage is the name of the page with the coverage.
const coverPage = "coverage.html"

// covers reports whether the run records which code is executed.
func (f *exploreFlags) covers() bool { return f.cover || f.coverProfile != "" }

// guarded recovers from a mistake of hbcheck in writing a result, so that other results and other writers
// are not affected.
type guarded struct {
	report.Writer
	mistake func(error)
}

// Result implements report.Writer.
func (g guarded) Result(r *explore.Result, files []report.Files) (err error) {
	defer func() {
		//mutant: a mistake in writing one result loses the others [test ./cmd/hbcheck TestMistakes]: "p != nil" -> "p != nil && r == nil"
		if p := recover(); p != nil {
			g.mistake(fmt.Errorf("%s.%s: %w", r.Package, r.Entry, internalError{p, debug.Stack()}))
			err = g.Failed(r.Package, r.Entry, "internal error")
		}
	}()
	return g.Writer.Result(r, files)
}

// Close implements report.Writer.
func (g guarded) Close() (err error) {
	defer func() {
		if p := recover(); p != nil {
			g.mistake(internalError{p, debug.Stack()})
			err = nil
		}
	}()
	return g.Writer.Close()
}

// closing closes the file that a writer writes to.
type closing struct {
	report.Writer
	to io.Writer
}

// Close implements report.Writer.
func (c closing) Close() error {
	if err := c.Writer.Close(); err != nil {
		return err
	}
	if f, ok := c.to.(*lateFile); ok {
		return f.Close()
	}
	return nil
}

// lateFile is a file that is created when something is written to it, at the latest when it is closed.
type lateFile struct {
	name string
	f    *os.File
}

// Write implements io.Writer.
func (l *lateFile) Write(b []byte) (int, error) {
	if err := l.create(); err != nil {
		return 0, err
	}
	return l.f.Write(b)
}

func (l *lateFile) create() (err error) {
	if l.f == nil {
		l.f, err = os.Create(l.name)
	}
	return err
}

// Close implements io.Closer.
func (l *lateFile) Close() error {
	if err := l.create(); err != nil {
		return err
	}
	return l.f.Close()
}
