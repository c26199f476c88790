package time

// Functions that make a Time from numbers, or numbers from a Time. All other operations on Times
// show only how far they are from each other, not what time it is.

// hbApart notes that a Time with these words is turned into numbers.
func hbApart(wall uint64, ext int64)

// hbMade notes that a Time with these words has been made from numbers.
func hbMade(wall uint64, ext int64)

// hbText notes that a text is made from d.
func hbText(d Duration)

// String is the real method, with a call of hbText.
func (d Duration) String() string {
	//mutant: texts of durations in memory are not named [env TestPrograms/spantext]
	hbText(d)
	var arr [32]byte
	n := d.format(&arr)
	return string(arr[n:])
}

// Now returns the current local time.
func Now() Time {
	loc := Local // read before the clock, so that no operation comes between the clock reading and the Time
	sec, nsec, mono := runtimeNow()
	if sec += unixToInternal - minWall; mono == 0 || uint64(sec)>>33 != 0 {
		return Time{uint64(nsec), sec + minWall, loc}
	}
	return Time{hasMonotonic | uint64(sec)<<nsecShift | uint64(nsec), mono - startNano, loc}
}

func unixTime(sec int64, nsec int32) Time {
	hbMade(uint64(nsec), sec+unixToInternal)
	return Time{uint64(nsec), sec + unixToInternal, Local}
}

// nsec returns the time's nanoseconds.
func (t *Time) nsec() int32 {
	wall := t.wall
	hbApart(wall, t.ext)
	return int32(wall & nsecMask)
}

// sec returns the time's seconds since Jan 1 year 1.
func (t *Time) sec() int64 {
	wall, ext := t.wall, t.ext
	hbApart(wall, ext)
	if wall&hasMonotonic != 0 {
		return wallToInternal + int64(wall<<1>>(nsecShift+1))
	}
	return ext
}

// UTC returns t with the location set to UTC.
func (t Time) UTC() Time {
	t.stripMono()
	t.loc = nil
	return t
}

// In returns a copy of t representing the same time instant, but with the copy's location
// information set to loc for display purposes.
//
// In panics if loc is nil.
func (t Time) In(loc *Location) Time {
	if loc == nil {
		panic("time: missing Location in call to Time.In")
	}
	if loc == &utcLoc {
		return t.UTC()
	}
	t.stripMono()
	t.loc = loc
	return t
}

// Local returns t with the location set to local time.
func (t Time) Local() Time {
	t.stripMono()
	t.loc = Local
	return t
}
