// Package draws has values that are drawn. Tests named TestLook depend on which ones, and the verdict names
// that; those named TestIdle do not, and have the outcomes that they have natively.
package draws

import (
	"bytes"
	crand "crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/maphash"
	"io"
	"math/rand"
	randv2 "math/rand/v2"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"
)

const far = 1 << 40

// say prints what an execution does.
func say(t *testing.T, words ...any) { fmt.Println("> "+t.Name(), fmt.Sprint(words...)) }

func bits(n int) []byte {
	b := make([]byte, n)
	crand.Read(b)
	return b
}

type session struct {
	name string
	id   uint64
	key  [5]byte
	n    int
}

func newSession(name string) session {
	var key [5]byte
	if _, err := io.ReadFull(crand.Reader, key[:]); err != nil {
		panic(err)
	}
	return session{name: name, id: binary.LittleEndian.Uint64(bits(8)), key: key, n: 1}
}

var counter = binary.BigEndian.Uint32(bits(4))

func TestIdleStored(t *testing.T) {
	s := newSession("a")
	p := &s
	q := *p
	q.n++
	say(t, q.name, q.n, len(q.key))
}

var seed = maphash.MakeSeed() // it is drawn again if it is 0

func TestIdleSeed(t *testing.T) {
	say(t, seed == maphash.Seed{} || unsafe.Sizeof(maphash.MakeSeed()) > 8)
}

func TestIdleVariable(t *testing.T) {
	counter++
	atomic.AddUint32(&counter, 1)
	say(t, "done")
}

func TestIdleChannel(t *testing.T) {
	c, d := make(chan session), make(chan uint64, 2)
	go func() {
		s := newSession("b")
		d <- s.id
		c <- s
	}()
	s := <-c
	s.id = <-d
	m := map[string]session{s.name: s}
	say(t, m["b"].n)
}

func TestIdleGoroutines(t *testing.T) {
	var mu sync.Mutex
	var list []session
	var wg sync.WaitGroup
	order := ""
	for i := range 2 {
		wg.Go(func() {
			s := newSession(fmt.Sprint(i))
			mu.Lock()
			list, order = append(list, s), order+s.name
			mu.Unlock()
		})
	}
	wg.Wait()
	say(t, order, len(list))
}

func TestIdleInterface(t *testing.T) {
	var v any = rand.Int63n(far)
	f := func() any { return v }
	defer func(x any) { _ = x }(f())
	_, ok := f().(int64)
	say(t, ok)
}

func TestIdleBounds(t *testing.T) {
	x, f := rand.Int63n(1000), rand.Float64()
	say(t, x < 1000, x >= 0, f >= 0, f <= 1, x-1000 < 0, f*100 < 200, int64(f*50)-3 < 60)
}

func TestIdleBoundsV2(t *testing.T) {
	x, f := randv2.IntN(1000), randv2.Float64()
	d := randv2.N(time.Second)
	say(t, x < 1000, x >= 0, f >= 0, f < 1, d < time.Second)
}

func TestIdleNothing(t *testing.T) {
	d := 5 + time.Duration((rand.Float64()*2-1)*0*float64(time.Second))
	say(t, d == 5)
}

func TestIdleOverwritten(t *testing.T) {
	b := bits(8)
	clear(b)
	c := bits(8)
	copy(c, b)
	x := rand.Uint64()
	x = 3
	say(t, b[0], c[3], x)
}

func TestIdleAtomic(t *testing.T) {
	var x atomic.Uint64
	var v atomic.Value
	x.Store(rand.Uint64())
	v.Store(session{id: x.Load()})
	var wg sync.WaitGroup
	wg.Go(func() { x.Add(1) })
	wg.Go(func() { x.Swap(7) })
	wg.Wait()
	say(t, "done")
}

func TestLookSwapped(t *testing.T) {
	var x atomic.Uint64
	x.Store(rand.Uint64())
	say(t, x.CompareAndSwap(1, 2))
}

func TestLookSeed(t *testing.T) { say(t, maphash.String(seed, "a")&1) }

func TestLookSeedPart(t *testing.T) {
	if *(*uint64)(unsafe.Pointer(&seed))|^uint64(255) == ^uint64(0) {
		say(t, "the last byte")
	}
}

func TestLookEqual(t *testing.T) {
	if bits(1)[0] == 77 {
		say(t, "77")
	}
}

func TestLookBranch(t *testing.T) {
	if bits(1)[0]&1 != 0 {
		say(t, "odd")
	}
}

func TestLookSwitch(t *testing.T) {
	switch x := rand.Int63n(far); {
	case x > far/2:
		say(t, "high")
	default:
		say(t, "low")
	}
}

func TestLookIndex(t *testing.T) {
	s := []int{1, 2, 3}
	say(t, s[rand.Int63n(300)/100])
}

func TestLookArray(t *testing.T) {
	var s [256]int
	s[bits(1)[0]] = 1
	say(t, s[3])
}

func TestLookSlice(t *testing.T) {
	say(t, len("abcdefgh"[:rand.Int63n(900)/300]))
}

func TestLookMake(t *testing.T) {
	say(t, len(make([]int, rand.Int63n(100))))
}

func TestLookKey(t *testing.T) {
	m := map[int64]bool{}
	m[rand.Int63n(far)] = true
	say(t, len(m))
}

func TestLookPrinted(t *testing.T) { say(t, rand.Int63n(far)) }

func TestLookString(t *testing.T) { say(t, string(bits(3)) == "abc") }

func TestLookBytes(t *testing.T) { say(t, bytes.Equal(bits(3), []byte{1, 2, 3})) }

func TestLookText(t *testing.T) {
	say(t, strings.Contains(string(bits(8)), "a"))
}

func TestLookRunes(t *testing.T) {
	n := 0
	for _, r := range string(bits(8)) {
		n += int(r)
	}
	say(t, n > 500)
}

func TestLookStruct(t *testing.T) { say(t, newSession("a") == newSession("a")) }

func TestLookInterface(t *testing.T) {
	var v any = rand.Uint32()
	say(t, v == any(uint32(3)))
}

func TestLookCopied(t *testing.T) {
	s := newSession("a")
	c := make(chan session, 1)
	c <- s
	m := map[string]any{"x": <-c}
	s = m["x"].(session)
	say(t, s.key[2] > 7)
}

func TestLookPart(t *testing.T) {
	b := bits(16)
	copy(b[3:], b)
	b = append(b[:5:5], b[5:]...)
	say(t, binary.LittleEndian.Uint32(b[6:]) > 1<<31)
}

func TestLookPointer(t *testing.T) {
	x := rand.Uint64()
	p := (*[8]byte)(unsafe.Pointer(&x))
	say(t, p[7] > 100)
}

func TestLookFloat(t *testing.T) { say(t, rand.Float64()*100 > 50) }

func TestLookConverted(t *testing.T) { say(t, int64(rand.Float64()*100)-50 > 0) }

func TestLookNarrow(t *testing.T) { say(t, int8(rand.Int63n(far)) >= 0) }

func TestLookWrapped(t *testing.T) {
	x := rand.Int63n(1 << 62)
	say(t, x*5 < 0)
}

func TestLookUnsigned(t *testing.T) {
	x := uint64(rand.Int63n(10)) - 5
	say(t, x < 100)
}

// A generator that counts how often it is asked: one value in two billion is drawn again.
type counting struct{ n *int }

func (c counting) Int63() int64 { *c.n++; return rand.Int63() }
func (c counting) Seed(int64)   {}

func TestLookCounted(t *testing.T) {
	n := 0
	rand.New(counting{&n}).Int31n(1<<30 + 1)
	say(t, n)
}

func TestLookCrash(t *testing.T) {
	defer say(t, "now")
	panic(fmt.Errorf("%w", error(number(rand.Int63n(far)))))
}

type number int64

func (n number) Error() string { return "a number" }

func TestLookDivided(t *testing.T) {
	defer func() { say(t, recover()) }()
	say(t, 7/(rand.Int63n(300)/100))
}

func TestLookSorted(t *testing.T) {
	s := rand.Perm(9)
	first := s[0]
	sort.Ints(s)
	say(t, s[0] == first)
}

func TestLookDeferred(t *testing.T) {
	defer func(x uint64) { say(t, x > 9) }(rand.Uint64())
}

func TestLookNamedResult(t *testing.T) {
	f := func() (x int64) {
		defer func() { recover() }()
		x = rand.Int63n(far)
		panic("now")
	}
	say(t, f() > 100)
}

func TestLookPanicked(t *testing.T) {
	defer func() { say(t, recover().(int64) > 100) }()
	panic(rand.Int63n(far))
}

func TestLookGoroutine(t *testing.T) {
	c := make(chan bool)
	go func(x uint64) { c <- x > 1<<63 }(rand.Uint64())
	say(t, <-c)
}

func TestLookShared(t *testing.T) {
	var x atomic.Uint64
	var wg sync.WaitGroup
	wg.Go(func() { x.Store(rand.Uint64()) })
	wg.Go(func() { x.Store(rand.Uint64()) })
	wg.Wait()
	say(t, x.Load() > 1<<63)
}

// The same states come about with a value that is drawn, and with one of four that are explored.
func TestLookMatched(t *testing.T) {
	var x atomic.Int64
	x.Store(1)
	var wg sync.WaitGroup
	wg.Go(func() { x.Store(int64(rand.Uint64() >> 62)) })
	wg.Go(func() { x.Store(rand.Int63n(4)) })
	wg.Wait()
	say(t, x.Load())
}

func TestLookMatchedLater(t *testing.T) {
	var mu sync.Mutex
	x := int64(1)
	var wg sync.WaitGroup
	wg.Go(func() { y := rand.Int63n(4); mu.Lock(); x = y; mu.Unlock() })
	wg.Go(func() {
		y := rand.Int63n(1<<40) >> 38
		mu.Lock()
		x = y
		mu.Unlock()
	})
	wg.Wait()
	say(t, x)
}

func TestLookSelected(t *testing.T) {
	c := make(chan bool)
	go func() { close(c) }()
	if rand.Float32() > 0.5 {
		c = nil
	}
	select {
	case <-c:
	default:
	}
	say(t, c == nil)
}

func TestLookDate(t *testing.T) {
	at := time.Unix(rand.Int63n(far), 0)
	say(t, at.Before(time.Unix(1000000, 0)))
}

func TestLookSlept(t *testing.T) {
	start := time.Now()
	time.Sleep(time.Duration(rand.Int63n(int64(time.Second))))
	say(t, time.Since(start) > time.Second/2)
}

func TestLookHashed(t *testing.T) {
	h := uint64(14695981039346656037)
	for _, b := range bits(4) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	say(t, h%7)
}

func TestLookClock(t *testing.T) {
	start, d := time.Now(), 100*time.Microsecond+time.Duration(rand.Int63n(int64(time.Second)))
	say(t, time.Since(start) < d)
}

func TestLookRest(t *testing.T) {
	b := bits(8)
	b[0] = 1
	say(t, b[7] > 100)
}

// The same states come about with a number in a register that was drawn, and with one that was not.
func TestLookMatchedRegister(t *testing.T) {
	var x atomic.Int64
	var wg sync.WaitGroup
	wg.Go(func() { x.Store(int64(rand.Uint64() >> 62)) })
	wg.Go(func() { x.Store(rand.Int63n(4)) })
	wg.Wait()
	y := x.Swap(9)
	x.Load()
	say(t, y)
}

// Values that a goroutine draws, loads, finds or receives after a long time without a label in its
// registers. (Registers of main always have labels, because packages have drawn values.)

// rest takes that long.
func rest() (s int) {
	for i := range 1000 {
		s += i
	}
	return s
}

func TestLookRestedDraw(t *testing.T) {
	rest()
	if randv2.Uint64()&1 == 0 {
		say(t, "even")
	}
}

//go:noinline
func (s *session) fill() { s.id = randv2.Uint64() }

func TestLookRestedLoad(t *testing.T) {
	var wg sync.WaitGroup
	wg.Go(func() {
		s := &session{}
		s.fill()
		rest()
		if s.id&1 == 0 {
			say(t, "even")
		}
	})
	wg.Wait()
}

func TestLookRestedReceived(t *testing.T) {
	var wg sync.WaitGroup
	c := make(chan uint64)
	wg.Go(func() { c <- randv2.Uint64() })
	wg.Go(func() {
		if <-c&1 == 0 {
			say(t, "even")
		}
	})
	wg.Wait()
}

//go:noinline
func fill(m map[int]uint64) { m[1] = randv2.Uint64() }

func TestLookRestedMap(t *testing.T) {
	m := map[int]uint64{}
	fill(m)
	rest()
	if m[1]&1 == 0 {
		say(t, "even")
	}
}

// jitter is between 90 and 140 ms.
func jitter() time.Duration {
	return 90*time.Millisecond + time.Duration(rand.Int63n(int64(50*time.Millisecond)))
}

func TestLookJitter(t *testing.T) {
	time.Sleep(jitter())
	say(t, "done")
}

func TestLookJitterElapsed(t *testing.T) {
	start := time.Now()
	time.Sleep(jitter())
	time.Sleep(100 * time.Millisecond)
	say(t, time.Since(start) > 220*time.Millisecond)
}

func TestLookJitterReset(t *testing.T) {
	k := time.NewTimer(time.Hour)
	k.Reset(jitter())
	time.Sleep(120 * time.Millisecond)
	say(t, k.Stop())
}

func TestLookJitterFunc(t *testing.T) {
	var x atomic.Int32
	time.AfterFunc(jitter(), func() { x.Store(1) })
	time.Sleep(120 * time.Millisecond)
	say(t, x.Load())
}

func TestLookJitterPeriod(t *testing.T) {
	k := time.NewTicker(jitter())
	<-k.C
	k.Stop()
	say(t, "done")
}

func TestLookJitterBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(jitter())
		say(t, "done")
	})
}

const digits = "0123456789abcdef"

func digit(b byte) byte { return digits[b>>4] }

func TestIdleDigits(t *testing.T) {
	id := hex.EncodeToString(bits(8))
	t.Log(id, len(digits), digits[bits(1)[0]&15])
	say(t, len(id))
}

func TestIdleDigit(t *testing.T) { say(t, digit(bits(1)[0]) != '\n') }

func TestLookDigit(t *testing.T) { say(t, digit(bits(1)[0]) < 'a') }

func TestLookOutside(t *testing.T) {
	defer func() { say(t, recover() != nil) }()
	_ = digits[bits(1)[0]&31]
}

// The text is not constant: what it has where a goroutine writes depends on the schedule.
func TestLookTable(t *testing.T) {
	table := []byte(digits)
	done := make(chan bool)
	go func() { table[3]++; done <- true }()
	_ = table[bits(1)[0]>>4]
	<-done
	say(t)
}

func TestLookSigned(t *testing.T) {
	b := [2]int8{int8(bits(1)[0]), 1}
	p := &b
	say(t, p[0] >= 0)
}
