package analyze

import (
	"golang.org/x/tools/go/ssa"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/static"
	"hbcheck.dev/hbcheck/static/findings"
)

// FindingConfig returns what findings.Find needs to look for bugs in p. Solve must have been called.
func (p *Program) FindingConfig() *findings.Config {
	if p.base == nil {
		p.base = static.NewBase(p.Graph())
		p.base.Only(p.Functions())
	}
	c := &findings.Config{Prog: p.Prog, Graph: p.Graph(), Base: p.base, Functions: p.Functions()}
	for _, e := range p.Entries {
		if e.Kind != load.Library {
			c.Roots = append(c.Roots, findings.Root{Fn: e.Func})
			continue
		}
		for _, m := range e.Exports {
			if fn, ok := m.(*ssa.Function); ok {
				c.Roots = append(c.Roots, findings.Root{Fn: fn, Library: true})
			}
		}
	}
	return c
}
