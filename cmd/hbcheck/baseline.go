package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/bug"
	"hbcheck.dev/hbcheck/report"
)

// known are the findings of --baseline, and those that --write-baseline writes.
type known struct {
	flags *exploreFlags
	old   *report.Baseline // nil: there is no --baseline
	found *report.Baseline // nil: none is written
	paths report.Paths
}

// readKnown reads the file of --baseline.
func (f *exploreFlags) readKnown(paths report.Paths) (*known, error) {
	k := &known{flags: f, paths: paths}
	if f.writeBaseline != "" {
		k.found = report.NewBaseline()
	}
	if f.baseline == "" {
		return k, nil
	}
	var err error
	if f.baselineText == nil {
		if f.baselineText, err = os.ReadFile(f.baseline); err != nil {
			return nil, err
		}
	}
	if k.old, err = report.ReadBaseline(bytes.NewReader(f.baselineText)); err != nil {
		return nil, fmt.Errorf("--baseline %s: %v", f.baseline, err)
	}
	return k, nil
}

// accept returns Options.Known for an entry; nil if no finding is known.
func (k *known) accept(e *explore.Entry) func(b *bug.Bug) bool {
	if k.old == nil {
		return nil
	}
	return func(b *bug.Bug) bool {
		return k.old.Has(report.Fingerprint(k.paths, e.Package, e.Name, b))
	}
}

// add records the findings of an entry.
func (k *known) add(r *explore.Result) {
	if k.found != nil {
		k.found.Add(k.paths, r)
	}
}

// close writes the file of --write-baseline. If the run explored all entries, close also reports the number
// of known findings that were not found.
func (k *known) close(cmd *cobra.Command, all bool) error {
	if k.old != nil {
		list := k.old.Unfound()
		if n := len(list); n > 0 && all {
			fmt.Fprintf(cmd.ErrOrStderr(), "--baseline %s: %d of its findings were not found, such as\n    %s\n", k.flags.baseline, n, list[0])
		}
		if k.found != nil {
			k.found.Merge(k.old)
		}
	}
	if k.found == nil {
		return nil
	}
	file, err := os.Create(k.flags.writeBaseline)
	if err != nil {
		return err
	}
	if err := k.found.Write(file); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}
