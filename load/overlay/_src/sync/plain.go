package sync

// The program's own fields: it may set them beside a call, which is a race.

// fresh returns p.New.
func (p *Pool) fresh() func() any { return p.New }
