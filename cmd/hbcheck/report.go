package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/schedule"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/report/page"
)

func reportCommand() *cobra.Command {
	var format string
	var f pageFlags
	cmd := &cobra.Command{
		Use:   "report file.hbr|results.json ...",
		Short: "Write HTML pages of schedules and results found before",
		Long: `Report executes the schedule of a replay file and writes its page. Of the results of
a run (hbcheck --format=json) it writes an index, and the page of each bug that has
a replay file and no page yet.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "html" {
				return fmt.Errorf("--format %s: want html", format)
			}
			for _, name := range args {
				written, err := f.report(name)
				if err != nil {
					return err
				}
				fmt.Fprintln(cmd.OutOrStdout(), written)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "html", "output format: `html`")
	cmd.Flags().StringVarP(&f.dir, "output", "o", "", "write pages to `dir`; by default beside the file")
	cmd.Flags().StringVar(&f.hybrid, "hybrid", "auto", "static facts that pages show: `auto|none|fa|patterns|mhb|parts|full`; auto: the facts that the search used")
	return cmd
}

// pageFlags are the flags about the contents and the directory of pages.
type pageFlags struct {
	dir    string // empty: where the file is
	hybrid string
}

// report writes the page or the index of a file, and returns its name.
func (p *pageFlags) report(name string) (written string, err error) {
	dir := p.dir
	if dir == "" {
		dir = filepath.Dir(name)
	}
	if strings.HasSuffix(name, ".hbr") {
		written = filepath.Join(dir, strings.TrimSuffix(filepath.Base(name), ".hbr")+".html")
		return written, p.replay(name, written)
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	list, err := page.ReadResults(f)
	if err != nil {
		return "", fmt.Errorf("%s: %v", name, err)
	}
	for i := range list {
		for k := range list[i].Bugs {
			b := &list[i].Bugs[k]
			if _, err := os.Stat(b.Page); b.Page != "" && err == nil {
				continue
			}
			b.Page = ""
			if _, err := os.Stat(b.Replay); b.Replay != "" && err == nil {
				b.Page = filepath.Join(dir, strings.TrimSuffix(filepath.Base(b.Replay), ".hbr")+".html")
				if err := p.replay(b.Replay, b.Page); err != nil {
					return "", err
				}
			}
		}
	}
	written = filepath.Join(dir, "index.html")
	return written, page.WriteIndex(written, "", list)
}

// replay executes a recorded schedule and writes its page.
func (p *pageFlags) replay(name, written string) error {
	r, err := open(name)
	if err != nil {
		return err
	}
	facts, err := p.facts(r)
	if err != nil {
		return err
	}
	mark := r.m.Mark()
	_, bug, err := schedule.Replay(r.m, r.rec)
	var d *schedule.Divergence
	switch {
	case errors.As(err, &d):
		return r.diverged(d)
	case err != nil:
		return err
	case bug == nil:
		return fmt.Errorf("%s: the recorded bug does not occur: %s: %s", name, r.file.Pos, r.file.Message)
	}
	r.m.Rewind(mark)
	if len(bug.Schedule) > describe.MaxObserved {
		return fmt.Errorf("%s: the schedule has %d steps; pages have at most %d", name, len(bug.Schedule), describe.MaxObserved)
	}
	bug.Observation = describe.Observe(r.m, bug.Schedule, facts)
	return writePage(written, &page.Schedule{Package: r.file.Package, Entry: r.file.Entry, Bug: bug, Replay: name, Paths: r.paths})
}

// facts returns the static facts that the page of r shows; nil if it shows none.
func (p *pageFlags) facts(r *recording) (por.Oracle, error) {
	word := p.hybrid
	if word == "auto" {
		word = cmp.Or(r.file.Options["hybrid"], string(oracle.None))
	}
	kind, err := parseHybrid(word)
	if err == nil && kind != oracle.None && kind != oracle.Parts {
		return r.m.Oracle(kind, func() bool { return false }), nil
	}
	return nil, err
}
