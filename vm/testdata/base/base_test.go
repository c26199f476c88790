// Package base has tests that change what its initialisers have left: TestBase executes them in copies of
// one machine.
package base

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"reflect"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	small       = 1
	table       = [4096]int{7: 7}
	list        = append(make([]int, 0, 8), 1, 2, 3)
	known       = map[string]int{"one": 1, "two": 2}
	lazy        = sync.OnceValue(func() int { return len(known) })
	counter     = func() func() int { n := 0; return func() int { n++; return n } }()
	boxed   any = struct{ a, b int }{1, 2}
	queue       = make(chan int, 4)
	mu      sync.Mutex
	started = time.Now()
	home    = os.Getenv("HBCHECK_BASE")
	failed  = errors.New("failed")
)

func init() {
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	fmt.Fprintln(os.Stderr, "initialised", small, home)
	queue <- 1
	done := make(chan bool)
	go func() { small++; close(done) }()
	<-done
	go func() {
		for x := range queue {
			mu.Lock()
			small += x
			mu.Unlock()
		}
	}()
	if os.Args[0] == "" {
		panic(failed)
	}
}

func both(f, g func()) {
	var wg sync.WaitGroup
	wg.Go(f)
	wg.Go(g)
	wg.Wait()
}

func TestTable(t *testing.T) {
	both(func() { table[8]++; table[4000]++ }, func() { mu.Lock(); small = 10; mu.Unlock() })
	if table[8] != 1 || table[7] != 7 {
		t.Error(table[7:9])
	}
}

func TestMap(t *testing.T) {
	both(func() { mu.Lock(); known["three"] = 3; mu.Unlock() }, func() { mu.Lock(); delete(known, "one"); mu.Unlock() })
	if len(known) != 2 || lazy() != 2 {
		t.Error(known)
	}
}

func TestCounter(t *testing.T) {
	if n := counter(); n != 1 {
		t.Error(n)
	}
	both(func() { queue <- counter() }, func() { mu.Lock(); list = append(list, 4); list[0] = 9; mu.Unlock() })
	if len(list) != 4 || list[:4:4][3] != 4 {
		t.Error(list)
	}
}

func TestTypes(t *testing.T) {
	type local struct{ x, y string }
	v := reflect.ValueOf(&local{"a", "b"}).Elem()
	v.Field(0).SetString(strings.Repeat("c", 3))
	words := []string{v.Field(0).String(), fmt.Sprint(boxed), v.Type().String()}
	sort.Strings(words)
	boxed = words
	both(func() { time.Sleep(time.Second) }, func() { mu.Lock(); started = time.Now(); mu.Unlock() })
	if words[0] != "base.local" || table[8] != 0 {
		t.Error(words, table[8])
	}
}
