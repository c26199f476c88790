package modeltest

import (
	"os"
	"path/filepath"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/oracle"
	"hbcheck.dev/hbcheck/por/explorers"
	"hbcheck.dev/hbcheck/vm"
)

// initialisers are packages whose initialisers start goroutines or have choices: the code after that is
// explored.
var initialisers = []struct{ name, want, source string }{
	{"lost", "1|2|4|5", `
import "sync/atomic"
var n = func() int32 {
	var n atomic.Int32
	done := make(chan bool, 2)
	for i := range 2 {
		go func() { n.Store(n.Load()*2 + int32(i) + 1); done <- true }()
	}
	<-done
	<-done
	return n.Load()
}()
func main() { print(n) }`},
	{"race", "race", `
import "sync"
var x int
func init() {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { x++ })
	}
	wg.Wait()
}
func main() { print(x) }`},
	// The empty outcome is a deadlock.
	{"inverted", "|done", `
import "sync"
var a, b sync.Mutex
func init() {
	done := make(chan bool)
	go func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock(); done <- true }()
	b.Lock(); a.Lock(); a.Unlock(); b.Unlock()
	<-done
}
func main() { print("done") }`},
	{"later", "0 0|0 1|1 1", `
import "m/starts"
var seen = starts.X.Load()
func main() { print(seen, " ", starts.X.Load()) }`},
	{"timer", "0|1", `
import ("sync/atomic"; "time")
var x atomic.Int32
var _ = time.AfterFunc(0, func() { x.Store(1) })
var seen = x.Load()
func main() { print(seen) }`},
	// Facts that only the initialiser needs have to be known when its program is linked.
	{"counted", "1|2", `
import "runtime"
var _ = func() int { go func() {}(); print(runtime.NumGoroutine()); return 0 }()
func main() {}`},
	// An initialiser without goroutines can have choices, too.
	{"selected", "1|2", `
var got = func() int {
	a, b := make(chan int, 1), make(chan int, 1)
	a <- 1
	b <- 2
	select {
	case x := <-a:
		return x
	case x := <-b:
		return x
	}
}()
func main() { print(got) }`},
	{"drawn", "0 0|0 1|1 0|1 1|2 0|2 1", `
import "math/rand/v2"
var got, once = rand.IntN(3), rand.IntN(2)
func main() { print(got, " ", once) }`},
	{"pooled", "0|1", `
import "sync"
var pool = sync.Pool{New: func() any { return 0 }}
var got = func() int { pool.Put(1); return pool.Get().(int) }()
func main() { print(got) }`},
	// If there are many objects, Pools return the last one put, and the verdict says so.
	{"pooledOften", "5", `
import "sync"
var pool = sync.Pool{New: func() any { return 0 }}
var got = func() int {
	for range 5 {
		pool.Put(pool.Get().(int) + 1)
	}
	return pool.Get().(int)
}()
func main() { print(got) }`},
	{"pooledLater", "5 0|5 5", `
import "sync"
var pool = sync.Pool{New: func() any { return 0 }}
var done = make(chan bool)
func init() {
	go func() { done <- true }()
	<-done
	for range 5 {
		pool.Put(pool.Get().(int) + 1)
	}
	got = pool.Get().(int)
	pool.Put(got)
}
var got int
func main() { print(got, " ", pool.Get().(int)) }`},
	// A timer may fire before the next operation, after it, or while main sleeps.
	{"fired", "false|true", `
import "time"
var fired = func() bool {
	t := time.NewTimer(time.Microsecond)
	select {
	case <-t.C:
		return true
	default:
		return false
	}
}()
func main() { print(fired) }`},
	{"stopped", "false|true", `
import "time"
var stopped = time.AfterFunc(time.Microsecond, func() {}).Stop()
func main() { print(stopped) }`},
	{"slept", "false|true", `
import "time"
var fired = func() bool {
	t := time.NewTimer(time.Microsecond)
	time.Sleep(2 * time.Microsecond)
	select {
	case <-t.C:
		return true
	default:
		return false
	}
}()
func main() { print(fired) }`},
	// A due timer wakes an initialiser that waits for it.
	{"finalized", "done", `
import "runtime"
var _ = func() bool {
	c := make(chan bool)
	p := new([4]int)
	runtime.SetFinalizer(p, func(*[4]int) { close(c) })
	p = nil
	return <-c
}()
func main() { print("done") }`},
	// While a coroutine runs, its caller waits.
	{"pulled", "3", `
import "iter"
var x int
func init() {
	next, stop := iter.Pull(func(yield func(int) bool) { x++; yield(1); x++ })
	next(); next()
	stop()
	x++
}
func main() { print(x) }`},
	// Of two initialisers that start goroutines the first ends the sequential part.
	{"twice", "1 1|1 3|3 1|3 3", `
import "sync/atomic"
var x, y atomic.Int32
var done = make(chan bool)
func init() { go func() { x.Add(2); done <- true }() }
func init() { go func() { y.Add(2); done <- true }() }
func main() { a, b := x.Load(), y.Load(); <-done; <-done; print(a|1, " ", b|1) }`},
}

// confluent are initialisers that start goroutines. If alone is set, these end before main continues, and
// other schedules make no difference, so that the entry begins with main alone.
var confluent = []struct {
	name, want string
	alone      bool
	source     string
}{
	{"registers", "3", true, `
var sum int
func register(n int) {
	c := make(chan int, 2)
	go func() {
		for i := range n { c <- i }
		close(c)
	}()
	for x := range c { sum += x }
}
func init() { register(1); register(3) }
func main() { print(sum) }`},
	{"meets", "1 5", true, `
var a, b int
func init() {
	c, d := make(chan int), make(chan int)
	go func() { a = <-c; d <- 5 }()
	c <- 1
	b = <-d
}
func main() { print(a, " ", b) }`},
	{"locked", "2", true, `
import "sync"
var mu sync.Mutex
var n int
func init() {
	done := make(chan bool)
	go func() { mu.Lock(); n++; mu.Unlock(); done <- true }()
	<-done
	mu.Lock(); n++; mu.Unlock()
}
func main() { print(n) }`},
	{"locks", "1 2|2 1", false, `
import "sync"
var mu sync.Mutex
var n, a, b int
func init() {
	done := make(chan bool)
	go func() { mu.Lock(); n++; a = n; mu.Unlock(); done <- true }()
	mu.Lock(); n++; b = n; mu.Unlock()
	<-done
}
func main() { print(a, " ", b) }`},
	{"senders", "1 2|2 1", false, `
var a, b int
func init() {
	c := make(chan int)
	go func() { c <- 1 }()
	go func() { c <- 2 }()
	a, b = <-c, <-c
}
func main() { print(a, " ", b) }`},
	// The goroutine of the second part stays: entries begin after the first part.
	{"stays", "3 0|3 1", false, `
import "sync/atomic"
var sum int
var x atomic.Int32
func init() {
	c := make(chan int, 2)
	go func() { c <- 1; c <- 2; close(c) }()
	for x := range c { sum += x }
}
func init() { go func() { x.Store(1); select {} }() }
func main() { print(sum, " ", x.Load()) }`},
	{"afterwards", "0|1", false, `
import "sync/atomic"
var x atomic.Int32
func init() {
	c := make(chan int)
	go func() { c <- 1; x.Store(1) }()
	<-c
}
func main() { print(x.Load()) }`},
	// The first goroutine moves while main waits for the second one, but need not.
	{"unwaited", "0|1", false, `
import "sync/atomic"
var x atomic.Int32
func init() {
	c := make(chan int)
	go func() { x.Store(1) }()
	go func() { c <- 1 }()
	<-c
}
func main() { print(x.Load()) }`},
	// The goroutine receives a value that was sent before it was started, and does not wait for later
	// events.
	{"old", "0|1", false, `
import "sync/atomic"
var x atomic.Int32
var got int32
func init() {
	c, done := make(chan int, 3), make(chan bool)
	c <- 1
	go func() { <-c; got = x.Load(); done <- true }()
	x.Store(1)
	c <- 2
	<-done
}
func main() { print(got) }`},
	{"reads", "0|1", false, `
import "sync/atomic"
var x atomic.Int32
var got int32
func init() {
	done := make(chan bool)
	go func() { got = x.Load(); done <- true }()
	x.Store(1)
	<-done
}
func main() { print(got) }`},
	{"closes", "race", false, `
var what = func() (s string) {
	c, done := make(chan int, 1), make(chan bool)
	go func() { close(c); done <- true }()
	func() {
		defer func() {
			if s = "sent"; recover() != nil { s = "panic" }
		}()
		c <- 1
	}()
	<-done
	return s
}()
func main() { print(what) }`},
	{"looks", "0|1|2", false, `
var n = func() int {
	c, done := make(chan int, 2), make(chan bool)
	go func() { c <- 1; c <- 2; done <- true }()
	n := len(c)
	<-done
	return n
}()
func main() { print(n) }`},
	{"selects", "1 2|2 1", false, `
var a, b int
func init() {
	c, d, done, sent := make(chan int), make(chan int), make(chan bool), make(chan bool)
	go func() {
		for _, p := range []*int{&a, &b} {
			select {
			case *p = <-c:
			case *p = <-d:
			}
		}
		done <- true
	}()
	go func() { d <- 2; sent <- true }()
	c <- 1
	<-done
	<-sent
}
func main() { print(a, " ", b) }`},
	// Large draws have labels, which the base state keeps.
	{"labelled", "7 true", true, `
import "math/rand/v2"
var drawn = rand.Uint64()
var sum int
func init() {
	c := make(chan uint64, 1)
	go func() { c <- drawn; c <- 7 }()
	kept = <-c
	sum = int(<-c)
}
var kept uint64
func main() { print(sum, " ", kept == drawn) }`},
	{"group", "10", true, `
import "sync"
var n [4]int
var sum int
func init() {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { n[i] = i + 1 })
	}
	wg.Wait()
	for _, x := range n { sum += x }
}
func main() { print(sum) }`},
	{"sweeps", "race", false, `
import "sync"
var n [300]int
func init() {
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range n { n[i] = i }
	})
	wg.Go(func() { n[150] = 1 })
	wg.Wait()
}
func main() { print(len(n)) }`},
	{"groupagain", "9", true, `
import "sync"
var a, b, d int
func init() {
	var wg sync.WaitGroup
	c := make(chan int)
	go func() { d = <-c; c <- 0 }()
	for i, p := range []*int{&a, &b} {
		wg.Add(1)
		wg.Add(1)
		go func() { *p += i + 3; wg.Done() }()
		go func() { wg.Done() }()
		wg.Wait()
	}
	c <- 2
	<-c
}
func main() { print(a + b + d) }`},
	// An Add that nothing orders with a Wait races with it.
	{"groupadds", "race", false, `
import "sync"
func init() {
	var wg sync.WaitGroup
	c, done := make(chan bool), make(chan bool, 1)
	go func() { wg.Add(1); wg.Done(); done <- true }()
	go func() { c <- true }()
	<-c
	wg.Wait()
	<-done
}
func main() { print("done") }`},
	// The empty outcome is a deadlock.
	{"groupwaits", "|done", false, `
import "sync"
func init() {
	var wg sync.WaitGroup
	c, done := make(chan bool), make(chan bool)
	go func() { wg.Add(1); <-c; wg.Done(); done <- true }()
	wg.Wait()
	c <- true
	<-done
}
func main() { print("done") }`},
	{"groupnegative", "done|panic", false, `
import "sync"
var what = "done"
func init() {
	var wg sync.WaitGroup
	c, d := make(chan bool, 1), make(chan bool, 1)
	go func() { wg.Add(1); c <- true }()
	go func() {
		defer func() {
			if recover() != nil { what = "panic" }
			d <- true
		}()
		wg.Done()
	}()
	<-c
	<-d
}
func main() { print(what) }`},
	{"groupcopied", "race", false, `
import "sync"
type pair struct { wg sync.WaitGroup; n int }
func init() {
	p := &pair{}
	done := make(chan bool, 1)
	p.wg.Add(1)
	go func() { q := *p; q.n++; done <- true }()
	go func() { p.wg.Done() }()
	p.wg.Wait()
	<-done
}
func main() { print("done") }`},
	// Other goroutines see none, one, or both of the templates, which are added one after the other.
	{"parsed", "0|1|2|3", false, `
import "text/template"
var n = func() (n int) {
	t := template.New("")
	done := make(chan bool)
	go func() {
		for _, t := range t.Templates() {
			switch t.Name() {
			case "a":
				n |= 1
			case "b":
				n |= 2
			}
		}
		done <- true
	}()
	t.Parse("{{define ` + "`a`}}{{end}}{{define `b`" + `}}{{end}}")
	<-done
	return n
}()
func main() { print(n) }`},
	{"idle", "done", true, `
func init() { go func() {}() }
func main() { print("done") }`},
	{"ended", "1", true, `
import "os"
var n = func() int {
	c := make(chan int, 1)
	go func() { c <- 1 }()
	<-c
	if len(os.Args) > 99 { os.Exit(3) }
	return 1
}()
func main() { print(n) }`},
	{"room", "3", true, `
var sum int
func init() {
	c, d := make(chan int, 1), make(chan int)
	go func() { c <- 1; c <- 2; d <- 0 }()
	sum = <-c + <-c
	<-d
}
func main() { print(sum) }`},
	// Nothing orders the first goroutine's Store before the Load. The other goroutines take the
	// places of those that have ended.
	{"unjoined", "0|1", false, `
import "sync/atomic"
var x atomic.Int32
var got int32
func init() {
	c := make(chan bool)
	go func() { x.Store(1) }()
	for range 20 {
		go func() { c <- true }()
		<-c
	}
	got = x.Load()
}
func main() { print(got) }`},
	{"compares", "false", true, `
import "time"
var late bool
func init() {
	start, done := time.Now(), make(chan bool)
	go func() { late = time.Since(start) > time.Hour; done <- true }()
	<-done
}
func main() { print(late) }`},
	{"nested", "7", true, `
var sum int
func init() {
	c := make(chan int)
	go func() {
		d := make(chan int, 3)
		go func() { d <- 3; d <- 4; close(d) }()
		n := 0
		for x := range d { n += x }
		c <- n
	}()
	sum = <-c
}
func main() { print(sum) }`},
}

// TestConfluent: entries begin after initialisers whose goroutines have one outcome, and no outcome is lost.
func TestConfluent(t *testing.T) {
	files := map[string]string{}
	for _, p := range confluent {
		files[p.name+"/main.go"] = "package main\n" + p.source + "\n"
	}
	prog := loadModule(t, files)
	for i, p := range confluent {
		t.Run(p.name, func(t *testing.T) {
			e, err := prog.Lookup("m/" + p.name + ".main")
			if err != nil {
				t.Fatal(err)
			}
			for _, forks := range []bool{false, true} {
				cfg := vm.Config{VisibleOutput: true, Races: true, MaxStack: 1 << 20, ForkInits: forks, Check: vm.CheckState}
				for k, x := range explorers.Exhaustive() {
					if x.Run == nil || !deep.Every(4, i+k) {
						continue
					}
					m, err := vm.New(prog, e, cfg)
					if err != nil {
						t.Fatal(err)
					}
					if alone := len(m.Report().Goroutines()) <= 1; !forks && alone != p.alone {
						t.Errorf("main is alone: %t", alone)
					}
					if got := exploreMachine(t, m, prog, e, x, oracle.None); got != p.want {
						t.Errorf("%s, forks %t: %s, want %s", x.Name, forks, got, p.want)
					}
				}
			}
		})
	}
}

// TestConfluentMany: an initialiser that starts thousands of goroutines, one after the other, can
// be interrupted. If it is not, all of them have ended where the entry begins.
func TestConfluentMany(t *testing.T) {
	e, prog := loadMain(t, `
var x int
func init() {
	done := make(chan bool)
	for range 5000 {
		go func() { x++; done <- true }()
		<-done
	}
}
func main() { print(x) }`)
	asked := 0
	m, err := vm.New(prog, e, vm.Config{VisibleOutput: true, Interrupt: func() bool { asked++; return asked > 1 }})
	if err != nil {
		t.Fatal(err)
	}
	if cut := m.Report().Cut().Cause; cut != vm.CutInterrupted || asked > 10 {
		t.Errorf("cut %v; asked %d times", cut, asked)
	}
	if m, err = vm.New(prog, e, vm.Config{VisibleOutput: true}); err != nil {
		t.Fatal(err)
	}
	if n := len(m.Report().Goroutines()); n > 1 {
		t.Errorf("%d goroutines live where the entry begins", n)
	}
}

// TestEnded: if the program can see when goroutines of initialisers end, the verdict has an
// assumption about that.
func TestEnded(t *testing.T) {
	e, prog := loadMain(t, `
import "runtime"
func init() {
	c := make(chan int)
	go func() { c <- 1 }()
	<-c
}
func main() { print(runtime.NumGoroutine()) }`)
	m, err := vm.New(prog, e, vm.Config{VisibleOutput: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := exploreMachine(t, m, prog, e, explorers.Lookup("full"), oracle.None); got != "1" {
		t.Errorf("outcomes %s, want 1", got)
	}
	if list := m.Environment().Assumed(); len(list) != 1 || list[0].What != vm.InitEnded {
		t.Errorf("assumed %v", list)
	}
}

// loadModule loads module m, which has the files.
func loadModule(t *testing.T, files map[string]string) *load.Program {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module m\n\ngo 1.26\n"
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := load.Load(load.Config{Dir: dir, Patterns: []string{"./..."}, Implicit: []string{"runtime"}, Cache: &vmtest.Cache})
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

// loadMain loads a program of one file.
func loadMain(t *testing.T, source string) (*load.Entry, *load.Program) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(name, []byte("package main\n"+source+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	prog, err := load.Load(load.Config{Patterns: []string{name}, Implicit: []string{"runtime"}, Cache: &vmtest.Cache})
	if err != nil {
		t.Fatal(err)
	}
	return prog.Entries[0], prog
}

// TestInitialisers: every explorer with every kind of static facts finds the outcomes.
func TestInitialisers(t *testing.T) {
	files := map[string]string{"starts/starts.go": "package starts\nimport \"sync/atomic\"\nvar X atomic.Int32\nfunc init() { go func() { X.Store(1) }() }\n"}
	for _, p := range initialisers {
		files[p.name+"/main.go"] = "package main\n" + p.source + "\n"
	}
	prog := loadModule(t, files)
	for i, p := range initialisers {
		t.Run(p.name, func(t *testing.T) {
			e, err := prog.Lookup("m/" + p.name + ".main")
			if err != nil {
				t.Fatal(err)
			}
			for k, x := range explorers.Exhaustive() {
				if x.Run == nil {
					continue
				}
				for j, h := range []oracle.Kind{oracle.None, oracle.FieldAccess, oracle.MHB, oracle.Full, oracle.Patterns} {
					if !deep.Every(10, i+k+j) {
						continue
					}
					if got := explore(t, prog, e, x, h); got != p.want {
						t.Errorf("%s, hybrid %s: %s, want %s", x.Name, h, got, p.want)
					}
				}
			}
		})
	}
}
