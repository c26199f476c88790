package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hbcheck.dev/hbcheck/explore"
	"hbcheck.dev/hbcheck/por"
)

// TestInitialisingPackages: a package has half of the time of its entries to be initialised, at least ten
// seconds, and all packages have half of the budget.
func TestInitialisingPackages(t *testing.T) {
	x := &wholeRun{f: new(exploreFlags), workers: 2, loading: make(map[string]time.Duration), loadedUntil: make(map[string]time.Time)}
	begin := time.Now()
	a, b := &explore.Entry{Package: "a"}, &explore.Entry{Package: "b"}
	x.entries = append(append(slices.Repeat([]explore.Entry{*a}, 10), *b), make([]explore.Entry, 89)...)
	for _, tt := range []struct {
		budget, took time.Duration // of an entry of a
		wantA, wantB time.Duration
	}{
		{400 * time.Second, 0, 40 * time.Second, 10 * time.Second},
		{400 * time.Second, 4 * time.Second, 36 * time.Second, 10 * time.Second},
		{400 * time.Second, 37 * time.Second, leastTime, 10 * time.Second},
		{50 * time.Second, 0, leastTime, 9 * time.Second},
		{40 * time.Second, 0, leastTime, leastTime},
	} {
		x.f.budget = tt.budget
		x.loaded(&attempt{entry: a, result: &explore.Result{Stats: explore.Stats{Load: tt.took}}}, begin)
		begin = begin.Add(tt.took)
		end := time.Now().Add(tt.budget)
		if gotA, gotB := x.initialising(a, end, 1e6), x.initialising(b, end, 1e6); gotA != tt.wantA || gotB != tt.wantB {
			t.Errorf("after %+v: %v and %v", tt, gotA, gotB)
		}
	}
}

// TestLoadedTogether: what two entries of a package need at the same time counts once.
func TestLoadedTogether(t *testing.T) {
	x := &wholeRun{f: new(exploreFlags), loading: make(map[string]time.Duration), loadedUntil: make(map[string]time.Time)}
	a, b, now := &explore.Entry{Package: "a"}, &explore.Entry{Package: "b"}, time.Now()
	for _, l := range []struct {
		e          *explore.Entry
		begin, end time.Duration // in seconds
	}{{a, 0, 4}, {a, 1, 4}, {b, 1, 3}, {a, 2, 3}, {a, 3, 6}, {a, 8, 9}} {
		x.loaded(&attempt{entry: l.e, result: &explore.Result{Stats: explore.Stats{Load: (l.end - l.begin) * time.Second}}}, now.Add(l.begin*time.Second))
	}
	if x.loading["a"] != 7*time.Second || x.loading["b"] != 2*time.Second || x.loadingAll != 9*time.Second {
		t.Errorf("got %v, in all %v; want 7 s and 2 s", x.loading, x.loadingAll)
	}
}

// TestChoose: if the time does not suffice for all entries of a pass, the entries with the most
// executions so far get enough of it. An entry without a result is among them.
func TestChoose(t *testing.T) {
	x := &wholeRun{f: &exploreFlags{budget: time.Hour}, workers: 2}
	var todo []attempt
	for _, steps := range []int{30, 40, 10, 20, 40} {
		todo = append(todo, attempt{result: &explore.Result{Stats: explore.Stats{Stats: por.Stats{MaxDepth: steps, Transitions: 9}}}})
	}
	todo = append(todo, attempt{}, attempt{result: new(explore.Result)}, attempt{})
	for _, tt := range []struct {
		left time.Duration // of the budget
		want []int
	}{
		{time.Hour, []int{8, 7, 6, 5, 4, 3, 2, 1, 0}},
		{160 * time.Second, []int{5, 5, 5, 4, 3, 3, 2, 1, 0}},
		{100 * time.Second, []int{3, 3, 3, 3, 3, 3, 2, 1, 0}},
		{time.Second, []int{2, 2, 2, 2, 2, 2, 1, 1, 0}},
		{-time.Second, []int{2, 2, 2, 2, 2, 2, 1, 1, 0}},
	} {
		if got := x.choose(todo, time.Now().Add(tt.left), time.Minute); !slices.Equal(got, tt.want) {
			t.Errorf("%v: %v, want %v", tt.left, got, tt.want)
		}
	}
}

// TestTwoPasses: entries that a short search decides are reported first, and the undecided ones share the
// budget; if a bound is reached at once, the result of the first pass stays. Main functions come last.
func TestTwoPasses(t *testing.T) {
	defer func(d time.Duration) { firstTime = d }(firstTime)
	firstTime = glances * 150 * time.Millisecond
	t.Chdir(t.TempDir())
	src := `package main

import (
	"sync"
	"sync/atomic"
	"testing"
)

func main() {}

func TestWide(t *testing.T) {
	var n [4]atomic.Int64
	for range 4 {
		go func() {
			for i := range 40 {
				n[i%4].Add(1)
			}
		}()
	}
}

func TestBug(t *testing.T) {
	var wg sync.WaitGroup
	x := 0
	wg.Go(func() { x++ })
	x++
	wg.Wait()
}
`
	for name, text := range map[string]string{"main.go": "package main\n\nfunc main() {}\n", "wide_test.go": strings.Replace(src, "func main() {}\n", "", 1), "go.mod": "module two\n\ngo 1.26\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		args []string
		want string // the entries, in the order of their results
		why  string
	}{
		{[]string{"--budget", "700ms"}, "TestBug main TestWide", "its share (--budget)"},
		{[]string{"--timeout", "400ms"}, "TestBug main TestWide", "stopped after 400ms (--timeout)"},
		{[]string{"--timeout", "100ms"}, "TestWide TestBug main", "stopped after 100ms (--timeout)"},
		{[]string{"--no-main", "--timeout", "400ms"}, "TestBug TestWide", "stopped after 400ms (--timeout)"},
	} {
		var out, errs bytes.Buffer
		code := run(append([]string{"--html=off", "--scale=off", "--por=full", "--match=off", "--max-memory=1G"}, append(tt.args, ".")...), strings.NewReader(""), &out, &errs)
		var names []string
		for _, m := range regexp.MustCompile(`(?m)^(?:--- FAIL: |(?:ok|\?\?)  \ttwo\t)(\w+)`).FindAllStringSubmatch(out.String(), -1) {
			names = append(names, m[1])
		}
		if got := strings.Join(names, " "); code != exitBug || got != tt.want || !strings.Contains(out.String(), tt.why) {
			t.Errorf("%q: exit %d, %s, want %s and %q:\n%s%s", tt.args, code, got, tt.want, tt.why, &out, &errs)
		}
	}
}

// TestInOrder: results come in order, whatever the order of the ends; before waits for the results of all
// smaller numbers; an error ends the run.
func TestInOrder(t *testing.T) {
	for workers := 1; workers <= 4; workers++ {
		var done []int
		var mu sync.Mutex
		running, most := 0, 0
		q := &queue{group: func(i int) string { return fmt.Sprint(i / 7) }, after: func(i int) bool { return i%5 == 4 }}
		err := inOrder(workers, 20, q, func(i int, before func()) int {
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			switch {
			case i%5 == 4:
				before()
				if len(done) != i { // nothing is added until this number has a result
					t.Errorf("%d workers: %d begins after %v", workers, i, done)
				}
			case i%3 == 0:
				for range 1000 {
					runtime.Gosched()
				}
			}
			mu.Lock()
			running--
			mu.Unlock()
			return i * i
		}, func(i, v int) error {
			if v != i*i {
				t.Errorf("result %d of %d", v, i)
			}
			done = append(done, i)
			return nil
		})
		if err != nil || len(done) != 20 || !slices.IsSorted(done) || most > workers {
			t.Errorf("%d workers: %v, %v, %d at the same time", workers, err, done, most)
		}
		begun := 0
		q.after = func(int) bool { return true }
		err = inOrder(workers, 20, q, func(i int, before func()) int {
			mu.Lock()
			begun++
			mu.Unlock()
			before()
			return i
		}, func(i, v int) error { return io.ErrUnexpectedEOF })
		if err != io.ErrUnexpectedEOF || workers == 1 && begun > 3 {
			t.Errorf("%d workers: %v after %d", workers, err, begun)
		}
	}
}

// TestQueue: while the first number of a group is worked on, one of another group begins.
func TestQueue(t *testing.T) {
	groups := "aaabbc"
	q := &queue{group: func(i int) string { return groups[i : i+1] }, after: func(i int) bool { return i == 4 },
		begun: make([]bool, len(groups)), opened: make(map[string]bool)}
	var got []int
	for range 4 {
		got = append(got, q.next())
	}
	q.ended(3) // b
	got = append(got, q.next())
	q.ended(0) // a
	got = append(got, q.next(), q.next())
	// a and b begin, then c; all have begun then, and the smallest number is next. After b has ended, number 4
	// still comes after number 2.
	if want := []int{0, 3, 5, 1, 2, 4, -1}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestKept: a bug of the first pass is reported unless the second one decides otherwise.
func TestKept(t *testing.T) {
	verdict := func(v explore.Verdict) *explore.Result { return &explore.Result{Verdict: v} }
	stopped := func(executions uint64) *explore.Result {
		r := verdict(explore.Incomplete)
		r.Sampled, r.Incomplete = executions, []explore.Reason{{Cause: explore.CauseStopped, Text: "stopped"}}
		return r
	}
	for _, x := range []struct {
		earlier, r *explore.Result
		first      bool
	}{
		{nil, verdict(explore.Incomplete), false},
		{verdict(explore.Incomplete), verdict(explore.Incomplete), false},
		{verdict(explore.Fail), verdict(explore.Incomplete), true},
		{verdict(explore.Fail), verdict(explore.OK), false}, // the bug is a warning
		{verdict(explore.Fail), verdict(explore.Fail), false},
		{verdict(explore.OK), verdict(explore.Incomplete), false},
		{stopped(3), stopped(0), true},
		{stopped(3), stopped(1), false}, // it had more time
		{stopped(0), stopped(0), false},
		{stopped(3), verdict(explore.OK), false},
	} {
		want := x.r
		if x.first {
			want = x.earlier
		}
		if kept(x.earlier, x.r) != want {
			t.Errorf("after %+v, %s: the earlier one counts: %v, want %v", x.earlier, x.r.Verdict, !x.first, x.first)
		}
	}
}
