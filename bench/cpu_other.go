//go:build !unix

package bench

import "time"

var start = time.Now()

// cpuTime returns the time since the process started, for want of its CPU time.
func cpuTime() time.Duration { return time.Since(start) }
