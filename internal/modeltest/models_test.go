// Package modeltest explores programs about models of library functions with every explorer and
// every oracle: all of them agree on the effects on objects that goroutines share.
package modeltest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// A program is the body of a function. It writes its observations with print; FILE is the name of a file
// that contains "abcdefghij", and DIR is its directory.
type program struct {
	name string
	want string // its outcomes in order, separated by bars; "race": there is a data race
	body string
}

// large are programs with too many executions for explorers that repeat classes.
var large = map[string]bool{"pipeBegunTwice": true}

const head = `package main

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"iter"
	"log"
	"log/slog"
	"math/rand"
	randv2 "math/rand/v2"
	"net"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
	"weak"
)

// together runs f and g beside each other.
func together(f, g func()) {
	done := make(chan bool)
	go func() { f(); done <- true }()
	g()
	<-done
}

func main() {}

var (
	_ bytes.Buffer
	_ = fmt.Sprint
	_ maphash.Hash
	_ iter.Seq[int]
	_ = log.New
	_ = slog.New
	_ = rand.Int
	_ = randv2.Int
	_ = runtime.GC
	_ = debug.SetGCPercent
	_ = signal.Notify
	_ sync.Pool
	_ atomic.Int64
	_ unsafe.Pointer
	_ = syscall.Getpid
	_ time.Time
	_ weak.Pointer[int]
)
`

// Each want has the possible outputs; go run shows each of them in some of many runs.
var programs = []program{
	{"setenv", "1 1|1 2|2 2", `
		os.Setenv("A", "0")
		var a, b string
		together(
			func() { os.Setenv("A", "1"); a = os.Getenv("A") },
			func() { os.Setenv("A", "2"); b = os.Getenv("A") })
		print(a, " ", b)`},
	{"logBuffer", "a b|b a", `
		var b bytes.Buffer
		l := log.New(&b, "", 0)
		together(func() { l.Print("a") }, func() { l.Print("b") })
		print(strings.Join(strings.Fields(b.String()), " "))`},
	{"logSetOutput", "|a", `
		var b bytes.Buffer
		f, _ := os.Create("DIR/log")
		l := log.New(f, "", 0)
		together(func() { l.Print("a") }, func() { l.SetOutput(&b) })
		print(strings.TrimSpace(b.String()))`},
	{"slogBuffer", "level=INFO msg=a level=INFO msg=b|level=INFO msg=b level=INFO msg=a", `
		var b bytes.Buffer
		untimed := func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}
		l := slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: untimed}))
		together(func() { l.Info("a") }, func() { l.Info("b") })
		print(strings.Join(strings.Fields(b.String()), " "))`},
	{"unsetenv", "0 0|0 1", `
		os.Setenv("A", "1")
		n := 0
		together(func() { os.Unsetenv("A") }, func() {
			for _, s := range os.Environ() {
				if s == "A=1" {
					n++
				}
			}
		})
		_, ok := os.LookupEnv("A")
		if ok {
			panic("set")
		}
		print(0, " ", n)`},
	{"envOrders", "0|1", `
		x, y := 0, 0
		together(func() { x = 1; os.Setenv("A", "1") }, func() {
			if os.Getenv("A") == "1" {
				y = x
			}
		})
		print(y)`},
	{"fileMade", "made|none", `
		var err error
		together(func() { os.Create("DIR/m") }, func() { _, err = os.Stat("DIR/m") })
		if err == nil {
			print("made")
		} else {
			print("none")
		}`},
	{"fileRemoved", "removed|there", `
		s := "removed"
		together(func() { os.Remove("FILE") }, func() {
			if _, err := os.Stat("FILE"); err == nil {
				s = "there"
			}
		})
		print(s)`},
	{"dirMade", "made|none", `
		s := "none"
		together(func() { os.Mkdir("DIR/m", 0o777) }, func() {
			if _, err := os.Stat("DIR/m"); err == nil {
				s = "made"
			}
		})
		print(s)`},
	{"dirEntered", "made|none", `
		s := "none"
		together(func() { os.Mkdir("DIR/m", 0o777) }, func() {
			if _, err := os.Create("DIR/m/n"); err == nil {
				s = "made"
			}
		})
		print(s)`},
	{"modeOpened", "closed|open", `
		f, _ := os.Create("DIR/m")
		s := "open"
		together(func() { f.Chmod(0) }, func() {
			if _, err := os.Open("DIR/m"); err != nil {
				s = "closed"
			}
		})
		print(s)`},
	{"modeFollowed", "closed|open", `
		s := "open"
		together(func() { os.Chmod("DIR", 0) }, func() {
			if _, err := os.Stat("FILE"); err != nil {
				s = "closed"
			}
		})
		print(s)`},
	{"modeShown", "384|420", `
		f, _ := os.Create("DIR/m")
		n := uint32(0)
		together(func() { st, _ := f.Stat(); n = uint32(st.Mode()) }, func() { os.Chmod("DIR/m", 0o600) })
		print(n)`},
	{"linked", "1|2", `
		f, _ := os.Create("DIR/m")
		n := uint64(0)
		together(func() { os.Link("DIR/m", "DIR/n") }, func() { st, _ := f.Stat(); n = st.Sys().(*syscall.Stat_t).Nlink })
		print(n)`},
	{"renamedOver", "0|1", `
		f, _ := os.Create("DIR/m")
		os.WriteFile("DIR/n", nil, 0o600)
		n := uint64(0)
		together(func() { os.Rename("DIR/n", "DIR/m") }, func() { st, _ := f.Stat(); n = st.Sys().(*syscall.Stat_t).Nlink })
		print(n)`},
	{"umaskMade", "384|420", `
		together(func() { syscall.Umask(0o077) }, func() { os.WriteFile("DIR/m", nil, 0o666) })
		st, _ := os.Stat("DIR/m")
		print(uint32(st.Mode()))`},
	{"dirClimbed", "made|none", `
		s := "none"
		together(func() {
			if _, err := os.Stat("DIR/m/../n"); err == nil {
				s = "made"
			}
		}, func() { os.Mkdir("DIR/m", 0o777); os.Create("DIR/n"); os.Remove("DIR/n") })
		print(s)`},
	{"dirLeft", "true", `
		os.Mkdir("DIR/m", 0o777)
		os.Chdir("DIR/m")
		os.Create("n")
		os.Rename("DIR/m", "DIR/o")
		_, err := os.Stat("n")
		os.Chdir("/")
		print(err == nil)`},
	// Each execution is cut where the directory is renamed.
	{"dirInUse", "", `
		os.Mkdir("DIR/m", 0o777)
		f, _ := os.Open("DIR/m")
		var list []string
		together(func() { os.Rename("DIR/m", "DIR/n"); os.Create("DIR/n/o") }, func() { list, _ = f.Readdirnames(-1) })
		print(len(list))`},
	// An execution is cut where the directory is renamed while it is being opened.
	{"dirOpening", "|-1|1", `
		os.Mkdir("DIR/m", 0o777)
		os.Create("DIR/m/o")
		n := -1
		together(func() { os.Rename("DIR/m", "DIR/n") }, func() {
			if fd, err := syscall.Open("DIR/m", syscall.O_RDONLY, 0); err == nil {
				f := os.NewFile(uintptr(fd), "m")
				list, _ := f.Readdirnames(-1)
				f.Close()
				n = len(list)
			}
		})
		print(n)`},
	{"contents", "ab|b|ba", `
		f, _ := os.OpenFile("DIR/m", os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
		g, _ := os.OpenFile("DIR/m", os.O_WRONLY|os.O_APPEND, 0)
		var b [2]byte
		n := 0
		together(func() { f.WriteString("a") }, func() {
			g.WriteString("b")
			h, _ := os.Open("DIR/m")
			n, _ = h.Read(b[:])
		})
		print(string(b[:n]))`},
	{"chdir", "/|DIR", `
		together(func() { os.Chdir("/") }, func() { os.Chdir("DIR") })
		buf := make([]byte, 200)
		n, _ := syscall.Getcwd(buf)
		print(string(buf[:n-1]))`},
	{"relative", "false|true", `
		os.Chdir("DIR")
		var err error
		together(func() { os.Chdir("/") }, func() { _, err = os.Stat("data.txt") })
		print(err == nil)`},
	{"reads", "abc def|def abc", `
		f, _ := os.Open("FILE")
		a, b := make([]byte, 3), make([]byte, 3)
		together(func() { f.Read(a) }, func() { f.Read(b) })
		print(string(a), " ", string(b))`},
	{"oneBuffer", "def", `
		f, _ := os.Open("FILE")
		a := make([]byte, 3)
		together(func() { f.Read(a) }, func() { f.Read(a) })
		print(string(a))`},
	{"readSeek", "abc|fgh", `
		f, _ := os.Open("FILE")
		a := make([]byte, 3)
		together(func() { f.Read(a) }, func() { f.Seek(5, 0) })
		print(string(a))`},
	{"seeks", "2|7", `
		fd, _ := syscall.Open("FILE", 0, 0)
		n := int64(0)
		together(func() { syscall.Seek(fd, 5, 0) }, func() { n, _ = syscall.Seek(fd, 2, 1) })
		print(n)`},
	{"readClose", "0 true|3 false", `
		f, _ := os.Open("FILE")
		n, err := 0, error(nil)
		together(func() { f.Close() }, func() { n, err = f.Read(make([]byte, 3)) })
		print(n, " ", err != nil)`},
	{"closeRead", "0 true|3 false", `
		f, _ := os.Open("FILE")
		n, err := 0, error(nil)
		together(func() { n, err = f.Read(make([]byte, 3)) }, func() { f.Close() })
		print(n, " ", err != nil)`},
	{"closeTwice", "false true|true false", `
		f, _ := os.Open("FILE")
		var e1, e2 error
		together(func() { e1 = f.Close() }, func() { e2 = f.Close() })
		print(e1 == nil, " ", e2 == nil)`},
	{"opens", "3 4|4 3", `
		var a, b *os.File
		together(func() { a, _ = os.Open("FILE") }, func() { b, _ = os.Open("FILE") })
		print(a.Fd(), " ", b.Fd())`},
	{"closeOpen", "3|4", `
		a, _ := os.Open("FILE")
		var b *os.File
		together(func() { a.Close() }, func() { b, _ = os.Open("FILE") })
		print(b.Fd())`},
	{"rawFiles", "abc def|def abc", `
		fd, _ := syscall.Open("FILE", 0, 0)
		a, b := make([]byte, 3), make([]byte, 3)
		together(func() { syscall.Read(fd, a) }, func() { syscall.Read(fd, b) })
		print(string(a), " ", string(b))`},
	{"rawClose", "-1|3", `
		fd, _ := syscall.Open("FILE", 0, 0)
		n := 0
		together(func() { syscall.Close(fd) }, func() { n, _ = syscall.Read(fd, make([]byte, 3)) })
		print(n)`},
	{"rawCloseTwice", "false true|true false", `
		fd, _ := syscall.Open("FILE", 0, 0)
		var e1, e2 error
		together(func() { e1 = syscall.Close(fd) }, func() { e2 = syscall.Close(fd) })
		print(e1 == nil, " ", e2 == nil)`},
	{"umask", "1 18|18 2", `
		var a, b int
		together(func() { a = syscall.Umask(2) }, func() { b = syscall.Umask(1) })
		print(a, " ", b)`},
	{"procs", "2 4|4 3", `
		var a, b int
		together(func() { a = runtime.GOMAXPROCS(3) }, func() { b = runtime.GOMAXPROCS(2) })
		runtime.GOMAXPROCS(4)
		print(a, " ", b)`},
	{"gcPercent", "100 3|2 100", `
		var a, b int
		together(func() { a = debug.SetGCPercent(3) }, func() { b = debug.SetGCPercent(2) })
		print(a, " ", b)`},
	{"poolNew", "race", `
		var p sync.Pool
		together(func() { p.New = func() any { return 1 } }, func() { p.Get() })`},
	{"poolPut", "", `
		var p sync.Pool
		together(func() { p.New = func() any { return 1 } }, func() { p.Put(1) })`},
	{"sharedRand", "race", `
		r := rand.New(rand.NewSource(1))
		together(func() { r.Int() }, func() { r.Int() })`},
	{"pcg", "race", `
		r := randv2.NewPCG(1, 2)
		together(func() { r.Uint64() }, func() { r.Uint64() })`},
	{"global", "", `
		together(func() { rand.Int(); rand.Intn(100); randv2.IntN(1000) }, func() { rand.Float64(); randv2.Float32() })`},
	{"sharedHash", "race", `
		var h maphash.Hash
		together(func() { h.WriteString("a") }, func() { h.WriteString("b") })`},
	{"hashBytes", "race", `
		b, seed := make([]byte, 9), maphash.MakeSeed()
		together(func() { b[3] = 1 }, func() { maphash.Bytes(seed, b) })`},
	{"pull", "race", `
		next, stop := iter.Pull(func(yield func(int) bool) { _ = yield(1) && yield(2) })
		together(func() { next() }, func() { next() })
		stop()`},
	{"pullLocked", "1 2|2 1", `
		next, stop := iter.Pull(func(yield func(int) bool) { _ = yield(1) && yield(2) })
		var mu sync.Mutex
		var a, b int
		together(func() { mu.Lock(); a, _ = next(); mu.Unlock() }, func() { mu.Lock(); b, _ = next(); mu.Unlock() })
		stop()
		print(a, " ", b)`},
	{"ignored", "false|true", `
		ok := false
		together(func() { signal.Ignore(syscall.SIGUSR1) }, func() { ok = signal.Ignored(syscall.SIGUSR1) })
		print(ok)`},
	{"notified", "false|true", `
		ok := false
		signal.Ignore(syscall.SIGUSR1)
		together(func() { signal.Notify(make(chan os.Signal, 1), syscall.SIGUSR1) }, func() { ok = signal.Ignored(syscall.SIGUSR1) })
		print(ok)`},
	{"mapRange", "|0|02|2", `
		var m sync.Map
		m.Store(0, 0)
		s := ""
		together(func() { m.Range(func(k, _ any) bool { s += fmt.Sprint(k); return true }) }, func() { m.Delete(0); m.Store(2, 0) })
		print(s)`},
	// These programs test conditions that other parts of hbcheck require of models.
	{"pool", "false false|false true|true false", `
		var p sync.Pool
		var a, b bool
		together(func() { a = p.Get() != nil; p.Put(1) }, func() { b = p.Get() != nil; p.Put(2) })
		print(a, " ", b)`},
	{"poolCollected", "false|true", `
		var p sync.Pool
		x := new([9]int)
		w := weak.Make(x)
		gone := false
		together(func() { runtime.GC(); runtime.GC(); gone = w.Value() == nil }, func() { p.Put(x); x = nil })
		print(gone)`},
	{"poolOnce", "false true|true true", `
		var p sync.Pool
		p.Put(1)
		runtime.GC()
		print(p.Get() == nil)
		p.Put(1)
		runtime.GC()
		runtime.GC()
		print(" ", p.Get() == nil)`},
	{"poolTaken", "false|true", `
		var p sync.Pool
		x := new([9]int)
		w := weak.Make(x)
		p.Put(x)
		x = nil
		var y any
		together(func() { runtime.GC(); runtime.GC() }, func() { y = p.Get() })
		print(w.Value() == nil)
		runtime.KeepAlive(y)`},
	{"localZone", "Local|UTC", `
		os.Unsetenv("TZ")
		s := ""
		together(func() { os.Setenv("TZ", "") }, func() { s = time.Local.String() })
		print(s)`},
	{"casts", "1 2|2 1", `
		var x int64
		p := (*atomic.Int64)(unsafe.Pointer(&x))
		var a, b int64
		together(func() { a = p.Add(1) }, func() { b = atomic.AddInt64(&x, 1) })
		print(a, " ", b)`},
	{"sleepers", "1 2|2 1|2 2", `
		t := time.Now()
		c := make(chan int, 2)
		for i := range 2 {
			go func() { time.Sleep(time.Duration(i+1) * time.Second); c <- int(time.Since(t) / time.Second) }()
		}
		a := <-c
		print(a, " ", <-c)`},
	{"unmarshal", "race", `
		var t time.Time
		together(func() { t.UnmarshalText([]byte("2020-01-02T03:04:05Z")) }, func() { t.Year() })`},
	{"format", "", `
		t := time.Now()
		together(func() { _ = t.String() }, func() { _ = t.In(time.Local).Format(time.RFC3339) })`},
	{"memStats", "race", `
		var m runtime.MemStats
		together(func() { runtime.ReadMemStats(&m) }, func() { runtime.ReadMemStats(&m) })`},
	{"stack", "race", `
		b := make([]byte, 100)
		together(func() { runtime.Stack(b, false) }, func() { b[5] = 1 })`},
	{"stackAll", "race", `
		b := make([]byte, 100)
		together(func() { runtime.Stack(b, true) }, func() { b[5] = 1 })`},
	{"callers", "race", `
		b := make([]uintptr, 3)
		together(func() { runtime.Callers(0, b) }, func() { b[0] = 1 })`},
	{"stat", "race", `
		var st syscall.Stat_t
		together(func() { syscall.Stat("/", &st) }, func() { st.Size = 1 })`},
	{"readBuffer", "race", `
		f, _ := os.Open("FILE")
		b := make([]byte, 3)
		together(func() { f.Read(b) }, func() { b[0] = 'x' })`},
	{"readFiles", "abcdefghij abcdefghij", `
		var a, b []byte
		together(func() { a, _ = os.ReadFile("FILE") }, func() { b, _ = os.ReadFile("FILE") })
		print(string(a), " ", string(b))`},
	{"fileOrders", "0|3", `
		a, b, f := 0, 0, "DIR/orders"
		w, _ := os.Create(f)
		done := make(chan bool, 2)
		go func() { a = 1; w.Write([]byte("x")); done <- true }()
		go func() { b = 2; w.Write([]byte("y")); done <- true }()
		n := 0
		if s, _ := os.ReadFile(f); len(s) == 2 {
			n = a + b
		}
		<-done
		<-done
		print(n)`},
	{"fileOrdersOnly", "race", `
		a, f := 0, "DIR/only"
		w, _ := os.Create(f)
		together(func() { w.Write([]byte("x")); a = 1 }, func() { os.ReadFile(f); a = 2 })
		print(a)`},
	{"readDir", "1 1", `
		var a, b []os.DirEntry
		together(func() { a, _ = os.ReadDir("DIR") }, func() { b, _ = os.ReadDir("DIR") })
		print(len(a), " ", len(b))`},
}

func load1(t *testing.T) (*load.Program, func(string) string) {
	files := t.TempDir()
	if err := os.WriteFile(filepath.Join(files, "data.txt"), []byte("abcdefghij"), 0o666); err != nil {
		t.Fatal(err)
	}
	names := strings.NewReplacer("FILE", filepath.Join(files, "data.txt"), "DIR", files)
	src := head + connHead + pipeHead + rawHead + watchHead + collectorHead
	for _, p := range programs {
		src += fmt.Sprintf("\nfunc %s() {%s\n}\n", p.name, names.Replace(p.body))
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.26\n", "main.go": src} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := load.Load(load.Config{Dir: dir, Implicit: []string{"runtime"}, Cache: &vmtest.Cache})
	if err != nil {
		t.Fatal(err)
	}
	return prog, names.Replace
}

// TestModels: every search finds the outcomes and the races that there are, and no others.
func TestModels(t *testing.T) {
	prog, name := load1(t)
	for i, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			e, err := prog.Lookup(p.name)
			if err != nil {
				t.Fatal(err)
			}
			all := explorers.Exhaustive()
			for k, x := range all {
				if x.Run == nil || !deep.Every(len(all), i+k) || large[p.name] && (x.Name == "clockvector" || x.Name == "graph") {
					continue
				}
				for _, h := range []oracle.Kind{oracle.None, oracle.FieldAccess, oracle.MHB, oracle.Full} {
					if h != oracle.None && !*every {
						continue
					}
					if got := explore(t, prog, e, x, h); got != name(p.want) {
						t.Errorf("%s, hybrid %s: %s, want %s", x.Name, h, got, name(p.want))
					}
				}
			}
		})
	}
}

func explore(t *testing.T, prog *load.Program, e *load.Entry, x *por.Explorer, h oracle.Kind) string {
	m, err := vm.New(prog, e, vm.Config{VisibleOutput: true, Races: true, MaxStack: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return exploreMachine(t, m, prog, e, x, h)
}

func exploreMachine(t *testing.T, m *vm.Machine, prog *load.Program, e *load.Entry, x *por.Explorer, h oracle.Kind) string {
	cfg := por.Config{Match: x.Stateful, MaxExecutions: 10_000}
	if h != oracle.None {
		cfg.Oracle, cfg.AnyGoroutine = oracle.New(m, prog, e, h), true
	}
	v := &ends{m: m, set: map[string]bool{}}
	r := x.Explore(m, v, cfg)
	if len(r.Incomplete) > 0 {
		t.Errorf("%s, hybrid %s: incomplete: %v", x.Name, h, r.Incomplete)
	}
	if v.race {
		return "race"
	}
	return strings.Join(slices.Sorted(maps.Keys(v.set)), "|")
}

// TestOperations: the operations of natives in the programs are those that package trace declares.
func TestOperations(t *testing.T) {
	prog, _ := load1(t)
	x := explorers.Lookup("random")
	for i, p := range programs {
		if !deep.Every(6, i) {
			continue
		}
		e, err := prog.Lookup(p.name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := vm.New(prog, e, vm.Config{VisibleOutput: true, MaxStack: 1 << 20, Check: vm.CheckState})
		if err != nil {
			t.Fatal(err)
		}
		x.Explore(m, &ends{m: m, set: map[string]bool{}}, por.Config{MaxExecutions: 4})
	}
}

// ends collects how executions end.
type ends struct {
	m    *vm.Machine
	set  map[string]bool
	race bool
}

// Leaf implements por.Visitor.
func (v *ends) Leaf(_ trace.Schedule, st por.Status) bool {
	s := strings.TrimSuffix(v.m.Report().Output(2), "\n")
	if f := v.m.Report().Fault(); f != nil {
		s += " " + f.Message
	}
	v.set[s] = true
	return true
}

// Race implements por.Visitor.
func (v *ends) Race(trace.Schedule, trace.Op, trace.Op) bool {
	v.race = true
	return false
}

// Raced implements por.RaceVisitor.
func (v *ends) Raced(trace.Schedule) bool {
	v.race = true
	return false
}

// Livelock implements por.Visitor.
func (v *ends) Livelock(trace.Schedule, int) bool { return true }

// Restart implements por.Visitor.
func (v *ends) Restart() {}
