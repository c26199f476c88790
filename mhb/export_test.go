package mhb

// What the tests look at.
var (
	NativeOpOf = nativeOpOf
	Quietable  = quietable
	Rethrows   = rethrows
)
