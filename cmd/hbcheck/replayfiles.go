package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/report"
)

// replayFiles names and writes the replay files of one run.
type replayFiles struct {
	dir      string
	release  string // of Go
	paths    report.Paths
	flags    *exploreFlags
	patterns []string
	loaded   []string        // import paths of the packages that are loaded
	used     map[string]bool // stems
	mistaken bool            // there was a mistake of hbcheck itself
}

// write writes a replay file and a page for each bug of r that is not a warning, and returns the names by
// bug. If a file cannot be written, its name is empty, and write prints the reason on stderr.
func (x *replayFiles) write(stderr io.Writer, r *explore.Result) (names []report.Files) {
	if !slices.ContainsFunc(r.Bugs, func(b *bug.Bug) bool { return !b.Warning }) {
		return nil
	}
	stem := x.stem(r)
	back := x.paths.Base
	if dir, err := filepath.Abs(x.dir); err == nil {
		if rel, err := filepath.Rel(dir, back); err == nil {
			back = rel
		}
	}
	n := 0
	for _, b := range r.Bugs {
		if b.Warning {
			names = append(names, report.Files{})
			continue
		}
		n++
		names = append(names, x.bug(stderr, r, b, back, fmt.Sprintf("%s.%d", stem, n)))
	}
	return names
}

// matchedPaths returns the import paths of the packages that the patterns matched.
func matchedPaths(prog *load.Program) (list []string) {
	for _, p := range prog.Packages {
		if path := cmp.Or(p.ForTest, p.Path); !slices.Contains(list, path) {
			list = append(list, path)
		}
	}
	return list
}

// stem returns a name for the files of an entry. No other entry has the same name, even if the case of
// letters makes no difference.
func (x *replayFiles) stem(r *explore.Result) string {
	if x.used == nil {
		x.used = make(map[string]bool)
	}
	name := explore.FileName(r.Entry)
	for n := 1; x.used[strings.ToLower(name)]; n++ {
		if name = explore.FileName(r.Package + "." + r.Entry); n > 1 {
			name = fmt.Sprintf("%s~%d", name, n)
		}
	}
	x.used[strings.ToLower(name)] = true
	return name
}

// bug writes the files of one bug, called stem. back is the path from the files' directory to that of the
// program. A mistake of hbcheck's own there does not affect other bugs.
func (x *replayFiles) bug(stderr io.Writer, r *explore.Result, b *bug.Bug, back, stem string) (files report.Files) {
	defer func() {
		//mutant: a mistake in writing the files of a bug loses all [test ./cmd/hbcheck TestMistakes]: "p != nil" -> "p != nil && stem == ``"
		if p := recover(); p != nil {
			complain(stderr, fmt.Errorf("warning: %s.%s: %w", r.Package, r.Entry, internalError{p, debug.Stack()}))
			x.mistaken = true
		}
	}()
	rep := &report.Replay{Tool: "hbcheck " + version(), Go: x.release, Package: r.Package, Entry: r.Entry,
		Dir: filepath.ToSlash(back), Patterns: []string{r.Package}, Tests: true, Tags: x.flags.tags,
		Args: x.flags.args, Options: x.flags.record()}
	//mutant: schedules are replayed without what the search found out [test ./cmd/hbcheck TestScripts/replayclock]: remove
	recordRefinement(rep.Options, r.Refinement)
	if rep.Options["slack"] != "" {
		//mutant: schedules without delays are replayed with them [test ./cmd/hbcheck TestScripts/undelayed]: remove
		rep.Options["slack"] = r.Slack.String()
	}
	//mutant: schedules of all orders are replayed with some [test ./cmd/hbcheck TestScripts/orders]: false
	if r.AllOrders {
		rep.Options["maps"] = "all"
	}
	//mutant: the schedule of a subtest alone is replayed with the others [test ./cmd/hbcheck TestScripts/alone]: "b.Alone !=" -> "false && b.Alone !="
	if b.Alone != "" {
		rep.Options["run"] = exactly(b.Alone)
	}
	if k := r.Hybrid; k != "" && k != oracle.None {
		rep.Options["hybrid"] = string(k)
	}
	// The steps of initialisers depend on the loaded code: variables that nothing uses are not initialised.
	//mutant: schedules of initialisers are replayed with one package [test ./cmd/hbcheck TestReplayInit]: "r.Initialisers" -> "false"
	if r.Initialisers {
		rep.Patterns = x.loaded
	}
	if r.Package == "command-line-arguments" {
		rep.Patterns = x.patterns
	}
	rep.SetBug(b, x.paths)
	name := filepath.Join(x.dir, stem+".hbr")
	if err := report.WriteReplay(name, rep); err != nil {
		complain(stderr, fmt.Errorf("warning: no replay file: %w", err))
		name = ""
	}
	files.Replay = name
	files.Page = x.flags.page(stderr, r, b, x.paths, name, stem+".html")
	return files
}
