package rand

import "math/bits"

// hbAgain returns again: whether a value that has been drawn is drawn once more. Nobody can tell how
// often that was so, and so nothing depends on what was drawn before.
func hbAgain(again bool) bool

// uint64n is the real function, but for that. The last remainder changes nothing: hi is less than n.
func (r *Rand) uint64n(n uint64) uint64 {
	if n&(n-1) == 0 { // n is power of two, can mask
		return r.Uint64() & (n - 1)
	}
	hi, lo := bits.Mul64(r.Uint64(), n)
	for hbAgain(lo < -n%n) {
		hi, lo = bits.Mul64(r.Uint64(), n)
	}
	return hi % n
}
