package mhb

// What the tests look at.
var (
	NativeOpOf = nativeOpOf
	Skippable  = skippable
	Rethrows   = rethrows
)
