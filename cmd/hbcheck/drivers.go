package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hbcheck.dev/hbcheck/explore/confirm"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/selection"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/report"
	"hbcheck.dev/hbcheck/static/findings"
)

// drive makes drivers for the findings that tests do not confirm, explores them for as long as budget, and
// notes in x which findings they confirm. Loading the program with the drivers does not count: that may take
// longer than all explorations.
func (f *analyzeFlags) drive(ctx context.Context, budget time.Duration, cmd *cobra.Command, c *confirm.Config, e *confirmer, x *report.Findings) error {
	var shown []*findings.Driver
	n := 0
	for _, zero := range []bool{false, true} {
		drivers := c.Drivers(func(i int) bool {
			return x.Answers[i].Status != confirm.Confirmed.String() && x.Answers[i].Driver == nil
		}, zero, func(k int) string { return fmt.Sprintf("HbcheckDriver%d", n+k) })
		n += len(drivers)
		edits, err := c.Edits(drivers, os.ReadFile)
		if err != nil {
			return err
		}
		if len(edits) == 0 {
			break
		}
		cfg := f.config(f.patterns, true)
		cfg.Cover, cfg.Edits = true, edits
		prog, err := load.Load(cfg)
		if err != nil {
			continue // a driver that does not compile has no result
		}
		begin := time.Now()
		timed, stop := context.WithTimeout(ctx, budget)
		list, err := e.drivers(timed, prog, c, drivers, x)
		stop()
		if err != nil {
			return err
		}
		budget -= time.Since(begin)
		shown = append(shown, list...)
	}
	if f.writeTests != "" {
		return writeTests(cmd, f.writeTests, c.Prog.Dir, shown)
	}
	return nil
}

// drivers explores drivers, which prog has, and returns those that confirm a finding.
func (c *confirmer) drivers(ctx context.Context, prog *load.Program, search *confirm.Config, drivers map[int]*findings.Driver, x *report.Findings) (shown []*findings.Driver, err error) {
	build := func(prog *load.Program, entry *load.Entry, interrupted func() bool) (describe.Machine, error) {
		return c.flags.machineFlags.build(prog, entry, interrupted)
	}
	var done []*findings.Driver
	for i := range x.List {
		d := drivers[i]
		if d == nil || slices.Contains(done, d) || ctx.Err() != nil {
			continue
		}
		done = append(done, d)
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
		got, err := search.Try(ctx, &entries[0], list)
		var mistake internalError
		if errors.As(err, &mistake) {
			return nil, err
		} else if err != nil {
			continue // it cannot be explored
		}
		for k, a := range got {
			x.Answers[k].Driver, x.Answers[k].DriverBug = d, a.Bug
		}
		if len(got) > 0 {
			shown = append(shown, d)
		}
	}
	return shown, nil
}

// writeTests writes the drivers as tests, a file for each package, below dir.
func writeTests(cmd *cobra.Command, dir, base string, list []*findings.Driver) error {
	var done []*load.Package
	for _, d := range list {
		if slices.Contains(done, d.Package) {
			continue
		}
		done = append(done, d.Package)
		var b strings.Builder
		fmt.Fprintf(&b, "package %s\n\nimport \"testing\"\n", d.Package.Types.Name())
		var imports []string
		for _, e := range list {
			if e.Package == d.Package {
				imports = append(imports, e.Imports...)
			}
		}
		slices.Sort(imports)
		for _, i := range slices.Compact(imports) {
			fmt.Fprintf(&b, "import %s\n", i)
		}
		for _, e := range list {
			if e.Package == d.Package {
				fmt.Fprintf(&b, "\n%s", e.Test())
			}
		}
		of := dir
		if rel, err := filepath.Rel(base, filepath.Dir(d.File)); err == nil && filepath.IsLocal(rel) {
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
