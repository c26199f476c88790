package analyze

import (
	"runtime"
	"time"
)

// Stats has the time and memory of an analysis.
type Stats struct {
	Load        float64 `json:"load_s"`
	Pointer     float64 `json:"pointer_s"`
	Facts       float64 `json:"facts_s"`
	Memory      uint64  `json:"memory_bytes"`
	Packages    int     `json:"packages"`
	Named       int     `json:"named_packages"`
	Shown       int     `json:"shown_functions"`
	FactCount   int     `json:"facts"`
	Functions   int     `json:"functions"`
	Activations int     `json:"activations"`
	Calls       int     `json:"calls"`
	Objects     int     `json:"objects"`
	Variables   int     `json:"variables"`
	Constraints int     `json:"constraints"`
	PointsTo    int     `json:"points_to_facts"`
}

// Stats returns the sizes and times of the work so far. total is the time since the end of loading, facts
// the number of facts found.
func (p *Program) Stats(total time.Duration, facts int) Stats {
	r := p.Pointer().Stats()
	var load time.Duration
	for _, ph := range p.Prog.Phases {
		load += ph.Time
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return Stats{
		Load: load.Seconds(), Pointer: p.pointerTime.Seconds(), Facts: (total - p.pointerTime).Seconds(), Memory: m.Sys,
		Packages: len(p.Prog.All), Named: len(p.Prog.Packages), Shown: len(p.Functions()), FactCount: facts,
		Functions: r.Functions, Activations: r.Activations, Calls: r.Calls, Objects: r.Objects, Variables: r.Variables,
		Constraints: r.Constraints, PointsTo: r.Facts,
	}
}
