package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/confirm"
	"hbcheck.dev/hbcheck/explore/selection"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/report"
	"hbcheck.dev/hbcheck/static/findings"
)

// driverName names the n-th driver.
func driverName(n int) string { return fmt.Sprintf("HbcheckDriver%d", n) }

// drive makes drivers for the findings that tests do not confirm, explores them, and notes in x which findings
// they confirm.
func (f *analyzeFlags) drive(ctx context.Context, cmd *cobra.Command, c *confirm.Config, e *confirmer, answers []confirm.Answer, x *report.Findings) error {
	drivers := c.Drivers(answers, driverName)
	edits, err := c.Edits(drivers, os.ReadFile)
	if err != nil || len(edits) == 0 {
		return err
	}
	cfg := f.config(f.patterns, true)
	cfg.Cover, cfg.Edits = true, edits
	prog, err := load.Load(cfg)
	if err != nil {
		return nil // a driver that does not compile says nothing about the program
	}
	build := func(prog *load.Program, entry *load.Entry, interrupted func() bool) (explore.Machine, error) {
		return e.flags.machineFlags.build(prog, entry, interrupted)
	}
	var shown []*findings.Driver
	for i := range x.List {
		d := drivers[i]
		if d == nil || slices.Contains(shown, d) || ctx.Err() != nil {
			continue
		}
		var list []int
		for k := range x.List {
			if drivers[k] == d {
				list = append(list, k)
			}
		}
		entries, err := selection.Select(prog, selection.Options{Entry: d.Package.Path + "." + d.Name}, build)
		if err != nil || len(entries) == 0 {
			continue
		}
		entries[0].Source = nil // directives are for tests
		got, err := c.Try(ctx, &entries[0], list)
		if err != nil {
			continue // it cannot be explored
		}
		for k, a := range got {
			x.Answers[k].Driver, x.Answers[k].DriverBug = d, a.Bug
		}
		if len(got) > 0 {
			shown = append(shown, d)
		}
	}
	if f.writeTests != "" {
		return writeTests(cmd, f.writeTests, prog, shown)
	}
	return nil
}

// writeTests writes the drivers as tests, a file for each package, below dir.
func writeTests(cmd *cobra.Command, dir string, prog *load.Program, list []*findings.Driver) error {
	var done []*load.Package
	for _, d := range list {
		if slices.Contains(done, d.Package) {
			continue
		}
		done = append(done, d.Package)
		var b strings.Builder
		fmt.Fprintf(&b, "package %s\n\nimport \"testing\"\n", d.Package.Types.Name())
		for _, e := range list {
			if e.Package == d.Package {
				fmt.Fprintf(&b, "\n%s", e.Test())
			}
		}
		of := dir
		if rel, err := filepath.Rel(prog.Dir, filepath.Dir(prog.Fset.Position(d.End).Filename)); err == nil && filepath.IsLocal(rel) {
			of = filepath.Join(dir, rel)
		}
		if err := os.MkdirAll(of, 0o777); err != nil {
			return err
		}
		name := filepath.Join(of, "hbcheck_driver_test.go")
		if err := os.WriteFile(name, []byte(b.String()), 0o666); err != nil {
			return err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: a test for each driver that confirms a finding\n", name)
	}
	return nil
}
