package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var dataRE = regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`)

// TestReplayedPage: the page of a replay file equals the page of the search, for all dependences of a
// schedule.
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

// TestPages127: pages of programs with new features of Go 1.27 show operations at their positions, and the
// schedules are replayed.
func TestPages127(t *testing.T) {
	needsRelease(t, "go127")
	ar, err := txtar.ParseFile("testdata/dap/go127.txtar")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.CopyFS(".", must(txtar.FS(ar))); err != nil {
		t.Fatal(err)
	}
	source := must(os.ReadFile("new_test.go"))
	var out bytes.Buffer
	run([]string{"-o", "out", "--run", "^(TestGenericMethod|TestPromotedField|TestJSON)$", "."}, strings.NewReader(""), &out, &out)
	for name, want := range map[string][]string{ // operations, and text of their lines
		"TestGenericMethod": {"read b.n in (*Box).Apply", "return f(b.n)", "write b.n in (*Box).Set", "b.n = int(v)"},
		"TestPromotedField": {"read b.n in TestPromotedField", "if b.n == 0", "write b.n in TestPromotedField.func1", "go func() { b.n++ }()"},
		"TestJSON":          {"read stored in TestJSON.func1", "json.Unmarshal(stored", "write stored in TestJSON.func1", "stored, _ = json.Marshal(a)"},
	} {
		page, err := os.ReadFile(filepath.Join("out", name+".1.html"))
		if err != nil {
			t.Errorf("%v\n%s", err, &out)
			continue
		}
		var data struct {
			Kinds [][]string
			Texts []string
			Sites [][5]int // kind, what, function, file, line
		}
		if err := json.Unmarshal(dataRE.FindSubmatch(page)[1], &data); err != nil {
			t.Fatal(err)
		}
		found := make(map[string]bool)
		for _, s := range data.Sites {
			if s[1] >= 0 && s[2] >= 0 {
				found[fmt.Sprintf("%s %s in %s at %d", data.Kinds[s[0]][0], data.Texts[s[1]], data.Texts[s[2]], s[4])] = true
			}
		}
		for i := 0; i < len(want); i += 2 {
			before, _, _ := strings.Cut(string(source), want[i+1])
			if w := fmt.Sprintf("%s at %d", want[i], strings.Count(before, "\n")+1); !found[w] {
				t.Errorf("%s: the page has no %q, but %v", name, w, found)
			}
		}
		out.Reset()
		if code := run([]string{"replay", "out/" + name + ".1.hbr"}, strings.NewReader(""), &out, &out); code != exitBug {
			t.Errorf("%s: the replay has exit status %d:\n%s", name, code, &out)
		}
	}
}
