package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/confirm"
	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/explore/selection"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/report"
	"hbcheck.dev/hbcheck/static/findings"
)

// drive makes drivers for the findings that tests do not confirm, explores them within the bounds of c and
// at most for the time budget, and notes in x which findings they confirm. Loading the program with the
// drivers does not count: that may take longer than all explorations.
func (f *analyzeFlags) drive(ctx context.Context, budget time.Duration, cmd *cobra.Command, c *confirm.Config, e *confirmer, x *report.Findings) error {
	drivers, why := c.Drivers(func(i int) bool { return x.Answers[i].Status != confirm.Confirmed.String() },
		func(n int) string { return fmt.Sprintf("HbcheckDriver%d", n) })
	edits, err := c.Edits(drivers, os.ReadFile)
	if err != nil {
		return err
	}
	var shown []*findings.Driver
	if len(edits) > 0 {
		cfg := f.config(f.patterns, true)
		cfg.Cover, cfg.Edits = true, edits
		prog, err := load.Load(cfg)
		if err != nil {
			for i := range drivers {
				why[i] = cmp.Or(why[i], "the program with the drivers cannot be loaded: "+report.Error(err))
			}
		} else {
			timed, stop := context.WithTimeout(ctx, budget)
			defer stop()
			if shown, err = e.drivers(timed, prog, c, drivers, x, why); err != nil {
				return err
			}
		}
	}
	for i := range x.Answers {
		if len(drivers[i]) > 0 {
			why[i] = cmp.Or(why[i], c.Why())
		}
		if a := &x.Answers[i]; a.Status == confirm.Open.String() && a.Driver == nil && why[i] != "" {
			a.Why += "; no driver shows it: " + why[i]
		}
	}
	if f.writeTests != "" {
		return writeTests(cmd, f.writeTests, c.Prog.Dir, shown)
	}
	return nil
}

// A driven is a driver with its entry.
type driven struct {
	*findings.Driver
	entry    explore.Entry
	findings []int
	reached  int // places, in one execution
}

// drivers explores drivers, which prog has, and returns those that confirm a finding. A driver that reaches
// all places in one execution is explored at once. The other drivers come later, first those that reach the
// most places. why gets reasons for findings that no driver confirms.
func (c *confirmer) drivers(ctx context.Context, prog *load.Program, search *confirm.Config, drivers map[int][]*findings.Driver, x *report.Findings, why map[int]string) (shown []*findings.Driver, err error) {
	build := func(prog *load.Program, entry *load.Entry, interrupted func() bool) (describe.Machine, error) {
		return c.flags.machineFlags.build(prog, entry, interrupted)
	}
	var list []*driven
	for i := range x.List {
		for _, d := range drivers[i] {
			if k := slices.IndexFunc(list, func(o *driven) bool { return o.Driver == d }); k >= 0 {
				list[k].findings = append(list[k].findings, i)
				continue
			}
			entries, err := selection.Select(prog, selection.Options{Entry: d.Package.Path + "." + d.Name, Symbolic: len(d.Params) > 0}, build)
			if err != nil || len(entries) == 0 {
				if err != nil {
					why[i] = cmp.Or(why[i], "its driver cannot be executed: "+report.Error(err))
				}
				continue
			}
			entries[0].Source = nil // directives are for tests
			list = append(list, &driven{Driver: d, entry: entries[0], findings: []int{i}})
		}
	}
	var later []*driven
	for _, d := range list {
		if search.Over(ctx) {
			break
		}
		reached, most, err := search.Reached(ctx, &d.entry, d.findings)
		if err == nil && reached == most {
			err = c.try(ctx, search, d, x, why)
		} else {
			d.reached = reached
			later = append(later, d)
		}
		if err := ofOurs(err); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(later, func(a, b *driven) int { return b.reached - a.reached })
	for _, d := range later {
		if search.Over(ctx) {
			break
		}
		if err := ofOurs(c.try(ctx, search, d, x, why)); err != nil {
			return nil, err
		}
	}
	for i := range x.Answers {
		d := x.Answers[i].Driver
		if d == nil {
			continue
		}
		same := func(e *findings.Driver) bool { return e.Package == d.Package && e.Body == d.Body }
		if k := slices.IndexFunc(shown, same); k >= 0 {
			x.Answers[i].Driver = shown[k]
			continue
		}
		n := 1 // a driver with other arguments is another test
		for _, e := range shown {
			if e.Name == d.Name || strings.HasPrefix(e.Name, d.Name+"_") {
				n++
			}
		}
		if n > 1 {
			d = d.Renamed(fmt.Sprintf("%s_%d", d.Name, n))
			x.Answers[i].Driver = d
		}
		shown = append(shown, d)
	}
	return shown, nil
}

// ofOurs returns err if it is a mistake of hbcheck's own.
func ofOurs(err error) error {
	var mistake internalError
	if errors.As(err, &mistake) {
		return err
	}
	return nil
}

// try explores d for those of its findings that no driver confirms yet, and records the answers in x and why.
func (c *confirmer) try(ctx context.Context, search *confirm.Config, d *driven, x *report.Findings, why map[int]string) error {
	open := slices.DeleteFunc(slices.Clone(d.findings), func(i int) bool { return x.Answers[i].Driver != nil })
	if len(open) == 0 {
		return nil
	}
	got, err := search.Try(ctx, &d.entry, open)
	if err != nil {
		for _, i := range open {
			why[i] = cmp.Or(why[i], report.Error(err)) // the driver cannot be explored
		}
		return err
	}
	calls := d.Methods[0] + " and " + d.Methods[1]
	for _, i := range open {
		switch a := got[i]; a.Status {
		case confirm.Confirmed:
			values := make(map[string]string)
			for _, in := range a.Bug.Inputs {
				values[in.Name] = in.Value
			}
			x.Answers[i].Driver, x.Answers[i].DriverBug = d.Given(values), a.Bug
		case confirm.Refuted:
			why[i] = cmp.Or(why[i], "no schedule of "+calls+" has it")
		default:
			why[i] = cmp.Or(why[i], strings.ReplaceAll(a.Why, d.Name, calls))
		}
	}
	return nil
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
			if i == `testing "testing"` {
				continue
			}
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
		if strings.HasSuffix(d.Package.Types.Name(), "_test") {
			name = filepath.Join(of, "hbcheck_driver_outside_test.go")
		}
		if err := os.WriteFile(name, []byte(b.String()), 0o666); err != nil {
			return err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: a test for each driver that confirms a finding\n", name)
	}
	return nil
}
