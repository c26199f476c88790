// Package explorers is the registry: every explorer by its name, with its fallbacks.
package explorers

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/dpor"
	"hbcheck.dev/hbcheck/por/graph"
	"hbcheck.dev/hbcheck/por/optimal"
	"hbcheck.dev/hbcheck/por/sample"
	"hbcheck.dev/hbcheck/por/stateful"
)

// All returns the explorers, in the order of their documentation. Each call returns
// new ones, with default options.
func All() []*por.Explorer {
	clockvector := dpor.ClockVectorExplorer()
	source := dpor.SourceExplorer()
	source.Fallbacks = []*por.Explorer{clockvector}
	plain := optimal.Explorer()
	plain.Fallbacks = []*por.Explorer{clockvector, source}
	optimal := optimal.Explorer()
	optimal.Fallbacks = []*por.Explorer{clockvector, source, plain}
	context := dpor.ContextExplorer()
	context.Fallbacks = []*por.Explorer{clockvector, source}
	return []*por.Explorer{
		stateful.FullExplorer(), stateful.JPFExplorer(), optimal, source, context, clockvector, graph.Explorer(),
		sample.RandomExplorer(), sample.PCTExplorer(), sample.POSExplorer(), sample.SURWExplorer(), sample.RFFExplorer(),
	}
}

// Exhaustive returns the explorers that cover every execution if no bound stops them, for
// comparisons. Those that sample are left out. If an explorer ever has a bound of its own, it must
// be returned here without that bound.
func Exhaustive() []*por.Explorer {
	return slices.DeleteFunc(All(), func(e *por.Explorer) bool { return e.Samples })
}

// Lookup returns the explorer called name; nil if there is none. The name condpor, from the paper
// on inputs and schedules, also selects optimal.
func Lookup(name string) *por.Explorer {
	if name == "condpor" {
		e := Lookup("optimal")
		e.Name = name
		return e
	}
	all := All()
	i := slices.IndexFunc(all, func(e *por.Explorer) bool { return e.Name == name })
	if i < 0 {
		return nil
	}
	return all[i]
}

// With returns the explorer called name with options set, given as alternating names and values.
// It panics if there is no such explorer or option: it is for constant names.
func With(name string, options ...string) *por.Explorer {
	e := Lookup(name)
	if e == nil {
		panic("BUG: no explorer " + name)
	}
	for i := 0; i < len(options); i += 2 {
		if err := e.Set(options[i], options[i+1]); err != nil {
			panic("BUG: " + err.Error())
		}
	}
	return e
}
