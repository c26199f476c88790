package optimal

import "hbcheck.dev/hbcheck/por/search"

// reenter continues a saved search, between two explorations of a frame. Frames without a checkpoint get
// none.
func (s *searcher) reenter() {
	var positions []*search.Position
	for i := range s.frames {
		positions = append(positions, &s.frames[i].at)
	}
	s.Reenter(positions...)
	for len(s.reversings) > 0 && !s.Halted {
		x := s.reversings[len(s.reversings)-1]
		if s.reverseRest(x); !s.Halted {
			s.reverseList(x)
		}
		if x.running {
			s.runToEnd(x.g, x.h)
		}
	}
}
