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
)

// initialisers are packages whose initialisers start goroutines or have choices: what follows is explored
// like everything else.
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
	// What only the initialiser asks has to be known where its program is linked.
	{"counted", "1|2", `
import "runtime"
var _ = func() int { go func() {}(); print(runtime.NumGoroutine()); return 0 }()
func main() {}`},
	// Nor do choices need a goroutine.
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
	// Many objects of Pools are those put last, and the verdict says so.
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
	// A timer may fire before the next operation or after that, or while main sleeps.
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
	// What is due wakes an initialiser that waits for it.
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
	// A coroutine runs beside nothing.
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

// TestInitialisers: every explorer with every kind of static facts finds the outcomes.
func TestInitialisers(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module m\n\ngo 1.26\n")
	write("starts/starts.go", "package starts\nimport \"sync/atomic\"\nvar X atomic.Int32\nfunc init() { go func() { X.Store(1) }() }\n")
	for _, p := range initialisers {
		write(p.name+"/main.go", "package main\n"+p.source+"\n")
	}
	prog, err := load.Load(load.Config{Dir: dir, Patterns: []string{"./..."}, Implicit: []string{"runtime"}, Cache: &vmtest.Cache})
	if err != nil {
		t.Fatal(err)
	}
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
