package vm

import (
	"fmt"
	"hash/fnv"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/vm/heap"
)

// TestBase: tests in copies of one machine, in two orders, execute as in machines that have initialised the
// packages themselves, and the copied machine stays unchanged.
func TestBase(t *testing.T) {
	prog := loadBase(t)
	for name, cfg := range map[string]Config{
		"explored": {VisibleOutput: true, OrderedTime: true, SignalsOff: true, Races: true, Check: CheckState | CheckLiveness},
		"any time": {Races: true},
		"run":      {Run: true},
	} {
		t.Run(name, func(t *testing.T) {
			cfg.Args = []string{"base"}
			alone := map[*load.Entry]string{}
			for _, e := range prog.Entries {
				prog.Bases.Value = nil
				alone[e] = executed(t, prog, e, cfg)
			}
			backwards := slices.Clone(prog.Entries)
			slices.Reverse(backwards)
			before := map[*base]string{}
			for round, entries := range [][]*load.Entry{prog.Entries, backwards, prog.Entries} {
				for _, e := range entries {
					if got := executed(t, prog, e, cfg); got != alone[e] {
						t.Errorf("%v after others:\n%s\nalone:\n%s", e, got, alone[e])
					}
				}
				list := prog.Bases.Value.([]*base)
				if len(list) != 2 { // one test reads the clock
					t.Errorf("%d machines are kept, not 2", len(list))
				}
				for _, b := range list {
					now := contents(b.m)
					if was, ok := before[b]; round > 0 && (!ok || now != was) {
						t.Errorf("the machine that is copied has changed:\n%s\n%s", was, now)
					}
					before[b] = now
				}
			}
			other := cfg
			other.Env = []string{"HBCHECK_BASE=1"}
			if executed(t, prog, prog.Entries[0], other); len(prog.Bases.Value.([]*base)) != 3 {
				t.Error("another environment makes no difference")
			}
		})
	}
}

// TestBaseLooked: a machine for which draws have been looked at begins as a copy of one without, if the
// initialisers draw nothing.
func TestBaseLooked(t *testing.T) {
	prog := loadBase(t)
	cfg := Config{VisibleOutput: true, OrderedTime: true, SignalsOff: true, Races: true, Args: []string{"base"}}
	looked := cfg
	looked.looked = []Assumption{{What: BitsSampled}}
	for _, e := range prog.Entries {
		prog.Bases.Value = nil
		alone := executed(t, prog, e, looked)
		prog.Bases.Value = nil
		executed(t, prog, e, cfg)
		if got := executed(t, prog, e, looked); got != alone {
			t.Errorf("%v as a copy:\n%s\nalone:\n%s", e, got, alone)
		}
		if n := len(prog.Bases.Value.([]*base)); n != 1 {
			t.Errorf("%v: %d machines are kept, not 1", e, n)
		}
	}
}

// TestBaseDrawn: initialisers that draw are executed once, and a copy has the labels of the drawn values.
func TestBaseDrawn(t *testing.T) {
	prog, err := load.Load(load.Config{Dir: "testdata/basedraw", Patterns: []string{"."}, Tests: true, Implicit: []string{"runtime"}, Cache: &proofCache})
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{OrderedTime: true, Races: true, Check: CheckState | CheckLiveness}
	looks := func(e *load.Entry) string {
		m, err := New(prog, e, cfg)
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintln(picture(m), m.tracking)
		w := newWalker(m, 1)
		for range 50 {
			if _, ok := w.step(); !ok {
				break
			}
			text += picture(m)
		}
		return text + fmt.Sprint(m.drawnAt())
	}
	alone := make(map[*load.Entry]string)
	for _, e := range prog.Entries {
		prog.Bases.Value = nil
		alone[e] = looks(e)
		if got := strings.Contains(alone[e], "draw_test.go"); got != (e.Name == "TestLooks") {
			t.Errorf("%s: a draw decides: %t", e.Name, got)
		}
	}
	prog.Bases.Value = nil
	for range 2 {
		for _, e := range prog.Entries {
			if got := looks(e); got != alone[e] {
				t.Errorf("%s after others:\n%s\nalone:\n%s", e.Name, got, alone[e])
			}
		}
	}
	list, _ := prog.Bases.Value.([]*base)
	if len(list) != 1 || list[0].m.sym == nil {
		t.Fatalf("%d machines are kept, want one with labels", len(list))
	}

	// Of the draws that have been looked at only those of initialisers make a difference.
	own := list[0].m.drew[:1]
	other := Assumption{What: BitsSampled}
	for _, looked := range [][]Assumption{own, {other}, append(slices.Clone(own), other)} {
		cfg.looked = looked
		for _, e := range prog.Entries {
			kept := prog.Bases.Value
			prog.Bases.Value = nil
			want := looks(e)
			prog.Bases.Value = kept
			if got := looks(e); got != want {
				t.Errorf("%s after others, looked at %v:\n%s\nalone:\n%s", e.Name, looked, got, want)
			}
		}
	}
	if list, _ = prog.Bases.Value.([]*base); len(list) != 2 {
		t.Errorf("%d machines are kept, want one for each set of looked draws of initialisers", len(list))
	}
}

func loadBase(t *testing.T) *load.Program {
	t.Helper()
	prog, err := load.Load(load.Config{Dir: "testdata/base", Patterns: []string{"."}, Tests: true, Implicit: []string{"runtime"}, Cache: &proofCache})
	if err != nil {
		t.Fatal(err)
	}
	if len(prog.Entries) != 4 {
		t.Fatalf("%d tests, not 4", len(prog.Entries))
	}
	return prog
}

// executed returns everything visible in some executions of e.
func executed(t *testing.T, prog *load.Program, e *load.Entry, cfg Config) string {
	t.Helper()
	var b strings.Builder
	if cfg.Run {
		cfg.Stdout, cfg.Stderr = &b, &b
	}
	cfg.Host = new(HostLog)
	m, err := New(prog, e, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(cfg.Host.Facts(), func(f HostFact) bool { return f.Name == "HBCHECK_BASE" }) {
		t.Errorf("%v: initialisers have asked for a variable: %v", e, cfg.Host.Facts())
	}
	if cfg.SignalsOff && !m.cfg.muted.Load() {
		t.Errorf("%v: an initialiser has asked for signals, which is to be noted", e)
	}
	if cfg.Run {
		status, why := m.Report().Exit()
		fmt.Fprintln(&b, status, why, m.Report().Failure(), m.clock, m.Report().Counters())
		return b.String()
	}
	fmt.Fprintln(&b, picture(m), m.numbers())
	root := m.Mark()
	for seed := range uint64(3) {
		w := newWalker(m, seed)
		for range 200 {
			s, ok := w.step()
			if !ok {
				break
			}
			fmt.Fprintln(&b, s, picture(m))
		}
		if f := m.Report().Failure(); f != nil {
			t.Errorf("%v: %v", e, f)
		}
		fmt.Fprintln(&b, m.numbers(), m.Environment().Assumed(), len(m.Report().Races()), m.Report().Counters())
		m.Rewind(root)
	}
	return b.String()
}

// TestBaseReads: each machine has its own standard input, including the part that initialisers
// read.
func TestBaseReads(t *testing.T) {
	prog := loadFiles(t, t.TempDir(), map[string]string{"go.mod": "module m\n\ngo 1.26\n", "main.go": `package main

import (
	"fmt"
	"os"
)

var first = func() (b [1]byte) { os.Stdin.Read(b[:]); return }()

func main() { fmt.Print(string(first[:])) }
`})
	for _, in := range []string{"a", "b"} {
		var out strings.Builder
		if _, err := New(prog, prog.Entries[0], Config{Run: true, Stdin: strings.NewReader(in), Stdout: &out}); err != nil {
			t.Fatal(err)
		}
		if out.String() != in {
			t.Errorf("%q is read as %q", in, &out)
		}
	}
}

// contents describes the contents of a machine: a hash of its memory, stacks and code, and the
// sizes of its tables.
func contents(m *Machine) string {
	h := fnv.New64a()
	for id := range m.heap.Objs {
		o := &m.heap.Objs[id]
		fmt.Fprint(h, o.Epoch, o.Size, o.Layout, o.Flags, " ")
		if o.Size > 0 {
			h.Write(unsafe.Slice((*byte)(o.Mem), o.Size))
		}
	}
	for _, g := range m.gs {
		fmt.Fprint(h, g.Stack, g.PC, g.FP, g.status, g.pending)
	}
	for _, f := range m.link.Code {
		if f != nil {
			fmt.Fprint(h, f.Code)
		}
	}
	return fmt.Sprint(h.Sum64(), m.numbers(), m.heap.Held(), m.link.Count(), len(m.link.Code), len(m.link.MapTypes), len(m.spawn), m.assumed, m.clock, m.layouts.Len())
}

// TestBaseShares: a copy shares nothing with its original that a machine writes.
func TestBaseShares(t *testing.T) {
	prog := loadBase(t)
	for _, cfg := range []Config{{Races: true, OrderedTime: true, Check: CheckState}, {Run: true, Stdout: io.Discard, Stderr: io.Discard}} {
		cfg.Args = []string{"base"}
		m, err := New(prog, prog.Entries[0], cfg)
		if err != nil {
			t.Fatal(err)
		}
		b := prog.Bases.Value.([]*base)[0].m
		one, other := parts{}, parts{}
		one.walk(reflect.ValueOf(b).Elem(), "base")
		other.walk(reflect.ValueOf(m).Elem(), "copy")
		if len(one) < 300 {
			t.Fatalf("only %d parts", len(one))
		}
		n := 0
		for p, where := range one {
			if too, ok := other[p]; ok {
				if n++; n < 10 {
					t.Errorf("%s is %s", where, too)
				}
			}
		}
		// Memory of objects.
		for id := range b.heap.Objs {
			x, y := &b.heap.Objs[id], &m.heap.Objs[id]
			if frozen := heap.Static | heap.Frozen; x.Size > 0 && x.Mem == y.Mem && x.Flags&frozen != frozen {
				t.Errorf("both have object %d, of %d bytes", id, x.Size)
			}
		}
	}
}

// parts are the addresses of the objects that can be reached from a machine, and the paths to them.
type parts map[uintptr]string

// unchanging are types whose values never change once they are made, or that the machines of a program share
// (templates).
var unchanging = []string{"*ssa.", "*types.", "types.", "*token.", "ssa.", "*load.", "*bytecode.Func", "*layout.", "layout.", "*link.MapType", "*link.Natives", "*link.templates",
	"*link.Adapter", "[]vm.Native", "[]abitype.Method", "map[string]int", "*observable.Variables", "*compile.", "race.clock", "*vm.Fault"}

func (p parts) walk(v reflect.Value, where string) {
	name := v.Type().String()
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice:
		if v.IsNil() || v.Kind() == reflect.Slice && v.Cap() == 0 || v.Kind() == reflect.Pointer && v.Type().Elem().Size() == 0 {
			return
		}
		if name != "*layout.Table" && name != "*compile.Captures" &&
			slices.ContainsFunc(unchanging, func(s string) bool { return strings.HasPrefix(name, s) }) {
			return
		}
		if _, seen := p[v.Pointer()]; seen {
			return
		}
		p[v.Pointer()] = where + " (" + name + ")"
	}
	switch v.Kind() {
	case reflect.Pointer:
		p.walk(v.Elem(), where)
	case reflect.Struct:
		for i := range v.NumField() {
			switch f := v.Type().Field(i).Name; f {
			case "base": // the table that one continues
			case "Args", "Env", "path": // keys that are read, and spawn paths: never written
			default:
				p.walk(v.Field(i), where+"."+f)
			}
		}
	case reflect.Slice, reflect.Array:
		if k := v.Type().Elem().Kind(); k != reflect.Pointer && k != reflect.Map && k != reflect.Slice && k != reflect.Struct {
			return
		}
		for i := range v.Len() {
			p.walk(v.Index(i), where+"[]")
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			p.walk(it.Value(), where+"[]")
		}
	}
}
