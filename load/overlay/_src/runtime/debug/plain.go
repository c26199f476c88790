package debug

import "time"

func readGCStats(stats *[]time.Duration) {
	// No pauses; then the last collection, their number and the total pause.
	*stats = append((*stats)[:0], 0, 0, 0)
}
