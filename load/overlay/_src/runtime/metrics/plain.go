package metrics

import (
	"internal/runtime/gc"
	"math"
	"runtime"
	"strings"
	"unsafe"
)

// The values are those of one call of ReadMemStats, as far as it has them. The machine measures
// neither time spent nor goroutines that wait for a processor, so these values are zero. The
// samples are memory of the program: accesses to them, and to the histograms that an earlier Read
// has stored there, are as visible as those by its own code.

func runtime_readMetrics(p unsafe.Pointer, n, _ int) {
	samples := unsafe.Slice((*Sample)(p), n)
	var s figures
	runtime.ReadMemStats(&s.MemStats)
	s.kinds = make(map[string]ValueKind)
	for _, d := range All() {
		s.kinds[d.Name] = d.Kind
	}
	for i := range samples {
		s.fill(&samples[i])
	}
}

type figures struct {
	runtime.MemStats
	kinds map[string]ValueKind // of all metrics
}

// fill stores the value of a metric in to. It reuses the histogram that is there, as the runtime
// does.
func (s *figures) fill(to *Sample) {
	v := &to.Value
	v.kind = s.kinds[to.Name]
	switch v.kind {
	case KindUint64:
		v.scalar = s.number(to.Name)
	case KindFloat64:
		v.scalar = math.Float64bits(0)
	case KindFloat64Histogram:
		buckets, count := timeBuckets, uint64(0)
		if strings.HasSuffix(to.Name, ":bytes") {
			buckets = sizeBuckets
		}
		if to.Name == "/gc/heap/allocs-by-size:bytes" {
			count = s.Mallocs
		}
		h := (*Float64Histogram)(v.pointer)
		if h == nil {
			h = new(Float64Histogram)
			v.pointer = unsafe.Pointer(h)
		}
		h.Buckets = buckets()
		if len(h.Counts) != len(h.Buckets)-1 {
			h.Counts = make([]uint64, len(h.Buckets)-1)
		}
		clear(h.Counts)
		h.Counts[1] = count
	}
}

func (s *figures) number(name string) uint64 {
	switch name {
	case "/gc/cycles/total:gc-cycles":
		return uint64(s.NumGC)
	case "/gc/cycles/forced:gc-cycles":
		return uint64(s.NumForcedGC)
	case "/gc/cycles/automatic:gc-cycles":
		return uint64(s.NumGC - s.NumForcedGC)
	case "/gc/gogc:percent":
		return 100
	case "/gc/gomemlimit:bytes":
		return math.MaxInt64
	case "/gc/heap/allocs:bytes":
		return s.TotalAlloc
	case "/gc/heap/allocs:objects":
		return s.Mallocs
	case "/gc/heap/frees:bytes":
		return s.TotalAlloc - s.HeapAlloc
	case "/gc/heap/frees:objects":
		return s.Frees
	case "/gc/heap/goal:bytes":
		return s.NextGC
	case "/gc/heap/live:bytes", "/gc/scan/heap:bytes", "/gc/scan/total:bytes", "/memory/classes/heap/objects:bytes":
		return s.HeapAlloc
	case "/gc/heap/objects:objects":
		return s.HeapObjects
	case "/gc/stack/starting-size:bytes":
		return 2048
	case "/memory/classes/heap/free:bytes":
		return s.HeapIdle
	case "/memory/classes/heap/unused:bytes":
		return s.HeapInuse - s.HeapAlloc
	case "/memory/classes/other:bytes":
		return s.OtherSys
	case "/memory/classes/total:bytes":
		return s.Sys
	case "/sched/gomaxprocs:threads", "/sched/threads/total:threads":
		return uint64(runtime.GOMAXPROCS(0))
	case "/sched/goroutines:goroutines":
		return uint64(runtime.NumGoroutine())
	case "/sched/goroutines-created:goroutines":
		return created(uint64(runtime.NumGoroutine()))
	case "/sched/goroutines/running:goroutines":
		return 1
	case "/sched/goroutines/waiting:goroutines":
		return uint64(runtime.NumGoroutine() - 1)
	}
	return 0
}

// sizeBuckets returns a bucket for each size class of the heap: a class includes its size, a bucket
// excludes its end.
func sizeBuckets() []float64 {
	b := []float64{1}
	for _, size := range gc.SizeClassToSize[1:] {
		b = append(b, float64(size)+1)
	}
	return append(b, math.Inf(1))
}

// timeBuckets returns the runtime's buckets: four for each power of two from 2^8 to 2^47 ns, and
// those below and above.
func timeBuckets() []float64 {
	const least, most, sub = 9, 48, 2
	seconds := func(nanos uint64) float64 { return float64(nanos) / 1e9 }
	b := []float64{math.Inf(-1)}
	for j := range 1 << sub {
		b = append(b, seconds(uint64(j)<<(least-1-sub)))
	}
	for i := least; i < most; i++ {
		for j := range 1 << sub {
			b = append(b, seconds(1<<(i-1)|uint64(j)<<(i-1-sub)))
		}
	}
	return append(b, seconds(1<<(most-1)), math.Inf(1))
}
