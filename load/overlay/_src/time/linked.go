package time

import _ "unsafe" // for go:linkname

// hbCounted returns the clock as a number, and records the assumption that it has this value.
func hbCounted() int64

//go:linkname nanotime runtime.nanotime
func nanotime() int64 { return hbCounted() }

//go:linkname cputicks runtime.cputicks
func cputicks() int64 { return hbCounted() }
