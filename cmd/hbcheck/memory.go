package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync"

	"hbcheck.dev/hbcheck/load"
)

// loadPercent is how far the heap may grow between two collections while a
// program is loaded and compiled, when almost nothing becomes garbage. A ten-line
// test is exploring after 0.40 seconds of processor time instead of 0.52, and
// the process takes 150 MB instead of 108; a program that imports net/http takes
// 3.3 instead of 4.0 seconds, and 860 MB instead of 690.
const loadPercent = 800

// loadProgram is load.Load at that pace.
func loadProgram(cfg load.Config) (*load.Program, error) {
	return relaxed(func() (*load.Program, error) { return load.Load(cfg) })
}

// loadRest is Listing.LoadRest at that pace.
func loadRest(listing *load.Listing) (prog *load.Program, broken *load.Broken, err error) {
	prog, err = relaxed(func() (prog *load.Program, err error) {
		prog, broken, err = listing.LoadRest()
		return prog, err
	})
	return prog, broken, err
}

// relaxed calls f with the collector at that pace, unless the user has set one.
func relaxed[T any](f func() (T, error)) (T, error) {
	defer pace(loadPercent)()
	return f()
}

// findPercent is loadPercent for findings, unless the program takes largeProgram already: memory is
// scarcer than time then. go-nsq takes 3.7 instead of 4.1 seconds of processor time, and memberlist 3.8
// instead of 4.7.
const (
	findPercent  = 300
	largeProgram = 400 << 20
)

// findPace is pace for findings.
func findPace() func() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > largeProgram {
		return func() {}
	}
	return pace(findPercent)
}

// pace makes percent the collector's, unless the user has set one, until the function that it returns is
// called. Several may be in effect: the largest counts.
func pace(percent int) (end func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	paces.mu.Lock()
	defer paces.mu.Unlock()
	paces.active = append(paces.active, percent)
	if len(paces.active) == 1 {
		paces.start()
	} else {
		paces.set()
	}
	return sync.OnceFunc(func() {
		paces.mu.Lock()
		defer paces.mu.Unlock()
		i := slices.Index(paces.active, percent)
		paces.active = slices.Delete(paces.active, i, i+1)
		paces.set()
	})
}

// paces are those in effect.
var paces pacer

type pacer struct {
	mu       sync.Mutex
	active   []int
	before   int // what the collector's pace was before the first of them
	now      int
	followed bool
}

// mostRoom bounds what a pace lets the heap grow between two collections, unless the collector's own does: a
// program of 900 packages, of which 1.8 GB are alive, took 13 GB without it.
const mostRoom = 1 << 30

// start sets the pace for the first of p.active; p.mu is held.
func (p *pacer) start() {
	p.before = debug.SetGCPercent(p.active[0])
	p.now = p.active[0]
	p.set()
	if !p.followed {
		p.followed = true
		p.follow()
	}
}

// set sets the pace for what is alive now; p.mu is held.
func (p *pacer) set() {
	percent := p.before
	if len(p.active) > 0 {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		percent = max(p.before, bounded(slices.Max(p.active), live[0].Value.Uint64()))
	}
	if percent != p.now {
		debug.SetGCPercent(percent)
		p.now = percent
	}
}

// follow calls set after the next collection, and again, as long as a pace is in effect.
func (p *pacer) follow() {
	type collected struct{ _ *int }
	runtime.AddCleanup(&collected{new(int)}, func(p *pacer) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.followed = len(p.active) > 0; p.followed {
			p.set()
			p.follow()
		}
	}, p)
}

// bounded returns percent, or less if more than mostRoom would follow for a heap of live bytes.
func bounded(percent int, live uint64) int {
	//mutant: a large heap grows ninefold [test ./cmd/hbcheck TestPace]: "live > mostRoom" -> "live > mostRoom && false"
	if live > mostRoom/uint64(percent)*100 {
		return int(mostRoom * 100 / live)
	}
	return percent
}

// defaultMemory is half of the machine's memory where the system says it
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
