package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var dataRE = regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`)

// TestReplayedPage: the page of a replay file shows what that of the search does, whatever the schedule
// depends on.
func TestReplayedPage(t *testing.T) {
	for name, src := range map[string]string{
		"lock": `package main

import "sync"

func main() {
	var mu sync.RWMutex
	n := 0
	done := make(chan int, 1)
	go func() { mu.Lock(); n++; mu.Unlock(); done <- n }()
	mu.RLock()
	if n == 0 {
		panic("early")
	}
	mu.RUnlock()
	<-done
}
`,
		"facts": `package main

import "sync"

var x, y int

func main() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			mu.Lock()
			x++
			mu.Unlock()
			y := x
			x = y + 1
		})
	}
	wg.Wait()
	if x != 4 {
		panic("lost")
	}
}
`,
		"timers": `package main

import "time"

func main() {
	ready := make(chan bool)
	go func() { time.Sleep(time.Second); ready <- true }()
	select {
	case <-ready:
	case <-time.After(time.Second):
		panic("late")
	}
}
`,
		"inputs": `package main

import "hbcheck.dev/hbcheck/hbtest"

func main() {
	c := make(chan int)
	go func() { c <- hbtest.Nondet[int]() }()
	if x := <-c; x*3 == 51 && hbtest.Choose(3) == 2 {
		panic("found")
	}
}
`,
		"livelock": `package main

import (
	"runtime"
	"sync/atomic"
)

func main() {
	var turn atomic.Int32
	go func() {
		for turn.Load() != 2 {
			turn.CompareAndSwap(0, 1)
			runtime.Gosched()
		}
	}()
	for turn.Load() != 3 {
		turn.CompareAndSwap(1, 0)
		runtime.Gosched()
	}
}
`,
		"leak": `package main

import "sync"

func main() {
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	go func() { mu.Lock(); cond.Wait(); mu.Unlock() }()
	cond.Signal()
}
`,
	} {
		t.Run(name, func(t *testing.T) {
			// hbtest is found from inside the module.
			dir, err := os.MkdirTemp("testdata", "page")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(filepath.Join(start, dir)) })
			t.Chdir(dir)
			if err := os.WriteFile("main.go", []byte(src), 0o666); err != nil {
				t.Fatal(err)
			}
			samePages(t)
			if facts := samePages(t, "--hybrid=mhb"); !facts && name == "facts" {
				t.Error("the page has no static facts")
			}
		})
	}
}

var factRE = regexp.MustCompile(`"fact":\[([0-9,-]*)\]`)

// samePages explores main.go and compares the pages. It reports whether there are static facts on them.
func samePages(t *testing.T, flags ...string) (facts bool) {
	t.Helper()
	var out bytes.Buffer
	if code := run(append([]string{"--por=full", "--time=any", "main.go"}, flags...), strings.NewReader(""), &out, &out); code != exitBug {
		t.Fatalf("exit %d: %s", code, &out)
	}
	const hbr = ".hbcheck/main.1.hbr"
	if code := run([]string{"report", hbr, "-o", "again"}, strings.NewReader(""), &out, &out); code != exitOK {
		t.Fatalf("exit %d: %s", code, &out)
	}
	var pages [2][]byte
	for i, file := range []string{".hbcheck/main.1.html", "again/main.1.html"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m := dataRE.FindSubmatch(text)
		if m == nil {
			t.Fatalf("%s has no data", file)
		}
		pages[i] = m[1]
	}
	if !bytes.Equal(pages[0], pages[1]) {
		t.Errorf("%v: the data are\n%s\nand, of the replay file,\n%s", flags, pages[0], pages[1])
	}
	for _, n := range strings.Split(string(factRE.FindSubmatch(pages[0])[1]), ",") {
		facts = facts || n != "0" && n != "-1"
	}
	return facts
}
