package dpor

import "hbcheck.dev/hbcheck/por"

// SourceExplorer returns the explorer source. The caller adds clockvector to its Fallbacks.
func SourceExplorer() *por.Explorer {
	return &por.Explorer{
		Name:              "source",
		Serial:            "--por=source",
		Doc:               "dynamic partial order reduction with source sets and sleep sets (Abdulla et al. 2014)",
		Needs:             []por.Capability{por.NeedEffects},
		Stateless:         true,
		NoPreemptionBound: true,
		OnePerClass:       true,
		NoDuplicates:      true,
		Run:               Source,
	}
}

// ContextExplorer returns the explorer context. The caller adds clockvector and source to its Fallbacks.
func ContextExplorer() *por.Explorer {
	var variant ContextConfig
	e := &por.Explorer{
		Name:              "context",
		Serial:            "--por=context",
		Doc:               "source, but two orders that lead to the same state are explored once (Albert et al. 2017)",
		Needs:             []por.Capability{por.NeedEffects},
		Stateless:         true,
		NoPreemptionBound: true,
		NoDuplicates:      true,
		Run:               func(sys por.System, v por.Visitor, cfg por.Config) por.Result { return Context(sys, v, cfg, variant) },
	}
	e.Options = []por.Option{{
		Name: "context", List: true,
		Doc: "`paper,css,cuts,unguided`: variants of --por=context, separated by commas. paper: Algorithm 1 as published; css: " +
			"a critical section counts as one step; cuts: optimization 1 of the paper; these three can lose executions. " +
			"unguided: without optimization 2",
		Set: func(name string) error {
			return variant.Set(name)
		},
	}}
	return e
}

// ClockVectorExplorer returns the explorer clockvector.
func ClockVectorExplorer() *por.Explorer {
	return &por.Explorer{
		Name:              "clockvector",
		Serial:            "--por=clockvector",
		Doc:               "dynamic partial order reduction with clock vectors (Flanagan and Godefroid 2005, Noonan et al. 2014)",
		Needs:             []por.Capability{por.NeedEffects},
		Stateless:         true,
		NoPreemptionBound: true,
		Run:               ClockVector,
	}
}
