package vm_test

import (
	"maps"
	"testing"

	"hbcheck.dev/hbcheck/internal/vmtest"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm"
)

// overflows is a goroutine that only overflows its stack: in a call of a function, a closure or a method
// that is found at run time, in a deferred call, and in the call of the function that raises a run-time
// panic.
const overflows = `package main

import (
	"os"
	"syscall"
)

type caller interface{ call(n int) int }

type a struct{ next caller }
type b struct{ next *a }

func (x *a) call(n int) int { return x.next.call(n) + 1 }
func (x *b) call(n int) int { return x.next.call(n) + 1 }

func deep(n int) int { return deep(n+1) + 1 }

func closures(f func(int) int) int { return f(1) }

func deferred(n int) (r int) {
	defer func() { r = deferred(n) }()
	return n
}

func panics(p *int) (r int) {
	defer func() { r = panics(p) }()
	return *p
}

var kinds = map[string]func(){
	"call": func() { deep(0) },
	"closure": func() {
		var f func(int) int
		f = func(n int) int { return closures(f) + n }
		f(0)
	},
	"method": func() {
		x := &a{}
		x.next = &b{x}
		x.call(0)
	},
	"deferred": func() { deferred(1) },
	"panics":   func() { panics(nil) },
}

func main() {
	go kinds[os.Args[1]]()
	syscall.Write(1, []byte("main"))
}
`

// TestOverflow: a stack overflow is an operation of its own, and everything
// that can happen before it happens in some execution; rewinding takes it back.
func TestOverflow(t *testing.T) {
	prog := vmtest.Load(t, overflows)
	for _, kind := range []string{"call", "closure", "method", "deferred", "panics"} {
		t.Run(kind, func(t *testing.T) {
			m, err := vm.New(prog, prog.Entries[0], vm.Config{Args: []string{"p", kind}, VisibleOutput: true, MaxStack: 1 << 20, Check: vm.CheckLiveness | vm.CheckState})
			if err != nil {
				t.Fatal(err)
			}
			v := &overflowing{m: m, ends: map[string]bool{}}
			want := map[string]bool{"stack overflow": true, "main stack overflow": true}
			for _, match := range []bool{true, false} {
				clear(v.ends)
				if r := stateful.Full(m, v, por.Config{Match: match}); len(r.Incomplete) > 0 {
					t.Errorf("incomplete: %v", r.Incomplete)
				}
				if !maps.Equal(v.ends, want) {
					t.Errorf("match %v: it ends in %v, want %v", match, v.ends, want)
				}
			}
		})
	}
}

type overflowing struct {
	m    *vm.Machine
	ends map[string]bool
}

// Leaf implements por.Visitor.
func (v *overflowing) Leaf(trace.Schedule, por.Status) bool {
	s := v.m.Report().Output(1)
	if f := v.m.Report().Fault(); f != nil {
		if s != "" {
			s += " "
		}
		s += f.Message
		if len(f.Frames) < 50 {
			s += ", without a stack"
		}
	}
	v.ends[s] = true
	return true
}

// Race implements por.Visitor.
func (v *overflowing) Race(trace.Schedule, trace.Op, trace.Op) bool { return true }

// Livelock implements por.Visitor.
func (v *overflowing) Livelock(trace.Schedule, int) bool { return true }

// Restart implements por.Visitor.
func (v *overflowing) Restart() {}
