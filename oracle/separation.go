package oracle

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// A separation implements por.Separation with the data of a Partition.
//
// Claim. The objects that outsiders can reach are the same in all states of the queries.
//
//  1. They are the objects that can be reached from their registers, which do not change, and from the
//     variables, through the memory of objects that can be reached.
//  2. A member writes to none of these, because an operation that touches one is not Apart (claim 2
//     of Partition). An object that a member has allocated can be reached only from memory to which
//     a member has written a pointer to it.
//
// So they are computed once. A closed and empty channel does not count as an object that an
// operation touches, for outsiders as for members.
type separation struct {
	p         *Partition
	outsiders []trace.GID
	outside   *vm.Reach // with one group: what the outsiders reach
	inside    *vm.Reach // with one group: what the member queried last reaches
}

// one has the bit of a single group, to which all goroutines belong.
var one = []uint64{1}

// Separate implements por.Parts.
func (p *Partition) Separate(enabled []trace.GID) ([]trace.GID, por.Separation) {
	part, able := p.find(enabled)
	if part == 0 {
		return nil, nil
	}
	s := &p.apart
	if s.p == nil {
		*s = separation{p: p, outside: p.m.StaticView().NewReach(), inside: p.m.StaticView().NewReach()}
	}
	p.part, s.outsiders = p.part[:0], s.outsiders[:0]
	p.each(enabled, func(g trace.GID, group uint64, enabled bool) {
		switch {
		case group&part == 0:
			s.outsiders = append(s.outsiders, g)
		case enabled && group&able != 0:
			p.part = append(p.part, g)
		}
	})
	s.outside.Find(s.outsiders, slices.Repeat(one, len(s.outsiders)))
	return p.part, s
}

// Member implements por.Separation.
func (s *separation) Member(g trace.GID) bool { return !slices.Contains(s.outsiders, g) }

// Apart implements por.Separation.
// mutant: parts: optimal: outsiders reach nothing [partTexts]: "outside) == 0" -> "outside) != everyone"
func (s *separation) Apart(g trace.GID) bool { return s.p.needsOf(g, s.outside) == 0 }

// Obtains implements por.Separation.
func (s *separation) Obtains(g trace.GID, list []trace.Access) bool {
	if len(list) == 0 {
		return false
	}
	s.inside.Find([]trace.GID{g}, one)
	return slices.ContainsFunc(list, func(a trace.Access) bool {
		//mutant: parts: optimal: members obtain nothing [partTexts]: false
		return s.outside.By(a.Obj) == 0 && s.inside.By(a.Obj) != 0
	})
}
