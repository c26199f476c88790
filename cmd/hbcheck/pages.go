package main

import (
	"fmt"
	"io"
	"path/filepath"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/report"
	"hbcheck.dev/hbcheck/report/page"
)

// The values of --html that are not directories.
const (
	htmlAuto = "auto" // pages are next to the replay files
	htmlOff  = "off"
)

// maxPage bounds the events of a schedule with a page. No browser shows more.
const maxPage = 200_000

// page writes the page of one of r's bugs and returns the page's name, or "" if there is no page.
// replay is the name of the bug's replay file, and name the name of the page without its directory.
func (f *exploreFlags) page(stderr io.Writer, r *explore.Result, b *bug.Bug, paths report.Paths, replay, name string) string {
	dir := f.html
	switch {
	case dir == htmlOff, len(b.Events) > maxPage, b.Untold:
		return ""
	case dir == htmlAuto:
		dir = f.out
	}
	name = filepath.Join(dir, name)
	if b.Small != nil {
		paths.Edits = b.Small.Edits
	}
	if err := writePage(name, &page.Schedule{Package: r.Package, Entry: r.Entry, Bug: b, Search: report.Search(r), Replay: replay, Paths: paths}); err != nil {
		complain(stderr, fmt.Errorf("warning: no page: %w", err))
		return ""
	}
	return name
}

func writePage(name string, s *page.Schedule) error {
	content, err := page.HTML(s)
	if err != nil {
		return err
	}
	return page.Write(name, content)
}
