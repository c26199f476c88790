package rand

import "math/bits"

// hbAgain returns again, which is set if another value has to be drawn in place of the last one. With a
// generator of this package whose whole state is random the program cannot notice the number of draws, so
// nothing depends on again. A generator of the program may count them, and ChaCha8 does.
func hbAgain(again, ours bool) bool

func (r *Rand) hbOurs() bool {
	switch r.src.(type) {
	case runtimeSource, *runtimeSource, *PCG:
		return true
	}
	return false
}

// uint64n is the real function, with calls of hbAgain. The last remainder changes nothing: hi is less than n.
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
