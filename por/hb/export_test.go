package hb

// SetLinear makes x seek races among all events.
func (x *Execution) SetLinear() { x.linear = true }

// Read returns the number of events that have been read in lanes.
func (x *Execution) Read() int { return x.read }

// SetMostOverwritten sets the number of events that are read before lanes.
func SetMostOverwritten(n int) (before int) {
	before, mostOverwritten = mostOverwritten, n
	return before
}

// SetShortHistory sets the number of events that are read one by one.
func SetShortHistory(n int) (before int) {
	before, shortHistory = shortHistory, n
	return before
}
