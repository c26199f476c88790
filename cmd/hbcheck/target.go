package main

import (
	"fmt"

	"hbcheck.dev/hbcheck/explore/target"
	"hbcheck.dev/hbcheck/load"
)

// targetFlag is --target.
type targetFlag struct {
	texts   []string
	targets []target.Target
}

// parse parses the targets.
func (f *targetFlag) parse() error {
	f.targets = nil
	for _, s := range f.texts {
		t, err := target.Parse(s, parsePlace)
		if err != nil {
			return fmt.Errorf("--target %q: %v", s, err)
		}
		f.targets = append(f.targets, t)
	}
	return nil
}

// check reports a place that the program does not have.
func (f *targetFlag) check(prog *load.Program) error {
	for _, t := range f.targets {
		if p, ok := t.In(prog); !ok {
			return fmt.Errorf("--target %q: the program has no line %d in %s", t.String(), p.Line, p.File)
		}
	}
	return nil
}
