package load

import (
	"go/types"
	"strings"
	"testing"
)

// loadSource loads files of module m, the patterns being ./... .
func loadSource(t *testing.T, archive string) *Program {
	t.Helper()
	return mustLoad(t, Config{Dir: extract(t, "-- go.mod --\nmodule m\ngo 1.26\n"+archive), Patterns: []string{"./..."}})
}

func entry(t *testing.T, prog *Program, name string) *Entry {
	t.Helper()
	e, err := prog.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// initOrderOf returns the paths of the user's packages in the order of their
// initialisation for e.
func initOrderOf(prog *Program, e *Entry) string {
	var paths []string
	for _, p := range prog.InitOrder(e) {
		if !prog.IsStd(p.Pkg) {
			paths = append(paths, p.Pkg.Path())
		}
	}
	return strings.Join(paths, " ")
}

func TestInitOrder(t *testing.T) {
	prog := loadSource(t, `
-- main.go --
package main
import (
	_ "m/c"
	_ "m/b"
	_ "m/a"
	_ "m/none"
	_ "m/d"
)
var x = f()
func f() int { return 1 }
func main() {}
-- a/a.go --
package a
import _ "m/z"
func init() {}
-- b/b.go --
package b
func init() {}
-- c/c.go --
package c
import _ "m/static"
func init() {}
-- d/d.go --
package d
import _ "m/empty"
func init() {}
-- empty/e.go --
package empty
import _ "m/y"
-- y/y.go --
package y
var Y = make(chan int)
-- z/z.go --
package z
var Z = map[int]int{}
-- static/s.go --
package static
var (
	A, B = 1, "x"
	C    = &struct{ f func(); p *int; l []int }{func() {}, &A, []int{1, 2}}
	D    = []byte(nil)
	E    = F
	G    error = nil
	H    = T(3)
)
type T int
func F() {}
-- none/n.go --
package none
func F() {}
-- other/o.go --
package main
import _ "m/b"
func main() {}
`)
	// c is not held up by static, whose variables the linker lays out; a waits
	// for z, and main is last. d waits for y by way of empty.
	want := "m/static m/b m/c m/y m/d m/z m/a main"
	if got := initOrderOf(prog, entry(t, prog, "m.main")); got != want {
		t.Errorf("order %s, want %s", got, want)
	}
	if got := initOrderOf(prog, entry(t, prog, "other.main")); got != "m/b" {
		t.Errorf("order %s, want m/b", got)
	}
	for _, p := range prog.All {
		want := initDynamic
		switch p.Path {
		case "m/static":
			want = initStatic
		case "m/none", "m/empty", "m/other":
			want = initNothing
		}
		if !p.Std && p.initWork != want {
			t.Errorf("%s: work at initialisation %d, want %d", p.Path, p.initWork, want)
		}
	}
}

func TestInitOrderOfTest(t *testing.T) {
	dir := extract(t, `
-- go.mod --
module m
go 1.26
-- p/p.go --
package p
var P = new(int)
func init() {}
-- p/p_test.go --
package p
import "testing"
func Test(*testing.T) {}
-- p/x_test.go --
package p_test
import _ "m/q"
func init() {}
-- q/q.go --
package q
import _ "m/p"
func init() {}
`)
	prog := mustLoad(t, Config{Dir: dir, Tests: true, Patterns: []string{"./p", "./q"}})
	e := entry(t, prog, "Test")
	// The external test package is in the binary though no entry is in it, and
	// q is compiled against the variant of p that has the test files.
	if got, want := initOrderOf(prog, e), "m/p m/q m/p_test"; got != want {
		t.Errorf("order %s, want %s", got, want)
	}
	for _, p := range closure(e.roots) {
		if !p.Std && p.ForTest != "m/p" {
			t.Errorf("%s is linked into the test binary", p.ID)
		}
	}
}

func TestNonblocking(t *testing.T) {
	prog := loadSource(t, `
-- sends/m.go --
package main
type message struct{ n int }
func main() {
	c := make(chan message)
	d := make(chan string)
	select {
	case c <- message{}:
	case s, ok := <-d:
		_, _ = s, ok
	default:
	}
	select {
	case <-make(chan int):
	case make(chan float64) <- 1:
	}
	select {
	default:
	}
}
-- receives/m.go --
package main
func main() {
	e := make(chan uint8)
	var b byte
	select {
	case b = <-e:
	case <-(e):
	default:
		_ = b
	}
}
-- generic/m.go --
package main
func try[T any](c chan T) {
	select {
	case c <- *new(T):
	default:
	}
}
func main() { try[int](nil) }
`)
	message := entry(t, prog, "sends.main").Package.Types.Scope().Lookup("message").Type()
	for _, test := range []struct {
		entry      string
		elem       types.Type
		send, recv bool
	}{
		{"sends.main", message, true, false},
		{"sends.main", message.Underlying(), false, false},
		{"sends.main", types.Typ[types.String], false, true},
		{"sends.main", types.Typ[types.Int], false, false},
		{"sends.main", types.Typ[types.Float64], false, false},
		{"receives.main", types.Typ[types.Byte], false, true},
		{"receives.main", message, false, false},
		{"generic.main", message, true, false},
	} {
		n := prog.Nonblocking(entry(t, prog, test.entry))
		if n.Send(test.elem) != test.send || n.Recv(test.elem) != test.recv {
			t.Errorf("%s: %s: send %t, receive %t; want %t, %t", test.entry, test.elem,
				n.Send(test.elem), n.Recv(test.elem), test.send, test.recv)
		}
	}
}

func TestUsesClock(t *testing.T) {
	prog := loadSource(t, `
-- clock/m.go --
package main
import "m/lib"
func main() { lib.F() }
-- lib/l.go --
package lib
import clock "time"
var F = clock.Now
type T struct{}
func (T) String() string { return clock.Now().String() }
func New() any { return T{} }
func Other() clock.Duration { return 0 }
-- sleep/m.go --
package main
import "time"
func main() { time.Sleep(time.Second); _ = time.Time{} }
-- other/m.go --
package main
import "m/lib"
func main() { lib.Other() }
-- dynamic/m.go --
package main
import ("fmt"; "m/lib")
func main() { fmt.Println(lib.New()) }
-- tick/m.go --
package main
import "time"
func main() { println((<-time.After(1)).Unix()) }
-- deadline/m.go --
package main
import ("context"; "time")
func main() { f(context.Background()) }
func f(ctx context.Context) { t, _ := ctx.Deadline(); t.Before(time.Time{}) }
-- start/m.go --
package main
import "time"
func init() { go func() { println(time.Now().Unix()) }() }
func main() {}
`)
	for name, want := range map[string]bool{
		"clock":    true,
		"sleep":    false,
		"other":    false, // the package reads it, but nothing that main mentions reads it
		"dynamic":  true,  // a method of a type that a function main mentions mentions
		"tick":     true,
		"deadline": true,
		"start":    true, // goroutines may remain after initialisation
	} {
		if got := prog.UsesClock(entry(t, prog, name+".main")); got != want {
			t.Errorf("%s: UsesClock is %v", name, got)
		}
	}
}
