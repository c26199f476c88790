package inputs

// IsNumber reports whether b is a number in JSON. The wrong one allows leading zeros.
func IsNumber(b []byte, v Version) bool {
	digits := func() bool {
		n := 0
		for len(b) > 0 && '0' <= b[0] && b[0] <= '9' {
			b = b[1:]
			n++
		}
		return n > 0
	}
	if len(b) > 0 && b[0] == '-' {
		b = b[1:]
	}
	switch {
	case v == Right && len(b) > 0 && b[0] == '0':
		b = b[1:]
	case !digits():
		return false
	}
	if len(b) > 0 && b[0] == '.' {
		if b = b[1:]; !digits() {
			return false
		}
	}
	if len(b) > 0 && (b[0] == 'e' || b[0] == 'E') {
		b = b[1:]
		if len(b) > 0 && (b[0] == '+' || b[0] == '-') {
			b = b[1:]
		}
		if !digits() {
			return false
		}
	}
	return len(b) == 0
}
