package main

import (
	"os"
	"strconv"
	"strings"
)

// defaultMemory is half of the machine's memory where the system tells it
// (Linux), and otherwise 2 GiB: a search must not take the machine down.
func defaultMemory() int64 {
	const fallback, least = 2 << 30, 256 << 20
	data, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return fallback
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if len(f) == 3 && f[0] == "MemTotal:" {
			if kb, err := strconv.ParseInt(f[1], 10, 64); err == nil {
				return max(least, kb<<10/2>>28<<28)
			}
		}
	}
	return fallback
}
