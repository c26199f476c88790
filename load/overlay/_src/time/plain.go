package time

// What writes memory of the program.

// setLoc sets the location of t, which has been made from numbers. In UnmarshalBinary t is memory
// of the program.
func (t *Time) setLoc(loc *Location) {
	hbMade(t.wall, t.ext)
	if loc == &utcLoc {
		loc = nil
	}
	t.stripMono()
	t.loc = loc
}

// stripMono strips the monotonic clock reading in t. That does not show what time it is.
func (t *Time) stripMono() {
	if t.wall&hasMonotonic != 0 {
		t.ext = wallToInternal + int64(t.wall<<1>>(nsecShift+1))
		t.wall &= nsecMask
	}
}
