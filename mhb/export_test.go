package mhb

// Exported for tests.
var (
	NativeOpOf = nativeOpOf
	Skippable  = skippable
	Rethrows   = rethrows
)
