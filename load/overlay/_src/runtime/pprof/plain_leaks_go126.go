//go:build !go1.27

package pprof

import "io"

// hbHasLeaks says that there is no profile of leaked goroutines.
const hbHasLeaks = false

func hbLeaks() int { return 0 }

func hbWriteLeaks(w io.Writer, debug int) error { return nil }
