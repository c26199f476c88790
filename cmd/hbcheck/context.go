package main

import (
	"fmt"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/por"
)

// contextUsage tells what --context takes.
const contextUsage = "variants of --por=context, separated by commas: `paper,css,cuts,unguided`: whatever two orders lead to the same state (loses executions); critical sections, too (loses executions); optimization 1 of the paper (loses executions); without optimization 2"

// contextOptions translates --context.
func contextOptions(words []string, o *explore.Options) error {
	if len(words) == 0 {
		return nil
	}
	if o.POR.Name != "context" {
		return fmt.Errorf("--context is for --por=context")
	}
	o.Context = new(por.ContextConfig)
	for _, w := range words {
		if err := o.Context.Set(w); err != nil {
			return fmt.Errorf("--context %v", err)
		}
	}
	return nil
}
