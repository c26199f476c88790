package search

// Keep saves the search if that is due. It is called where the search could be left and gone on with:
// what is entered (por.Config.Enter) says all there is. If the search has to end, it ends here.
func (s *Driver) Keep() {
	k := s.Cfg.Keeper
	if k == nil || s.Halted || !k.Due() {
		return
	}
	if k.Save(); s.Cfg.Over != nil && s.Cfg.Over() {
		s.Poll(0, s.Progress())
	}
}

// Reenter brings the system to where it was when the search was saved, and gives positions their marks,
// which are those of another system. They are in the order in which they were made; those without a mark
// have a negative one, and get none. Data of an Executor and of an oracle are saved as they are, so that
// they have nothing to do.
func (s *Driver) Reenter(positions ...*Position) {
	path := s.Path
	s.Path = nil // what the system is shown on the way is no part of the search
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
		s.Sys.Step(path[i].G, path[i].Choice)
	}
	if len(positions) > 0 {
		panic("BUG: a position is not on the path")
	}
	if s.looker != nil {
		s.looked = s.looker.Looked()
	}
	if s.Path = path; s.Executor != nil {
		s.Executor.Invalidate()
	}
	s.Cfg.Keeper.Arrived()
}
