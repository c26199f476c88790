package time

// Since returns the time elapsed since t. Between two looks at the clock time passes, except where
// it is virtual.
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

// hbMoves reports whether two looks differ natively, though the machine shows the same.
func hbMoves() bool
