package rand

// The global functions are unpredictable. So each number of a small range is explored;
// of a large range one number is tried, and the machine records this assumption.

// hbMax is the largest range that is enumerated.
const hbMax = 8

// hbMaxPerm is the largest number of elements whose permutations are all tried.
const hbMaxPerm = 4

// hbChoose returns a number in [0,n): each is an alternative.
func hbChoose(n int) int

// globalRand returns the generator that the program has seeded, if it has, and otherwise a new generator
// without state.
func globalRand() *Rand {
	if r := hbKnown(); r != nil {
		return r
	}
	return &Rand{src: &runtimeSource{}, s64: &runtimeSource{}}
}

// hbKnown returns the generator that the program has seeded, or nil if the global functions are
// unpredictable.
func hbKnown() *Rand {
	if !hbSeeds() {
		return nil
	}
	return globalRandGenerator.Load()
}

// hbSeeds reports whether the program can call Seed.
func hbSeeds() bool

// Seed is a no-op since Go 1.24, except in modules of older versions and with GODEBUG=randseednop=0: then the
// global functions return a known sequence. If the seed comes from the clock, the sequence is as unknown as
// without Seed.
func Seed(seed int64) {
	//mutant: rand.Seed does nothing [env TestPrograms/seeded$]: true
	if randseednop.Value() != "0" {
		return
	}
	randseednop.IncNonDefault()
	if hbSeeded(seed) {
		//mutant: a seed from the clock is known [env TestPrograms/seedednow]: remove 2
		globalRandGenerator.Store(nil)
		return
	}
	for {
		if r := globalRandGenerator.Load(); r != nil {
			r.Seed(seed)
			return
		}
		r := New(new(lockedSource))
		r.Seed(seed)
		if globalRandGenerator.CompareAndSwap(nil, r) {
			return
		}
	}
}

// Int63n returns, as an int64, a non-negative pseudo-random number in the
// half-open interval [0,n). It panics if n <= 0.
func Int63n(n int64) int64 {
	if 1 < n && n <= hbMax && hbKnown() == nil {
		return int64(hbChoose(int(n)))
	}
	return globalRand().Int63n(n)
}

// Int31n returns, as an int32, a non-negative pseudo-random number in the
// half-open interval [0,n). It panics if n <= 0.
func Int31n(n int32) int32 {
	if 1 < n && n <= hbMax && hbKnown() == nil {
		return int32(hbChoose(int(n)))
	}
	return globalRand().Int31n(n)
}

// Intn returns, as an int, a non-negative pseudo-random number in the
// half-open interval [0,n). It panics if n <= 0.
func Intn(n int) int {
	if 1 < n && n <= hbMax && hbKnown() == nil {
		return hbChoose(n)
	}
	return globalRand().Intn(n)
}

// Perm returns, as a slice of n ints, a pseudo-random permutation of the
// integers in the half-open interval [0,n).
func Perm(n int) []int {
	if r := hbKnown(); r != nil {
		return r.Perm(n)
	}
	m := make([]int, n)
	for i := range m {
		m[i] = i
	}
	Shuffle(n, func(i, j int) { m[i], m[j] = m[j], m[i] })
	return m
}

// Shuffle pseudo-randomizes the order of elements. It panics if n < 0.
func Shuffle(n int, swap func(i, j int)) {
	if n > hbMaxPerm || hbKnown() != nil {
		globalRand().Shuffle(n, swap)
		return
	}
	if n < 0 {
		panic("invalid argument to Shuffle")
	}
	for i := n - 1; i > 0; i-- {
		swap(i, hbChoose(i+1))
	}
}

// NewSource returns a new pseudo-random [Source] seeded with the given value.
func NewSource(seed int64) Source {
	if hbSeeded(seed) {
		s := new(hbClockSource)
		s.Seed(seed)
		return s
	}
	return newSource(seed)
}

// hbSeeded reports whether seed is a clock reading.
func hbSeeded(seed int64) bool

// hbClockSource is a source with a seed from the clock: of each number, one value is tried.
type hbClockSource struct{ rngSource }

func (s *hbClockSource) Int63() int64 {
	return int64(hbDraw(uint64(s.rngSource.Int63())) & (1<<63 - 1))
}

func (s *hbClockSource) Uint64() uint64 {
	return hbDraw(s.rngSource.Uint64())
}

// hbDraw records that x is drawn, and returns it.
func hbDraw(x uint64) uint64
