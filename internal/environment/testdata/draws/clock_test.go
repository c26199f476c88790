package draws

import (
	"encoding/binary"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	_ "unsafe" // for go:linkname
)

// Numbers that are computed from the clock in different ways.

//go:linkname nanotime runtime.nanotime
func nanotime() int64

var began = time.Now()

// sink has the result of one of makes. Each test TestLookOfClock... is about one of makes.
type sink struct {
	number int64
	float  float64
	span   time.Duration
}

var makes = []struct {
	name string
	make func(*sink)
}{
	{"UnixNano", func(s *sink) { s.number = time.Now().UnixNano() }},
	{"UnixMicro", func(s *sink) { s.number = time.Now().UnixMicro() }},
	{"UnixMilli", func(s *sink) { s.number = time.Now().UnixMilli() }},
	{"Unix", func(s *sink) { s.number = time.Now().Unix() }},
	{"Nanosecond", func(s *sink) { s.number = int64(time.Now().Nanosecond()) }},
	{"Second", func(s *sink) { s.number = int64(time.Now().Second()) }},
	{"nanotime", func(s *sink) { s.number = nanotime() }},
	{"converted", func(s *sink) { s.number = int64(time.Since(began)) }},
	{"Nanoseconds", func(s *sink) { s.number = time.Since(began).Nanoseconds() }},
	{"Microseconds", func(s *sink) { s.number = time.Since(began).Microseconds() }},
	{"Seconds", func(s *sink) { s.float = time.Since(began).Seconds() }},
	{"of another function", func(s *sink) { s.number = count(time.Since(began)) }},
	{"in memory", func(s *sink) { s.span = time.Since(began); s.number = s.span.Nanoseconds() }},
	{"product", func(s *sink) { s.span = time.Since(began) * 3 }},
	{"remainder", func(s *sink) { s.span = time.Since(began) % 1024 }},
	{"sum", func(s *sink) { s.number = int64(time.Since(began) + time.Since(began)) }},
}

func count(d time.Duration) int64 { return d.Nanoseconds() }

func TestIdleClock(t *testing.T) {
	for _, m := range makes {
		var s sink
		m.make(&s)
		s.number++
		t := s
		t.float *= 2
	}
	say(t, len(makes))
}

// These tests compare each number with one that it never is, so that native runs have the outcomes
// of the machine.

func TestLookOfClockUnixNano(t *testing.T)   { looksAt(t, 0) }
func TestLookOfClockUnixMicro(t *testing.T)  { looksAt(t, 1) }
func TestLookOfClockUnixMilli(t *testing.T)  { looksAt(t, 2) }
func TestLookOfClockUnix(t *testing.T)       { looksAt(t, 3) }
func TestLookOfClockNanosecond(t *testing.T) { looksAt(t, 4) }
func TestLookOfClockSecond(t *testing.T)     { looksAt(t, 5) }
func TestLookOfClockNanotime(t *testing.T)   { looksAt(t, 6) }
func TestLookOfClockConverted(t *testing.T)  { looksAt(t, 7) }
func TestLookOfClockNanos(t *testing.T)      { looksAt(t, 8) }
func TestLookOfClockMicros(t *testing.T)     { looksAt(t, 9) }
func TestLookOfClockSeconds(t *testing.T)    { looksAt(t, 10) }
func TestLookOfClockOfAnother(t *testing.T)  { looksAt(t, 11) }
func TestLookOfClockInMemory(t *testing.T)   { looksAt(t, 12) }
func TestLookOfClockProduct(t *testing.T)    { looksAt(t, 13) }
func TestLookOfClockRemainder(t *testing.T)  { looksAt(t, 14) }
func TestLookOfClockSum(t *testing.T)        { looksAt(t, 15) }
func TestLookOfClockBytes(t *testing.T) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(time.Now().Unix()))
	if b[7] == 255 {
		t.Error("late")
	}
}

func looksAt(t *testing.T, i int) {
	var s sink
	makes[i].make(&s)
	if s.number == -7 || s.float == -7 || s.span == -7 {
		t.Error(makes[i].name)
	}
}

// Numbers from the clock go through channels, atomics, bytes and maps, and decide nothing.
func TestIdleClockMoved(t *testing.T) {
	ch := make(chan int64, 1)
	var last atomic.Int64
	var wg sync.WaitGroup
	seen := map[string]int64{}
	wg.Add(1)
	go func() {
		defer wg.Done()
		last.Store(<-ch)
		runtime.Gosched()
		last.Add(1)
	}()
	n := time.Now().UnixNano()
	ch <- n
	wg.Wait()
	seen["a"] = last.Load() - n
	var b [16]byte
	binary.LittleEndian.PutUint64(b[3:], uint64(seen["a"]))
	c := append([]byte(nil), b[:]...)
	say(t, len(seen), len(c))
}

// Two equal goroutines note when they were last used: their states differ only in these times.
func TestIdleClockUsed(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	used := make([]int64, 2)
	n := 0
	for i := range used {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			defer mu.Unlock()
			used[i] = nanotime()
			n++
		}()
	}
	wg.Wait()
	say(t, n)
}
