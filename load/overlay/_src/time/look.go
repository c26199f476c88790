package time

// Since returns the time elapsed since t. Between two readings of the clock time passes, unless
// time is virtual.
func Since(t Time) Duration {
	d := Now().Sub(t)
	if d == 0 && hbMoves() {
		return 1
	}
	return d
}

// Until returns the duration until t.
func Until(t Time) Duration {
	d := t.Sub(Now())
	if d == 0 && hbMoves() {
		return -1
	}
	return d
}

// hbMoves reports whether two readings of the clock differ natively, although they are equal in the
// machine.
func hbMoves() bool
