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

// loadPercent is the growth of the heap between two collections while a program is loaded and
// compiled, when almost nothing becomes garbage. With it, the exploration of a ten-line test begins
// after 0.40 seconds of processor time instead of 0.52, and the process takes 150 MB instead of
// 108. A program that imports net/http takes 3.3 seconds instead of 4.0, and 860 MB instead of 690.
const loadPercent = 800

// explorePercent is loadPercent for explorations. A collection reads the whole program, which stays. With
// 100, the searches of the tests of yamux, puddle and go-memdb took 6 to 50 % more processor time, and
// a quarter less memory.
const explorePercent = 200

// runPercent is loadPercent for hbcheck run. A collection reads the whole program. With 100, a test of puddle
// took 1.05 seconds of processor time instead of 0.93, and as much memory.
const runPercent = 300

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

// findPercent is loadPercent for findings. go-nsq takes 3.7 instead of 4.1 seconds of processor time, and
// memberlist 3.8 instead of 4.7. If the program already takes largeProgram, memory is scarcer than time: then
// the heap grows by mostRoom only, or by leastPercent if that is more. Kubernetes' client-go takes 31 instead
// of 27.5 seconds, and 2.8 GB instead of 3.65.
const (
	findPercent  = 300
	largeProgram = 400 << 20
	leastPercent = 65
)

// findPace calls pace for findings.
func findPace() func() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapAlloc <= largeProgram {
		return pace(findPercent)
	}
	return paces.tighten()
}

// forget collects what an attempt to analyse the program leaves over, which may be most of the heap.
// Otherwise the heap may become twice as large before the next collection.
func forget() { runtime.GC() }

// pace sets the collector's percentage, unless the user has set GOGC, until end is called. If several paces
// are in effect, the largest counts.
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

// paces has the paces that are in effect.
var paces = pacer{room: mostRoom}

type pacer struct {
	room     uint64 // mostRoom; tests change it
	mu       sync.Mutex
	active   []int
	tight    bool // see tighten
	before   int  // the collector's percentage before active had an element
	now      int
	followed bool
}

// mostRoom bounds the growth of the heap between two collections under a pace, but not under the
// collector's own percentage (except for findings). Without it a program of 900 packages with 1.8 GB of live
// objects took 13 GB.
const mostRoom = 1 << 30

// tighten is pace for findings in large programs.
func (p *pacer) tighten() (end func()) {
	p.mu.Lock()
	p.tight = true
	p.mu.Unlock()
	stop := pace(findPercent)
	return func() {
		p.mu.Lock()
		p.tight = false
		p.mu.Unlock()
		stop()
	}
}

// start sets the percentage for the first of p.active; p.mu is held.
func (p *pacer) start() {
	p.before = debug.SetGCPercent(p.active[0])
	p.now = p.active[0]
	p.set()
	if !p.followed {
		p.followed = true
		p.follow()
	}
}

// set sets the percentage for the present amount of live objects; p.mu is held.
func (p *pacer) set() {
	percent := p.before
	if len(p.active) > 0 {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		percent = p.percent(live[0].Value.Uint64())
	}
	if percent != p.now {
		debug.SetGCPercent(percent)
		p.now = percent
	}
}

// percent returns the percentage for live bytes while a pace is in effect.
func (p *pacer) percent(live uint64) int {
	percent := p.bounded(slices.Max(p.active), live)
	//mutant: findings in a large program have the time of others [test ./cmd/hbcheck TestTight]: "p.tight" -> "false"
	if p.tight {
		return min(p.before, max(leastPercent, percent))
	}
	return max(p.before, percent)
}

// follow calls set after each collection while a pace is in effect.
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

// bounded returns percent, or less if more than p.room would follow for a heap of live bytes.
func (p *pacer) bounded(percent int, live uint64) int {
	//mutant: a large heap grows ninefold [test ./cmd/hbcheck TestPace]: "live > p.room" -> "false && live > p.room"
	if live > p.room/uint64(percent)*100 {
		return int(p.room * 100 / live)
	}
	return percent
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
