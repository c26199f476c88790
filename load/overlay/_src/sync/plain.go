package sync

// Fields that belong to the program: it may set them during a call, which is a race.

// fresh returns p.New.
func (p *Pool) fresh() func() any { return p.New }
