package inputs

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// both runs two functions at the same time.
func both(f, g func()) {
	var wg sync.WaitGroup
	wg.Go(f)
	wg.Go(g)
	wg.Wait()
}

func parser(v Version) func(*testing.T, string) {
	return func(t *testing.T, s string) {
		got := Fields(s, v)
		for i, p := range strings.Split(s, ";") {
			if got[i] != strings.TrimLeft(p, " ") {
				t.Fatalf("field %d of %q is %q", i, s, got[i])
			}
		}
	}
}

func FuzzParserRight(f *testing.F) { f.Fuzz(parser(Right)) }
func FuzzParserWrong(f *testing.F) { f.Fuzz(parser(Wrong)) }

// ring pushes and pops as the bits of ops say, while another goroutine pops once.
func ring(v Version) func(*testing.T, uint8, uint8) {
	return func(t *testing.T, room, ops uint8) {
		if room == 0 || room > 3 {
			t.Skip("no such ring")
		}
		r := NewRing(int(room), v)
		var got [2][]int
		pop := func(g int) {
			if x, ok := r.Pop(); ok {
				got[g] = append(got[g], x)
			}
		}
		pushed := 0
		both(func() {
			for i := range 4 {
				if ops>>i&1 == 0 {
					pop(0)
				} else if r.Push(pushed) {
					pushed++
				}
			}
		}, func() { pop(1) })
		if r.size > int(room) {
			t.Fatalf("%d numbers in a ring of %d", r.size, room)
		}
		seen := make([]bool, pushed)
		for _, list := range got {
			for i, x := range list {
				if seen[x] || i > 0 && x < list[i-1] {
					t.Fatalf("popped %v", got)
				}
				seen[x] = true
			}
		}
	}
}

func FuzzRingRight(f *testing.F) { f.Fuzz(ring(Right)) }
func FuzzRingWrong(f *testing.F) { f.Fuzz(ring(Wrong)) }

func intervals(v Version) func(*testing.T, int8, int8, int8, int8) {
	return func(t *testing.T, a, b, c, d int8) {
		r := &Room{version: v}
		var first, second bool
		both(func() { first = r.Book(a, b) }, func() { second = r.Book(c, d) })
		if first && second && a < d && c < b {
			t.Fatalf("%d-%d and %d-%d overlap", a, b, c, d)
		}
	}
}

func FuzzIntervalsRight(f *testing.F) { f.Fuzz(intervals(Right)) }
func FuzzIntervalsWrong(f *testing.F) { f.Fuzz(intervals(Wrong)) }

func lru(v Version) func(*testing.T, uint8, uint8, uint8) {
	return func(t *testing.T, a, b, c uint8) {
		l := &LRU{room: 2, version: v}
		l.Put(a)
		both(func() { l.Put(b) }, func() { l.Get(a) })
		used := l.Get(a)
		l.Put(c)
		if used && !l.Get(a) {
			t.Fatalf("%d was used after %d, and is not there after %d", a, b, c)
		}
	}
}

func FuzzLRURight(f *testing.F) { f.Fuzz(lru(Right)) }
func FuzzLRUWrong(f *testing.F) { f.Fuzz(lru(Wrong)) }

func limiter(v Version) func(*testing.T, int8, int8, int8) {
	return func(t *testing.T, start, first, second int8) {
		if first < start || second < start {
			t.Skip("time goes back")
		}
		l := &Limiter{Interval: 10, Burst: 1, last: start, version: v}
		var a, b bool
		both(func() { a = l.Allow(first) }, func() { b = l.Allow(second) })
		if late := max(first, second); a && b && int(late)-int(start) < 20 {
			t.Fatalf("two events between %d and %d", start, late)
		}
	}
}

func FuzzLimiterRight(f *testing.F) { f.Fuzz(limiter(Right)) }
func FuzzLimiterWrong(f *testing.F) { f.Fuzz(limiter(Wrong)) }

func number(v Version) func(*testing.T, []byte) {
	return func(t *testing.T, b []byte) {
		if len(b) == 0 || b[0] != '-' && (b[0] < '0' || b[0] > '9') {
			t.Skip("not like a number")
		}
		last := b[len(b)-1]
		if last == ' ' || last == '\t' || last == '\r' || last == '\n' {
			t.Skip("space at the end")
		}
		if IsNumber(b, v) != json.Valid(b) {
			t.Fatalf("%q: %v", b, !json.Valid(b))
		}
	}
}

func FuzzNumberRight(f *testing.F) { f.Fuzz(number(Right)) }
func FuzzNumberWrong(f *testing.F) { f.Fuzz(number(Wrong)) }

func runes(v Version) func(*testing.T, []byte) {
	return func(t *testing.T, b []byte) {
		if n := CountRunes(b, v); n != utf8.RuneCount(b) {
			t.Fatalf("%q: %d runes", b, n)
		}
	}
}

func FuzzRunesRight(f *testing.F) { f.Fuzz(runes(Right)) }
func FuzzRunesWrong(f *testing.F) { f.Fuzz(runes(Wrong)) }

func search(v Version) func(*testing.T, int8, int8, int8) {
	return func(t *testing.T, a, b, c int8) {
		s := &Sorted{version: v}
		s.Insert(a)
		both(func() { s.Insert(b) }, func() { s.Insert(c) })
		if !s.Has(a) || !s.Has(b) || !s.Has(c) {
			t.Fatalf("%d, %d and %d are %d", a, b, c, s.xs)
		}
	}
}

func FuzzSearchRight(f *testing.F) { f.Fuzz(search(Right)) }
func FuzzSearchWrong(f *testing.F) { f.Fuzz(search(Wrong)) }

func hashring(v Version) func(*testing.T, uint8, uint8, uint8) {
	return func(t *testing.T, a, b, key uint8) {
		r := &HashRing{version: v}
		r.Add(a)
		r.Add(b)
		both(func() { r.Remove(b) }, func() {
			if n := r.Node(key); n != a && n != b {
				t.Errorf("node %d", n)
			}
		})
		if n := r.Node(key); n != a {
			t.Errorf("node %d, want %d", n, a)
		}
	}
}

func FuzzHashRingRight(f *testing.F) { f.Fuzz(hashring(Right)) }
func FuzzHashRingWrong(f *testing.F) { f.Fuzz(hashring(Wrong)) }

func counter(v Version) func(*testing.T, uint32, uint32, uint32) {
	return func(t *testing.T, most, a, b uint32) {
		c := &Bounded{Most: most, version: v}
		var first, second bool
		both(func() { first = c.Add(a) }, func() { second = c.Add(b) })
		if first && second && int(a)+int(b) > int(most) || c.n.Load() > most {
			t.Fatalf("%d + %d is more than %d", a, b, most)
		}
	}
}

func FuzzCounterRight(f *testing.F) { f.Fuzz(counter(Right)) }
func FuzzCounterWrong(f *testing.F) { f.Fuzz(counter(Wrong)) }

func retry(v Version) func(*testing.T, uint8) {
	return func(t *testing.T, lost uint8) {
		if made, answered := Transfers(lost, v); made < answered || made > 2 {
			t.Fatalf("%d transfers, %d answers", made, answered)
		}
	}
}

func FuzzRetryRight(f *testing.F) { f.Fuzz(retry(Right)) }
func FuzzRetryWrong(f *testing.F) { f.Fuzz(retry(Wrong)) }

func commit(v Version) func(*testing.T, bool, bool, bool) {
	return func(t *testing.T, a, b, c bool) {
		votes := []bool{a, b, c}
		for i, done := range Commit(votes, v) {
			if done != (a && b && c) {
				t.Fatalf("votes %v, participant %d: %v", votes, i, done)
			}
		}
	}
}

func FuzzCommitRight(f *testing.F) { f.Fuzz(commit(Right)) }
func FuzzCommitWrong(f *testing.F) { f.Fuzz(commit(Wrong)) }
