package main

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/explore/selection"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/report"
)

// directives has the directives of a program, and the flags of the command line, which override them.
type directives struct {
	selection.Directives
	prog  *load.Program
	given func(flag string) bool
}

// newDirectives collects the directives of prog, and checks each by itself.
func newDirectives(cmd *cobra.Command, prog *load.Program) (*directives, error) {
	list, err := selection.DirectivesOf(prog)
	if err != nil {
		return nil, err
	}
	for _, d := range list {
		var alone exploreFlags
		alone.register(pflag.NewFlagSet("explore", pflag.ContinueOnError))
		if err := alone.add(d, prog); err != nil {
			return nil, err
		}
	}
	return &directives{list, prog, cmd.Flags().Changed}, nil
}

// check checks the directives of the entries that are explored together with the flags f.
func (x *directives) check(f *exploreFlags, entries []explore.Entry) error {
	for _, e := range entries {
		g := *f
		for _, d := range x.For(x.prog, e.Source) {
			if x.given(d.Name) {
				continue
			}
			if err := g.add(d, x.prog); err != nil {
				return err
			}
		}
	}
	return nil
}

// add sets the flag that d stands for. It returns an error if the resulting flags cannot be used
// together.
func (f *exploreFlags) add(d *selection.Directive, prog *load.Program) error {
	err := f.direct(d)
	if err == nil {
		_, _, err = f.options()
	}
	if err == nil {
		err = f.machineFlags.check(false)
	}
	if err != nil {
		return fmt.Errorf("%s: %v: %v", report.Paths{Base: prog.Dir}.Pos(d.Pos), d, err)
	}
	return nil
}

// direct sets the flag that d stands for.
func (f *exploreFlags) direct(d *selection.Directive) error {
	switch d.Name {
	case "time":
		f.time = d.Value
	case "preempt":
		n, err := strconv.Atoi(d.Value)
		if err != nil || n < 0 {
			return fmt.Errorf("want a number of preemptions")
		}
		f.preempt = n
	case "timeout":
		d, err := time.ParseDuration(d.Value)
		if err != nil || d <= 0 {
			return fmt.Errorf("want a time, such as 30s or 5m")
		}
		f.timeout = d
	case "allow-leak":
		if _, err := regexp.Compile(d.Value); err != nil || d.Value == "" {
			return fmt.Errorf("want a regexp for functions, and a reason")
		}
		f.allowLeak = d.Value
	case "scale":
		f.scale = d.Value
	}
	return nil
}

// flags returns the flags with which e is explored: f or, if there are directives for it, a copy.
func (x *directives) flags(f *exploreFlags, e *load.Entry) *exploreFlags {
	g := f
	for _, d := range x.For(x.prog, e) {
		if x.given(d.Name) {
			continue
		}
		if g == f {
			c := *f
			g = &c
		}
		if err := g.direct(d); err != nil {
			panic("BUG: " + err.Error()) // directives have been checked before
		}
	}
	return g
}
