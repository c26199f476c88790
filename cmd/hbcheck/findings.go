package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hbcheck.dev/hbcheck/analyze"
	"hbcheck.dev/hbcheck/explore/confirm"
	"hbcheck.dev/hbcheck/explore/ignore"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/report"
	"hbcheck.dev/hbcheck/static/findings"
)

// findingFlags are the flags of hbcheck analyze for findings.
type findingFlags struct {
	facts, generated        bool
	checks                  []string
	failOn, confidence      string
	knownFindings, writeNew string
}

func (f *findingFlags) register(fs *pflag.FlagSet) {
	fs.BoolVar(&f.facts, "facts", false, "print static facts instead of findings; flags about facts imply it")
	fs.StringSliceVar(&f.checks, "checks", nil, "run only these checks: `codes` or prefixes of codes (HBA1), separated by commas; a minus sign excludes checks")
	fs.StringVar(&f.failOn, "fail-on", "high", "exit with status 1 if there is a finding of at least this `confidence`: high, medium or low; none: never")
	fs.StringVar(&f.confidence, "confidence", "medium", "report findings of at least this `confidence`: high, medium or low")
	fs.StringVar(&f.knownFindings, "baseline", "", "accept the findings listed in `file`, and report new ones only")
	fs.StringVar(&f.writeNew, "write-baseline", "", "write the findings of this run, and those of --baseline that are still there, to `file`")
	fs.BoolVar(&f.generated, "generated", false, "report findings in generated files, too")
}

// set reports whether a flag is set that has no meaning for facts.
func (f *findingFlags) set() bool {
	return len(f.checks) > 0 || f.knownFindings != "" || f.writeNew != "" || f.generated
}

// threshold returns the least confidence that fails the command; ok is false if none does.
func (f *findingFlags) threshold() (c findings.Confidence, ok bool, err error) {
	switch f.failOn {
	case "none":
		return 0, false, nil
	case "high":
		return findings.High, true, nil
	case "medium":
		return findings.Medium, true, nil
	case "low":
		return findings.Low, true, nil
	}
	return 0, false, fmt.Errorf("--fail-on %s: want high, medium, low or none", f.failOn)
}

// find writes findings.
func (f *analyzeFlags) find(cmd *cobra.Command, p *analyze.Program, paths report.Paths) error {
	least, fails, err := f.threshold()
	if err != nil {
		return err
	}
	shown, known := map[string]findings.Confidence{"high": findings.High, "medium": findings.Medium, "low": findings.Low}[f.confidence]
	if !known {
		return fmt.Errorf("--confidence %s: want high, medium or low", f.confidence)
	}
	if fails {
		shown = min(shown, least)
	}
	ignores, err := ignore.Findings(p.Prog)
	if err != nil {
		return err
	}
	config := p.FindingConfig()
	config.Generated = f.generated
	config.Note = func(checks string) {
		fmt.Fprintf(cmd.ErrOrStderr(), "left out, because it would take too long: %s\n", checks)
	}
	if len(f.checks) > 0 {
		if config.Checks, err = findings.Select(f.checks); err != nil {
			return fmt.Errorf("--checks: %v", err)
		}
	}
	x := &report.Findings{Paths: paths, Fset: p.Prog.Fset, List: findings.Find(config)}
	x.List = slices.DeleteFunc(x.List, func(fi findings.Finding) bool {
		ofTest := f.confirm && !f.tests && strings.HasSuffix(p.Prog.Fset.Position(fi.Pos).Filename, "_test.go") && !onlyTests(p.Prog)
		return ofTest || ignored(p, ignores, &fi)
	})
	if err := f.accept(x); err != nil {
		return err
	}
	all := len(x.List)
	x.List = slices.DeleteFunc(x.List, func(fi findings.Finding) bool { return fi.Confidence < shown })
	hidden := all - len(x.List)
	if f.confirm {
		if err := f.confirmed(cmd, p, x); err != nil {
			return err
		}
	}
	out := cmd.OutOrStdout()
	switch f.format {
	case "json":
		err = x.JSON(out)
	case "sarif":
		err = x.SARIF(out, version())
	case "github":
		err = x.GitHub(out)
	default:
		err = x.Text(out)
	}
	if err != nil {
		return err
	}
	if hidden > 0 && f.format == "text" {
		fmt.Fprintf(cmd.ErrOrStderr(), "%d less certain, not shown (--confidence low)\n", hidden)
	}
	for _, ig := range ignores {
		if !ig.Used && (config.Checks == nil || slices.Contains(config.Checks, ig.Code)) {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: warning: unused %s: there is no %s here\n", report.Printable(paths.Pos(ig.Pos)), ignore.Directive, report.Printable(ig.Code))
		}
	}
	for i := range x.List {
		status := ""
		if x.Answers != nil {
			status = x.Answers[i].Status
		}
		//mutant: a refuted finding fails the command [test ./cmd/hbcheck TestScripts/confirm$]: "status != confirm.Refuted.String()" -> "true"
		if fails && (status == confirm.Confirmed.String() || x.List[i].Confidence >= least && status != confirm.Refuted.String()) {
			return exit(exitBug)
		}
	}
	return nil
}

// onlyTests reports whether the packages have no files but tests.
func onlyTests(prog *load.Program) bool {
	for _, pkg := range prog.Packages {
		for _, f := range pkg.Files {
			if !strings.HasSuffix(prog.Fset.Position(f.FileStart).Filename, "_test.go") {
				return false
			}
		}
	}
	return true
}

// ignored reports whether a comment accepts f, at its place or at a related one.
func ignored(p *analyze.Program, ignores []*ignore.Finding, f *findings.Finding) bool {
	for _, ig := range ignores {
		accepts := ig.Accepts(f.Code, p.Prog.Fset.Position(f.Pos))
		for _, r := range f.Related {
			accepts = accepts || ig.Accepts(f.Code, p.Prog.Fset.Position(r.Pos))
		}
		if accepts {
			ig.Used = true
			return true
		}
	}
	return false
}

// accept takes the findings of --baseline from x, and writes the file of --write-baseline.
func (f *findingFlags) accept(x *report.Findings) error {
	found := report.NewBaseline()
	for i := range x.List {
		found.AddFinding(x, &x.List[i])
	}
	if f.knownFindings != "" {
		file, err := os.Open(f.knownFindings)
		if err != nil {
			return err
		}
		defer file.Close()
		old, err := report.ReadBaseline(file)
		if err != nil {
			return fmt.Errorf("--baseline %s: %v", f.knownFindings, err)
		}
		x.List = slices.DeleteFunc(x.List, func(fi findings.Finding) bool { return old.Has(x.Fingerprint(&fi)) })
	}
	if f.writeNew == "" {
		return nil
	}
	file, err := os.Create(f.writeNew)
	if err != nil {
		return err
	}
	if err := found.Write(file); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}
