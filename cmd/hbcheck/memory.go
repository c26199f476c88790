package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"hbcheck.dev/hbcheck/load"
)

// loadPercent is the growth of the heap between two collections while a program is loaded and compiled,
// when almost nothing becomes garbage. The exploration of a ten-line test begins after 0.40 seconds of
// processor time instead of 0.52, and the process takes 150 MB instead of 108; a program that imports
// net/http takes 3.3 instead of 4.0 seconds, and 860 MB instead of 690.
const loadPercent = 800

// loadProgram calls load.Load with loadPercent.
func loadProgram(cfg load.Config) (*load.Program, error) {
	return relaxed(func() (*load.Program, error) { return load.Load(cfg) })
}

// loadRest calls Listing.LoadRest with loadPercent.
func loadRest(listing *load.Listing) (prog *load.Program, broken *load.Broken, err error) {
	prog, err = relaxed(func() (prog *load.Program, err error) {
		prog, broken, err = listing.LoadRest()
		return prog, err
	})
	return prog, broken, err
}

// relaxed calls f with loadPercent, unless the user has set GOGC.
func relaxed[T any](f func() (T, error)) (T, error) {
	defer pace(loadPercent)()
	return f()
}

// findPercent is loadPercent for findings, unless the program already takes largeProgram, because then
// memory is scarcer than time. go-nsq takes 3.7 instead of 4.1 seconds of processor time, and memberlist
// 3.8 instead of 4.7.
const (
	findPercent  = 300
	largeProgram = 400 << 20
)

// findPace calls pace for findings.
func findPace() func() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > largeProgram {
		return func() {}
	}
	return pace(findPercent)
}

// pace sets the percentage of the collector, unless the user has set GOGC, until the function that it
// returns is called.
func pace(percent int) func() {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	old := debug.SetGCPercent(percent)
	return func() { debug.SetGCPercent(old) }
}

// defaultMemory returns half of the computer's memory if the system reports it (Linux), otherwise 2 GiB. A
// search must not exhaust the memory of the computer.
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
