package search

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
)

// Keep saves the search if that is due. It is called where the entered data (por.Config.Enter) are
// complete, so that the search can be continued. If the search must end, it ends here.
func (s *Driver) Keep() {
	k := s.Cfg.Keeper
	if k == nil || s.Halted || !k.Due() {
		return
	}
	if k.Save(); s.Cfg.Over != nil && s.Cfg.Over() {
		s.Poll(0, s.Progress())
	}
}

// From explores from the current state of the system, and restores that state. entered are the data
// that are saved (por.Config.Enter); positions returns the positions of the search. begin begins
// the search, unless it continues a saved one; explore explores its unfinished part.
func (s *Driver) From(entered any, positions func() []*Position, begin, explore func()) por.Result {
	root := s.Sys.Mark()
	resumed, leave := s.Cfg.Enter(entered)
	defer leave()
	if resumed {
		s.Reenter(positions()...)
	} else {
		begin()
	}
	explore()
	s.Account()
	for _, p := range slices.Backward(positions()) {
		s.Drop(p.Mark)
	}
	s.Leave(root)
	return s.Result()
}

// Reenter brings the system to its state when the search was saved, and gives positions new marks,
// as the saved marks belong to another system. Positions are in the order in which they were made;
// a position without a mark has a negative one, and keeps it. The data of an Executor and of an
// oracle are saved unchanged, so they need no steps.
func (s *Driver) Reenter(positions ...*Position) {
	path := s.Path
	s.Path = nil // repeated steps are not part of the search
	for i := s.Began; ; i++ {
		for len(positions) > 0 && positions[0].Depth == i {
			if positions[0].Mark >= 0 {
				positions[0].Mark = s.Sys.Mark()
			}
			positions = positions[1:]
		}
		if i == len(path) {
			break
		}
		if s.Cfg.Over != nil && s.Cfg.Over() {
			s.Cfg.Keeper.Abandon()
		}
		s.Sys.Step(path[i].G, path[i].Choice)
	}
	if len(positions) > 0 {
		panic("BUG: a position is not on the path")
	}
	if s.Cfg.Oracle != nil {
		s.looked = s.Cfg.Oracle.Looked()
	}
	if s.Path = path; s.Executor != nil {
		s.Executor.Invalidate()
	}
	s.Cfg.Keeper.Arrived()
}
