package findings_test

import (
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/static/findings"
)

// TestDriver makes a driver whose argument is an object of another package, which is under another name in
// the file, with and without values in its fields, and for other kinds of arguments.
func TestDriver(t *testing.T) {
	prog, list := find(t, "testdata/src", false, "./driven/...")
	if len(list) != 1 || list[0].Code != "HBA108" {
		t.Fatalf("findings %v, want one of HBA108", list)
	}
	for _, x := range []struct {
		zero bool
		call string
	}{
		{false, `x.Route(context.Background(), &msg.Message{Topic: "x", Props: &msg.Props{Alias: new(uint16)}}, msg.Options{}, func(*msg.Options) bool { return true })`},
		{true, "x.Route(context.Background(), &msg.Message{}, msg.Options{}, func(*msg.Options) bool { return false })"},
	} {
		d := findings.NewDriver(prog, &list[0], "D", x.zero)
		if d == nil || strings.Count(d.Body, x.call+"\n") != 2 || !strings.Contains(d.Body, "x := NewRouter()\n") {
			t.Errorf("driver %+v, want two calls %s", d, x.call)
			continue
		}
		if want := []string{`context "context"`, `msg "findings.test/driven/message"`}; !slices.Equal(d.Imports, want) {
			t.Errorf("imports %q, want %q", d.Imports, want)
		}
	}
}

// TestWaker makes a driver for a Wait outside of a loop: two goroutines wait, and the method that signals the
// same Cond is called for each of them. There is none if nothing signals it.
func TestWaker(t *testing.T) {
	prog, list := find(t, "testdata/src", false, "./waker")
	if len(list) != 2 || list[0].Code != "HBA305" || list[1].Code != "HBA305" {
		t.Fatalf("findings %v, want two of HBA305", list)
	}
	d := findings.NewDriver(prog, &list[0], "D", false)
	if d == nil || strings.Count(d.Body, "x.Down()\n\t\tdone <- true") != 2 || strings.Count(d.Body, "\tx.Lower()\n") != 2 {
		t.Errorf("driver %+v, want two calls of Down and two of Lower", d)
	}
	if d := findings.NewDriver(prog, &list[1], "D", false); d != nil {
		t.Errorf("driver %+v for a Cond that nothing signals", d)
	}
}

// TestPointerLock: the writer of a read lock in a read lock locks the same field, though it is a pointer.
func TestPointerLock(t *testing.T) {
	prog, list := find(t, "testdata/src", false, "./pointed")
	if len(list) != 1 || list[0].Code != "HBA102" || list[0].Other == nil {
		t.Fatalf("findings %v, want one of HBA102", list)
	}
	if name := list[0].Other.Instr.Parent().Name(); name != "Put" {
		t.Errorf("the writer is %s, want Put", name)
	}
	if d := findings.NewDriver(prog, &list[0], "D", false); d == nil || !strings.Contains(d.Body, `x.Put("x")`) {
		t.Errorf("driver %+v, want a call of Put", d)
	}
}

// TestFunctionDriver makes a driver that calls two functions, which need no object.
func TestFunctionDriver(t *testing.T) {
	prog, list := find(t, "testdata/src", false, "./functions")
	if len(list) != 1 || list[0].Code != "HBA402" {
		t.Fatalf("findings %v, want one of HBA402", list)
	}
	d := findings.NewDriver(prog, &list[0], "D", false)
	if d == nil || !strings.Contains(d.Body, "\t\tBounded(1)\n") || !strings.Contains(d.Body, "\tSetLimit(1)\n") || strings.Contains(d.Body, "x :=") {
		t.Errorf("driver %+v, want calls of Bounded and SetLimit", d)
	}
}
