package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/pflag"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
)

// ownFlags are the flags that explorers declare as their own options, in that order.
type ownFlags []*ownFlag

// An ownFlag is such a flag, with its values.
type ownFlag struct {
	por.Option
	explorer string // the explorer that declares it
	flag     *pflag.Flag
	values   []string
}

func (f *ownFlags) register(fs *pflag.FlagSet) {
	for _, e := range explorers.All() {
		for _, o := range e.Options {
			if o.Hidden {
				continue
			}
			x := &ownFlag{Option: o, explorer: e.Name}
			*f = append(*f, x)
			if o.List {
				fs.StringSliceVar(&x.values, o.Name, nil, o.Doc)
			} else {
				x.values = []string{o.Default}
				fs.Var((*ownValue)(&x.values[0]), o.Name, o.Doc)
			}
			x.flag = fs.Lookup(o.Name)
		}
	}
}

// ownValue is the value of an ownFlag.
type ownValue string

func (v *ownValue) String() string { return string(*v) }

func (v *ownValue) Set(s string) error {
	*v = ownValue(s)
	return nil
}

// Type says whether help shows the default in quotes.
func (v *ownValue) Type() string {
	if _, err := strconv.Atoi(string(*v)); err == nil {
		return "int"
	}
	return "string"
}

// explorer returns the explorer to which the first given flag belongs; "" if none is given.
func (f ownFlags) explorer() string {
	for _, x := range f {
		if x.flag.Changed {
			return x.explorer
		}
	}
	return ""
}

// set sets the options of e that its flags give. A flag of another explorer is an error.
func (f ownFlags) set(e *por.Explorer) error {
	for _, x := range f {
		if !x.flag.Changed {
			continue
		}
		if x.explorer != e.Name {
			return fmt.Errorf("--%s is for --por=%s", x.Name, x.explorer)
		}
		for _, v := range x.values {
			if err := e.Set(x.Name, v); err != nil {
				return err
			}
		}
	}
	return nil
}
