package time

import _ "unsafe" // for go:linkname

// hbCounted returns the clock used as a number. What else it might be is named.
func hbCounted() int64

//go:linkname nanotime runtime.nanotime
func nanotime() int64 { return hbCounted() }

//go:linkname cputicks runtime.cputicks
func cputicks() int64 { return hbCounted() }
