package debug

import (
	"runtime"
	"time"
)

func readGCStats(stats *[]time.Duration) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	// No pauses; then the last collection, their number and the total pause.
	*stats = append((*stats)[:0], 0, time.Duration(m.NumGC), 0)
}
