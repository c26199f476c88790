package environment

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/vm"
)

// TestPolls: each generated program polls two channels, until a moment or until it has received from both.
// It must have the outcomes of the same program with a select that waits for the channels and a timer, and
// must end: while only the loop can move, time passes to the next moment at which something happens.
func TestPolls(t *testing.T) {
	n := deep.N(6, 40)
	dir, prog, entry := loadPairs(t, n, pollHead, pollPair)
	cfg := vm.Config{OrderedTime: true} // no outcome depends on how long code takes
	compared, most := 0, 0
	for s := range n {
		seed := deep.Seed() + uint64(s)
		poll, wait := entry[fmt.Sprintf("TestPoll%d", seed)], entry[fmt.Sprintf("TestWait%d", seed)]
		want := exploreWithin(t, prog, wait, cfg, how{"full", oracle.None, true, 1}, 100000)
		if !want.complete() {
			continue
		}
		most = max(most, len(want.outcomes))
		for i, h := range []how{{"full", oracle.None, true, 1}, {"optimal", oracle.MHB, false, 1}, {"jpf", oracle.MHB, true, 1},
			{"source", oracle.None, false, 1}, {"jpf", oracle.Parts, true, 1}, {"jpf", oracle.None, true, 1}} {
			if i > 0 && deep.Quick() && i != 1+s%5 {
				continue
			}
			most := uint64(100000) // states, and executions where none are stored
			if !h.match {
				most = 5000
			}
			got := exploreWithin(t, prog, poll, cfg, h, most)
			if !got.complete() {
				if h.match {
					t.Errorf("%v: %s is not complete: %v\n%s", h, poll.Name, got.result.Incomplete, flowOf(dir, poll.Name))
				}
				continue
			}
			compared++
			if lines(got.outcomes) != lines(want.outcomes) {
				t.Errorf("%v: %s has\n%s\nand not\n%s\n%s", h, poll.Name, lines(got.outcomes), lines(want.outcomes), flowOf(dir, poll.Name))
			}
		}
	}
	t.Logf("%d comparisons, at most %d outcomes", compared, most)
	if compared < n || most < 2 {
		t.Errorf("of %d programs %d searches are compared; at most %d outcomes", n, compared, most)
	}
}

// Each of pollPrograms polls in a way that once lost an outcome, or added one.
var pollPrograms = []struct{ name, body, want string }{
	// A goroutine that begins to wait on b wakes the loop.
	{"parks", `
	s := &shared{quit: make(chan int), a: make(chan int, 1), b: make(chan int)}
	s.wg.Go(func() { time.Sleep(3 * time.Millisecond); s.send(s.a) })
	s.wg.Go(func() { time.Sleep(3 * time.Millisecond); s.send(s.b) })
	for start := time.Now(); s.received() < 2 && time.Since(start) < 7*time.Millisecond; {
		select {
		case <-s.a:
			s.got("a")
		default:
			select {
			case <-s.b:
				s.got("b")
			default:
			}
		}
	}
	close(s.quit)
`, "ab 0, ba 0"},
	// Time passes while the loop is between its two reads, and the first location changes.
	{"two flags", `
	s := &shared{}
	s.wg.Go(func() {
		time.Sleep(3 * time.Millisecond)
		if !s.isB.Load() {
			s.isA.Store(true)
		}
	})
	for !s.isA.Load() && !s.isB.Load() {
	}
	s.got("a")
`, "a 0"},
	// Time passes twice, and the last read of the loop is a plain one.
	{"two sleeps", `
	s := &shared{quit: make(chan int), a: make(chan int), b: make(chan int)}
	s.wg.Go(func() { s.send(s.a) })
	s.wg.Go(func() {
		time.Sleep(3 * time.Millisecond)
		time.Sleep(3 * time.Millisecond)
		s.send(s.b)
	})
	for len(s.order) < 2 {
		select {
		case <-s.b:
			s.got("b")
		default:
			runtime.Gosched()
		}
		select {
		case <-s.a:
			s.got("a")
			continue
		default:
		}
	}
	close(s.quit)
`, "ab 0"},
	// No time passes while the loop has not seen that b is ready.
	{"missed", `
	s := &shared{quit: make(chan int), a: make(chan int, 1), b: make(chan int, 1)}
	s.wg.Go(func() { time.Sleep(3 * time.Millisecond); s.send(s.a) })
	s.wg.Go(func() { s.send(s.b); s.x.Add(1) })
	for len(s.order) < 2 {
		select {
		case <-s.a:
			s.got("a")
		case <-s.b:
			s.got("b")
		default:
			_ = s.x.Load()
		}
	}
	close(s.quit)
`, "ba 1"},
	{"the error of a context", `
	s := new(shared)
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Millisecond)
	defer cancel()
	for ctx.Err() == nil {
	}
	s.order += "e"
`, "e 0"},
	{"the end of a context", `
	s := new(shared)
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Millisecond)
	defer cancel()
	for s.order == "" {
		select {
		case <-ctx.Done():
			s.order += "d"
		default:
		}
	}
`, "d 0"},
	{"a value", `
	s := new(shared)
	var v atomic.Value
	time.AfterFunc(3*time.Millisecond, func() { v.Store("v") })
	for v.Load() == nil {
	}
	s.order += v.Load().(string)
`, "v 0"},
}

// TestPollPrograms: the programs have these outcomes.
func TestPollPrograms(t *testing.T) {
	var b strings.Builder
	b.WriteString(pollHead)
	for i, p := range pollPrograms {
		fmt.Fprintf(&b, "\nfunc Test%d(t *testing.T) {%ss.wg.Wait()\nfmt.Println(s.order, s.x.Load())\n}\n", i, p.body)
	}
	dir := t.TempDir()
	writeTests(t, dir, b.String())
	prog := loadDir(t, dir)
	for i, p := range pollPrograms {
		for _, h := range []how{{"full", oracle.None, true, 1}, {"optimal", oracle.None, false, 1}, {"jpf", oracle.None, true, 1}, {"jpf", oracle.MHB, true, 1}} {
			got := exploreWithin(t, prog, prog.Entries[i], vm.Config{OrderedTime: true}, h, 100000)
			outcomes := strings.Join(strings.Fields(strings.ReplaceAll(lines(got.outcomes), "exit 0", ",")), " ")
			outcomes = strings.TrimSuffix(strings.ReplaceAll(outcomes, " ,", ","), ",")
			if !got.complete() || outcomes != p.want {
				t.Errorf("%s, %v: %q, want %q (complete: %v)", p.name, h, outcomes, p.want, got.complete())
			}
		}
	}
}

const pollHead = `package polls

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var _ = context.Background

type shared struct {
	mu    sync.Mutex
	wg    sync.WaitGroup
	x     atomic.Int64
	n     int
	a, b  chan int
	quit  chan int
	order string

	isA, isB atomic.Bool // in the place of a and b
}

func (s *shared) got(what string) {
	s.order += what
	s.mu.Lock()
	s.n++
	s.mu.Unlock()
}

func (s *shared) received() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

func (s *shared) send(c chan int) {
	select {
	case c <- 1:
	case <-s.quit:
	}
}

var _ = runtime.Gosched
`

// pollPair returns two tests that differ in one loop.
func pollPair(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 11))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	const ever = "for len(s.order) < 2 {\n"
	head := pick(ever, "for end := time.Now().Add(7 * time.Millisecond); time.Now().Before(end) && s.received() < 2; {\n",
		"for start := time.Now(); s.received() < 2 && time.Since(start) < 7*time.Millisecond; {\n")
	room := []int{r.IntN(2), r.IntN(2)}
	const flags = `if s.isA.Load() {
			s.isA.Store(false)
			s.got("a")
		} else if s.isB.Load() {
			s.isB.Store(false)
			s.got("b")
		}
`
	polls := []string{`select {
		case <-s.a:
			s.got("a")
		case <-s.b:
			s.got("b")
		default:
		}
`, `select {
		case <-s.b:
			s.got("b")
		default:
			runtime.Gosched()
		}
		select {
		case <-s.a:
			s.got("a")
			continue
		default:
		}
`, `select {
		case <-s.a:
			s.got("a")
		default:
			select {
			case <-s.b:
				s.got("b")
			default:
				_ = s.x.Load()
			}
		}
`}
	if room[0] == 1 && room[1] == 1 {
		polls = append(polls, `if len(s.b) > 0 {
			<-s.b
			s.got("b")
		} else if len(s.a) > 0 {
			<-s.a
			s.got("a")
		}
`, flags)
	}
	poll := pick(polls...)
	const wait = `{
		select {
		case <-s.a:
			s.got("a")
		case <-s.b:
			s.got("b")
		case <-timer:
			goto over
		}
	}
over:
`
	after := "for timer := time.After(7 * time.Millisecond); s.received() < 2; "
	if head == ever {
		after = "for timer := s.quit; len(s.order) < 2; "
	}
	work := ""
	for _, c := range []string{"a", "b"} {
		work += "s.wg.Go(func() {\n"
		for range 1 + r.IntN(2) {
			work += pick("time.Sleep(3*time.Millisecond)\n", "time.Sleep(5*time.Millisecond)\n", "s.x.Add(1)\n", "s.received()\n", "")
		}
		work += "s.send(s." + c + ")\n"
		work += pick("s.x.Add(1)\n", "", "time.Sleep(8*time.Millisecond)\n") + "})\n"
	}
	test := func(name, loop, work string) string {
		return fmt.Sprintf("\nfunc %s%d(t *testing.T) {\n\ts := &shared{quit: make(chan int), a: make(chan int, %d), b: make(chan int, %d)}\n%s%s", name, seed, room[0], room[1], work, loop) +
			"fmt.Println(s.order, s.x.Load())\nclose(s.quit)\ns.wg.Wait()\n}\n"
	}
	polled := work
	if poll == flags {
		polled = strings.NewReplacer("s.send(s.a)", "s.isA.Store(true)", "s.send(s.b)", "s.isB.Store(true)").Replace(work)
	}
	return test("TestPoll", head+poll+"}\n", polled) + test("TestWait", after+wait, work)
}
