package hb

// SetLinear makes x look for races among all events.
func (x *Execution) SetLinear() { x.linear = true }

// Read returns how many events have been read in lanes.
func (x *Execution) Read() int { return x.read }

// SetMostOverwritten sets after how many looks lanes are read.
func SetMostOverwritten(n int) (before int) {
	before, mostOverwritten = mostOverwritten, n
	return before
}
