package time

import _ "unsafe" // for go:linkname

// hbStart is a moment before all others.
var hbStart = Now()

// nanotime is a look at the clock, made a number.
//
//go:linkname nanotime runtime.nanotime
func nanotime() int64 {
	hbCounted()
	return int64(Since(hbStart)) + 1
}

// hbCounted names that the program makes a number of what the clock says.
func hbCounted()

//go:linkname cputicks runtime.cputicks
func cputicks() int64 { return nanotime() }
