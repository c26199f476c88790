package rand

import "math/bits"

// hbAgain returns again: whether a value that has been drawn is drawn once more. If that is of a
// generator of this package whose state is all drawn, nobody can tell how often that was so, and nothing
// depends on it. One of the program may count, and ChaCha8 does.
func hbAgain(again, ours bool) bool

func (r *Rand) hbOurs() bool {
	switch r.src.(type) {
	case runtimeSource, *runtimeSource, *PCG:
		return true
	}
	return false
}

// uint64n is the real function, but for that. The last remainder changes nothing: hi is less than n.
func (r *Rand) uint64n(n uint64) uint64 {
	if n&(n-1) == 0 { // n is power of two, can mask
		return r.Uint64() & (n - 1)
	}
	hi, lo := bits.Mul64(r.Uint64(), n)
	for hbAgain(lo < -n%n, r.hbOurs()) {
		hi, lo = bits.Mul64(r.Uint64(), n)
	}
	return hi % n
}
