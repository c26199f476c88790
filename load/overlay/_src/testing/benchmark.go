package testing

import (
	"fmt"
	"strings"
	"time"
)

// B is a type passed to Benchmark functions. There is nothing to measure in
// the machine: a benchmark runs its body once.
type B struct {
	common
	N      int
	looped bool
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

// SetParallelism does nothing: RunParallel has one goroutine.
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
	sub := &B{common: common{name: b.unique(rewrite(name)), parent: &b.common, level: b.level + 1}, N: 1}
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
			b.runCleanup()
			b.done = true
			done <- true
		}()
		f(b)
	}()
	<-done
}

// RunParallel runs body on one goroutine.
func (b *B) RunParallel(body func(*PB)) {
	done := make(chan bool, 1)
	go func() {
		defer func() { done <- true }()
		body(&PB{n: b.N})
	}()
	<-done
}

// A PB is used by RunParallel for running parallel benchmarks.
type PB struct {
	n int
}

// Next reports whether there are more iterations to execute.
func (pb *PB) Next() bool {
	pb.n--
	return pb.n >= 0
}

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

// Benchmark runs f once.
func Benchmark(f func(b *B)) BenchmarkResult {
	b := &B{common: common{level: 1}, N: 1}
	b.run(f)
	return BenchmarkResult{N: 1}
}
