package rand

// hbAgain returns again, which is set if another value has to be drawn in place of the last one. With a
// generator of this package the program cannot notice the number of draws, so nothing depends on again. A
// generator of the program may count them.
func hbAgain(again, ours bool) bool

// hbOurs reports whether r draws from a generator of this package, and no lock is taken for that.
func (r *Rand) hbOurs() bool {
	switch r.src.(type) {
	case *runtimeSource, *rngSource, *hbClockSource:
		return true
	}
	return false
}

// The following are the real functions, with calls of hbAgain.

// Int63n returns, as an int64, a non-negative pseudo-random number in the
// half-open interval [0,n). It panics if n <= 0.
func (r *Rand) Int63n(n int64) int64 {
	if n <= 0 {
		panic("invalid argument to Int63n")
	}
	if n&(n-1) == 0 { // n is power of two, can mask
		return r.Int63() & (n - 1)
	}
	max := int64((1 << 63) - 1 - (1<<63)%uint64(n))
	v := r.Int63()
	for hbAgain(v > max, r.hbOurs()) {
		v = r.Int63()
	}
	return v % n
}

// Int31n returns, as an int32, a non-negative pseudo-random number in the
// half-open interval [0,n). It panics if n <= 0.
func (r *Rand) Int31n(n int32) int32 {
	if n <= 0 {
		panic("invalid argument to Int31n")
	}
	if n&(n-1) == 0 { // n is power of two, can mask
		return r.Int31() & (n - 1)
	}
	max := int32((1 << 31) - 1 - (1<<31)%uint32(n))
	v := r.Int31()
	for hbAgain(v > max, r.hbOurs()) {
		v = r.Int31()
	}
	return v % n
}

// Float64 returns, as a float64, a pseudo-random number in the half-open interval [0.0,1.0).
func (r *Rand) Float64() float64 {
	f := float64(r.Int63()) / (1 << 63)
	for hbAgain(f == 1, r.hbOurs()) {
		f = float64(r.Int63()) / (1 << 63)
	}
	return f
}
