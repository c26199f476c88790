package rand

// The global functions are unpredictable. So each number of a small range is explored;
// of a large range one number is tried, and the machine records this assumption.

// hbMax is the largest range that is enumerated.
const hbMax = 8

// hbMaxPerm is the largest number of elements whose permutations are all tried.
const hbMaxPerm = 4

// hbChoose returns a number in [0,n): each is an alternative.
func hbChoose(n int) int

// The functions of the package call globalRand. It has no state, so goroutines do not share memory;
// each call makes a Rand of its own.
var globalRand hbGlobal

type hbGlobal struct{}

func (hbGlobal) rand() *Rand { return &Rand{src: runtimeSource{}} }

func (g hbGlobal) Int() int                           { return g.rand().Int() }
func (g hbGlobal) Uint() uint                         { return g.rand().Uint() }
func (g hbGlobal) Int32() int32                       { return g.rand().Int32() }
func (g hbGlobal) Int64() int64                       { return g.rand().Int64() }
func (g hbGlobal) Uint32() uint32                     { return g.rand().Uint32() }
func (g hbGlobal) Uint64() uint64                     { return g.rand().Uint64() }
func (g hbGlobal) IntN(n int) int                     { return g.rand().IntN(n) }
func (g hbGlobal) UintN(n uint) uint                  { return g.rand().UintN(n) }
func (g hbGlobal) Int32N(n int32) int32               { return g.rand().Int32N(n) }
func (g hbGlobal) Int64N(n int64) int64               { return g.rand().Int64N(n) }
func (g hbGlobal) Uint32N(n uint32) uint32            { return g.rand().Uint32N(n) }
func (g hbGlobal) Uint64N(n uint64) uint64            { return g.rand().Uint64N(n) }
func (g hbGlobal) Float32() float32                   { return g.rand().Float32() }
func (g hbGlobal) Float64() float64                   { return g.rand().Float64() }
func (g hbGlobal) NormFloat64() float64               { return g.rand().NormFloat64() }
func (g hbGlobal) ExpFloat64() float64                { return g.rand().ExpFloat64() }
func (g hbGlobal) Shuffle(n int, swap func(i, j int)) { g.rand().Shuffle(n, swap) }

// hbSmall reports whether the numbers in [0,n) are enumerated.
func hbSmall[Int intType](n Int) bool { return 1 < n && n <= hbMax }

// Int64N returns, as an int64, a pseudo-random number in the half-open interval
// [0,n). It panics if n <= 0.
func Int64N(n int64) int64 {
	if hbSmall(n) {
		return int64(hbChoose(int(n)))
	}
	return globalRand.Int64N(n)
}

// Uint64N returns, as a uint64, a pseudo-random number in the half-open
// interval [0,n). It panics if n == 0.
func Uint64N(n uint64) uint64 {
	if hbSmall(n) {
		return uint64(hbChoose(int(n)))
	}
	return globalRand.Uint64N(n)
}

// Int32N returns, as an int32, a pseudo-random number in the half-open interval
// [0,n). It panics if n <= 0.
func Int32N(n int32) int32 {
	if hbSmall(n) {
		return int32(hbChoose(int(n)))
	}
	return globalRand.Int32N(n)
}

// Uint32N returns, as a uint32, a pseudo-random number in the half-open
// interval [0,n). It panics if n == 0.
func Uint32N(n uint32) uint32 {
	if hbSmall(n) {
		return uint32(hbChoose(int(n)))
	}
	return globalRand.Uint32N(n)
}

// IntN returns, as an int, a pseudo-random number in the half-open interval
// [0,n). It panics if n <= 0.
func IntN(n int) int {
	if hbSmall(n) {
		return hbChoose(n)
	}
	return globalRand.IntN(n)
}

// UintN returns, as a uint, a pseudo-random number in the half-open interval
// [0,n). It panics if n == 0.
func UintN(n uint) uint {
	if hbSmall(n) {
		return uint(hbChoose(int(n)))
	}
	return globalRand.UintN(n)
}

// N returns a pseudo-random number in the half-open interval [0,n). It panics
// if n <= 0.
func N[Int intType](n Int) Int {
	if n <= 0 {
		panic("invalid argument to N")
	}
	return Int(Uint64N(uint64(n)))
}

// Perm returns, as a slice of n ints, a pseudo-random permutation of the
// integers in the half-open interval [0,n).
func Perm(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	Shuffle(n, func(i, j int) { p[i], p[j] = p[j], p[i] })
	return p
}

// Shuffle pseudo-randomizes the order of elements. It panics if n < 0.
func Shuffle(n int, swap func(i, j int)) {
	if n > hbMaxPerm {
		globalRand.Shuffle(n, swap)
		return
	}
	if n < 0 {
		panic("invalid argument to Shuffle")
	}
	for i := n - 1; i > 0; i-- {
		swap(i, hbChoose(i+1))
	}
}
