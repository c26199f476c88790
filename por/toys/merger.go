package toys

import (
	"fmt"
	"maps"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// A Merger is a por.Mergeable, and its own por.Subsearch, that collects findings in the order of merging.
type Merger struct {
	*Findings
	List   []string
	Pieces int // merged pieces
}

// NewMerger returns the visitor of a search of toy.
func NewMerger(toy *System) *Merger { return &Merger{Findings: NewFindings(toy)} }

// Begin implements por.Subsearch.
func (m *Merger) Begin() {}

// End implements por.Subsearch.
func (m *Merger) End() {}

// Leaf implements por.Visitor.
func (m *Merger) Leaf(path trace.Schedule, st por.Status) bool {
	m.List = append(m.List, fmt.Sprint(path, st))
	return m.Findings.Leaf(path, st)
}

// Race implements por.Visitor.
func (m *Merger) Race(path trace.Schedule, a, b trace.Op) bool {
	m.List = append(m.List, fmt.Sprint(path, RaceName(a, b)))
	return m.Findings.Race(path, a, b)
}

// Restart implements por.Visitor.
func (m *Merger) Restart() {
	m.List = append(m.List, "restart")
	m.Findings.Restart()
}

// Split implements por.Mergeable.
func (m *Merger) Split(sys por.System) por.Subsearch { return NewMerger(sys.(*System)) }

// Merge implements por.Mergeable.
func (m *Merger) Merge(q por.Subsearch) bool {
	p := q.(*Merger)
	m.Pieces++
	m.List = append(m.List, p.List...)
	for k, n := range p.Leaves {
		m.Leaves[k] += n
	}
	maps.Copy(m.Races, p.Races)
	return true
}
