//go:build !unix

package bench

import "time"

var start = time.Now()

// cpuTime returns the time since the process started, because the CPU time is not known on this
// system.
func cpuTime() time.Duration { return time.Since(start) }
