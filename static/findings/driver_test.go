package findings_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/load"
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
		{false, `x.Route(context.Background(), &msg.Message{Topic: "x", Props: &msg.Props{Alias: new(uint16)}}, msg.NewOptions(), func(*msg.Options) bool { return true })`},
		{true, "x.Route(context.Background(), new(msg.Message), msg.Options{}, func(*msg.Options) bool { return false })"},
	} {
		v := findings.Filled
		if x.zero {
			v = findings.Zero
		}
		d, _ := findings.NewDrivers(prog).New(&list[0], "D", v)
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
	// Wide, which tests no condition, has high confidence and comes first.
	d, _ := findings.NewDrivers(prog).New(&list[1], "D", findings.Filled)
	if d == nil || strings.Count(d.Body, "x.Down()\n\t\tdone <- true") != 2 || strings.Count(d.Body, "\tx.Lower()\n") != 2 {
		t.Errorf("driver %+v, want two calls of Down and two of Lower", d)
	}
	if d, _ := findings.NewDrivers(prog).New(&list[0], "D", findings.Filled); d != nil {
		t.Errorf("driver %+v for a Cond that nothing signals", d)
	}
}

// TestPointerLock: for a read lock within a read lock, the driver's writer locks the same field,
// also if the field is a pointer.
func TestPointerLock(t *testing.T) {
	prog, list := find(t, "testdata/src", false, "./pointed")
	if len(list) != 1 || list[0].Code != "HBA102" || list[0].Other == nil {
		t.Fatalf("findings %v, want one of HBA102", list)
	}
	if name := list[0].Other.Instr.Parent().Name(); name != "Put" {
		t.Errorf("the writer is %s, want Put", name)
	}
	if d, _ := findings.NewDrivers(prog).New(&list[0], "D", findings.Filled); d == nil || !strings.Contains(d.Body, `x.Put("x")`) {
		t.Errorf("driver %+v, want a call of Put", d)
	}
}

// TestFunctionDriver makes a driver that calls two functions, which need no object.
func TestFunctionDriver(t *testing.T) {
	prog, list := find(t, "testdata/src", false, "./functions")
	if len(list) != 1 || list[0].Code != "HBA402" {
		t.Fatalf("findings %v, want one of HBA402", list)
	}
	d, _ := findings.NewDrivers(prog).New(&list[0], "D", findings.Filled)
	if d == nil || !strings.Contains(d.Body, "\t\tBounded(1)\n") || !strings.Contains(d.Body, "\tSetLimit(1)\n") || strings.Contains(d.Body, "x :=") {
		t.Errorf("driver %+v, want calls of Bounded and SetLimit", d)
	}
}

// made returns drivers for the findings of package made, by code, and the program.
func made(t *testing.T, v findings.Variant) (*load.Program, map[string]*findings.Driver) {
	prog, list := find(t, "testdata/src", false, "./made")
	drivers := map[string]*findings.Driver{}
	for i := range list {
		d, why := findings.NewDrivers(prog).New(&list[i], "D", v)
		if d == nil {
			t.Fatalf("no driver for %s: %s", list[i].Code, why)
		}
		if err := findings.Compile(prog, []*findings.Driver{d})[0]; err != nil {
			t.Fatalf("%s: %v in:\n%s", list[i].Code, err, d.Func())
		}
		drivers[list[i].Code] = d
	}
	if len(drivers) != 3 {
		t.Fatalf("drivers %v, want HBA103, HBA107 and HBA111", drivers)
	}
	return prog, drivers
}

func wantAll(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("there is no %q in:\n%s", p, text)
		}
	}
}

// TestMadeByMethod: a method of a hub makes the room.
func TestMadeByMethod(t *testing.T) {
	_, drivers := made(t, findings.Filled)
	wantAll(t, drivers["HBA107"].Body, "\ty, err := x.Enter(\"x\")\n")
}

// TestStubDriver: a hub needs a connection, which is of a new type, and options with a function. The file of
// the driver does not import the package of the interface.
func TestStubDriver(t *testing.T) {
	_, drivers := made(t, findings.Filled)
	d := drivers["HBA107"]
	wantAll(t, d.Body, "x, err := Dial(new(dReadWriter1), Options{OnError: func(error) {}})\n")
	wantAll(t, d.Decls, "type dReadWriter1 struct{ io.ReadWriter }\n", " Read(p0 []byte) (int, error) { return 0, io.EOF }\n",
		" Write(p0 []byte) (int, error) { return len(p0), nil }\n")
	if !slices.Equal(d.Added, []string{`io "io"`}) {
		t.Errorf("added imports %q, want io", d.Added)
	}
}

// TestExportedDriver calls the exported method that calls the unexported one, unless it is told otherwise.
func TestExportedDriver(t *testing.T) {
	_, drivers := made(t, findings.Filled)
	wantAll(t, drivers["HBA107"].Body, "\t\ty.Count(1)\n")
	_, drivers = made(t, findings.Direct)
	wantAll(t, drivers["HBA107"].Body, "\t\ty.count()\n")
}

// TestCrossedDriver exchanges the two objects of a method.
func TestCrossedDriver(t *testing.T) {
	_, drivers := made(t, findings.Filled)
	wantAll(t, drivers["HBA111"].Body, "y, err := x.Enter(\"x\")", "z, err := x.Enter(\"y\")", "\t\tz.Move(y)\n", "\ty.Move(z)\n")
	_, drivers = made(t, findings.Prepared)
	if d := drivers["HBA107"]; strings.Contains(d.Body, "y.Move(y)") {
		t.Errorf("an object is its own argument in:\n%s", d.Body)
	}
}

// TestChosenDriver: executions choose the numbers, and a method to call before.
func TestChosenDriver(t *testing.T) {
	_, drivers := made(t, findings.Chosen)
	wantAll(t, drivers["HBA107"].Func(), "func D(n1 int) {", "y.Count(n1)")
	_, drivers = made(t, findings.Prepared)
	d := drivers["HBA107"]
	wantAll(t, d.Func(), "func D(n1 int, n2 uint8) {", "y.Count(n1)", "switch n2 {\n", "\ty.Add(1)\n")
	given := d.Given(map[string]string{"n1": "7"})
	wantAll(t, given.Func(), "func D() {\n\tvar n1 int = 7\n\tx, err :=")
	if strings.Contains(given.Body, "switch") || strings.Contains(given.Body, "y.Add") {
		t.Errorf("a method is called before in:\n%s", given.Body)
	}
	wantAll(t, d.Given(map[string]string{"n2": "1"}).Body, "\t}\n\ty.Add(1)\n\tdone :=")
}

// TestBrokenDriver: Compile returns errors for the drivers that have them.
func TestBrokenDriver(t *testing.T) {
	prog, drivers := made(t, findings.Filled)
	right, wrong := *drivers["HBA107"], *drivers["HBA107"]
	right.Name, wrong.Name = "Right", "Wrong"
	right.Decls, wrong.Decls = strings.ReplaceAll(right.Decls, "dRead", "rRead"), strings.ReplaceAll(wrong.Decls, "dRead", "wRead")
	right.Body, wrong.Body = strings.ReplaceAll(right.Body, "dRead", "rRead"), "\tnowhere()\n"
	errs := findings.Compile(prog, []*findings.Driver{&wrong, &right})
	if errs[0] == nil || errs[1] != nil {
		t.Errorf("errors %v, want one for the first driver", errs)
	}
}

// TestEntryDriver calls the function whose execution showed that a goroutine waits forever, not the one in
// which it waits.
func TestEntryDriver(t *testing.T) {
	prog, list := find(t, "testdata/src", false, "./answered")
	if len(list) != 1 || list[0].Code != "HBA201" {
		t.Fatalf("findings %v, want one of HBA201", list)
	}
	d, why := findings.NewDrivers(prog).New(&list[0], "D", findings.Filled)
	if d == nil {
		t.Fatal(why)
	}
	wantAll(t, d.Body, "\tAsk(true)\n")
	if strings.Contains(d.Body, "Answer(") {
		t.Errorf("the driver calls Answer:\n%s", d.Body)
	}
}

// TestRenamedDriver: two drivers with one name would not compile.
func TestRenamedDriver(t *testing.T) {
	prog, list := find(t, "testdata/src", false, "./made")
	d, _ := findings.NewDrivers(prog).New(&list[1], "Driver1", findings.Filled)
	e := d.Renamed("Driver1_2")
	if errs := findings.Compile(prog, []*findings.Driver{d, e}); errs[0] != nil || errs[1] != nil {
		t.Errorf("%v in:\n%s", errs, e.Func())
	}
}

// TestSharedArgument: two calls of a function have one object as their argument.
func TestSharedArgument(t *testing.T) {
	_, drivers := made(t, findings.Filled)
	wantAll(t, drivers["HBA103"].Body, "\tx, err := Dial(", "\ty, err := x.Enter(\"x\")\n", "\t\tClear(y)\n", "}()\n\tClear(y)\n")
}

// TestPlainDriver: the argument of a constructor is a new object, which no other constructor makes.
func TestPlainDriver(t *testing.T) {
	_, drivers := made(t, findings.Plain)
	wantAll(t, drivers["HBA107"].Body, "x, err := Dial(new(dReadWriter1), Options{OnError: func(error) {}})\n")
	prog, list := find(t, "testdata/src", false, "./driven/...")
	for v, call := range map[findings.Variant]string{findings.Filled: "msg.NewOptions()", findings.Plain: "msg.Options{Level: 1}"} {
		d, _ := findings.NewDrivers(prog).New(&list[0], "D", v)
		wantAll(t, d.Body, ", "+call+", func(")
	}
}

// TestDriverBesideTests: only the tests have a constructor, so the driver is in the file with the tests.
// A driver without constructors makes the map.
func TestDriverBesideTests(t *testing.T) {
	prog, list := find(t, "testdata/src", true, "./beside")
	if len(list) != 1 || list[0].Code != "HBA108" {
		t.Fatalf("findings %v, want one of HBA108", list)
	}
	d, why := findings.NewDrivers(prog).New(&list[0], "D", findings.Filled)
	if d == nil {
		t.Fatal(why)
	}
	wantAll(t, d.Body, "x := NewStore(msg.NewOptions())\n")
	if filepath.Base(d.File) != "beside_test.go" || len(d.Added) > 0 {
		t.Errorf("driver in %s with imports %q, want beside_test.go, which has the imports", d.File, d.Added)
	}
	bare, why := findings.NewDrivers(prog).New(&list[0], "B", findings.Bare)
	if bare == nil {
		t.Fatal(why)
	}
	wantAll(t, bare.Body, "x := &Store{numbers: map[string]int{}}\n")
	for _, err := range findings.Compile(prog, []*findings.Driver{d, bare}) {
		if err != nil {
			t.Error(err)
		}
	}
}
