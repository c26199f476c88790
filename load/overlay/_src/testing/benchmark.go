package testing

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"
)

// B is a type passed to Benchmark functions. There is nothing to measure in the machine: a benchmark is
// called with N == 1, and if it calls RunParallel, a second time with N == 2.
type B struct {
	common
	N        int
	looped   bool
	parallel bool
}

// hbRunBench runs the benchmark of an entry, by TestMain if there is one. The machine calls it.
func hbRunBench(name string, f func(*B), testMain func(*M)) {
	run := func(t *T) {
		b := &B{common: common{name: t.name, parent: &t.common, level: t.level, owner: t.owner}}
		b.rounds(f)
		b.over()
	}
	if testMain != nil {
		hbRunMain(name, run, "", nil, testMain)
		return
	}
	hbRunTest(name, run, "", nil)
}

// rounds executes f with N == 1, and then with N == 2 if it is parallel.
func (b *B) rounds(f func(b *B)) {
	b.round(f, 1)
	if b.parallel && !b.Failed() {
		b.round(f, 2)
	}
}

// over records that b has ended, so it logs nothing any more.
func (b *B) over() {
	hbTouch(&b.failed, 0, true)
	b.done = true
}

// round calls f with N == n.
func (b *B) round(f func(b *B), n int) {
	b.N, b.looped, b.ctx, b.cancel = n, false, nil, nil
	defer func() {
		if !hbPanicking() {
			b.runCleanup()
		}
	}()
	f(b)
}

// InternalBenchmark is a benchmark by name.
type InternalBenchmark struct {
	Name string
	F    func(b *B)
}

// StartTimer does nothing.
func (b *B) StartTimer() {}

// StopTimer does nothing.
func (b *B) StopTimer() {}

// ResetTimer does nothing.
func (b *B) ResetTimer() {}

// SetBytes does nothing.
func (b *B) SetBytes(n int64) {}

// ReportAllocs does nothing.
func (b *B) ReportAllocs() {}

// SetParallelism does nothing: RunParallel has as many goroutines as iterations.
func (b *B) SetParallelism(p int) {}

// Elapsed returns the measured elapsed time of the benchmark: none.
func (b *B) Elapsed() time.Duration { return 0 }

// ReportMetric checks the unit.
func (b *B) ReportMetric(n float64, unit string) {
	if unit == "" {
		panic("metric unit must not be empty")
	}
	if strings.ContainsFunc(unit, isSpace) {
		panic("metric unit must not contain whitespace")
	}
}

// Loop returns true once.
func (b *B) Loop() bool {
	first := !b.looped
	b.looped = true
	return first
}

// Run runs f as a sub-benchmark with the given name.
func (b *B) Run(name string, f func(b *B)) bool {
	if name = b.unique(rewrite(name)); !hbSelected(name) {
		return true
	}
	sub := &B{common: common{name: name, parent: &b.common, level: b.level + 1}}
	sub.run(f)
	return !sub.failed
}

// run runs f on a goroutine of its own and waits for it.
func (b *B) run(f func(b *B)) {
	done := make(chan bool, 1)
	go func() {
		b.begin()
		defer func() {
			if hbPanicking() {
				return
			}
			b.over()
			done <- true
		}()
		b.rounds(f)
	}()
	<-done
}

// RunParallel runs body on one goroutine for each iteration. Any of them may get it.
func (b *B) RunParallel(body func(*PB)) {
	b.parallel = true
	var taken atomic.Int64
	done := make(chan bool)
	for range b.N {
		go func() {
			defer func() { done <- true }()
			body(&PB{&taken, int64(b.N)})
		}()
	}
	for range b.N {
		<-done
	}
	if taken.Load() < int64(b.N) && !b.Failed() {
		b.Fatal("RunParallel: body exited without pb.Next() == false")
	}
}

// A PB is used by RunParallel for running parallel benchmarks.
type PB struct {
	taken *atomic.Int64
	n     int64
}

// Next reports whether there are more iterations to execute.
func (pb *PB) Next() bool { return pb.taken.Add(1) <= pb.n }

// BenchmarkResult contains the results of a benchmark run.
type BenchmarkResult struct {
	N         int
	T         time.Duration
	Bytes     int64
	MemAllocs uint64
	MemBytes  uint64
	Extra     map[string]float64
}

// NsPerOp returns the "ns/op" metric.
func (r BenchmarkResult) NsPerOp() int64 { return 0 }

// AllocsPerOp returns the "allocs/op" metric.
func (r BenchmarkResult) AllocsPerOp() int64 { return 0 }

// AllocedBytesPerOp returns the "B/op" metric.
func (r BenchmarkResult) AllocedBytesPerOp() int64 { return 0 }

// String returns a summary of the benchmark results.
func (r BenchmarkResult) String() string { return fmt.Sprintf("%8d", r.N) }

// MemString returns r.AllocedBytesPerOp and r.AllocsPerOp as go test prints them.
func (r BenchmarkResult) MemString() string { return "       0 B/op\t       0 allocs/op" }

// Benchmark runs f.
func Benchmark(f func(b *B)) BenchmarkResult {
	b := &B{common: common{level: 1}}
	b.run(f)
	return BenchmarkResult{N: b.N}
}
