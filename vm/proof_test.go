package vm

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/load"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/heap"
)

// The common parts of the tests of the machine's foundations: programs, random walks, and complete
// copies of a state to compare.

var proofCache load.Cache

// A subject is a program to test the machine with.
type subject struct {
	name  string
	prog  *load.Program
	entry *load.Entry
}

func (s *subject) machine(t testing.TB, cfg Config) *Machine {
	t.Helper()
	m, err := New(s.prog, s.entry, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// subjects returns the programs of testdata/proof and n generated ones.
func subjects(t testing.TB, n int) []subject {
	t.Helper()
	files, err := filepath.Glob("testdata/proof/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs in testdata/proof: ", err)
	}
	var all []subject
	for _, f := range files {
		prog, err := load.Load(load.Config{Patterns: []string{f}, Implicit: []string{"runtime"}, Cache: &proofCache})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, subject{strings.TrimSuffix(filepath.Base(f), ".go"), prog, prog.Entries[0]})
	}
	dir := t.TempDir()
	text := map[string]string{"go.mod": "module generated\n\ngo 1.26\n", "helpers.go": progen.Helpers(), "main.go": "package main\n\nfunc main() {}\n"}
	var progs []*progen.Prog
	for i := range uint64(n) {
		p := progen.Generate(90_000+i, progen.All)
		progs = append(progs, p)
		text[strings.ToLower(p.Name)+".go"] = p.Source()
	}
	prog := loadFiles(t, dir, text)
	for _, p := range progs {
		e, err := prog.Lookup(p.Name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, subject{p.Name, prog, e})
	}
	return all
}

// loadFiles loads a module made of the given files.
func loadFiles(t testing.TB, dir string, files map[string]string) *load.Program {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(files[name]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	prog, err := load.Load(load.Config{Dir: dir, Implicit: []string{"runtime"}, Cache: &proofCache})
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

// source loads a program of one file.
func source(t testing.TB, src string) subject {
	t.Helper()
	prog := loadFiles(t, t.TempDir(), map[string]string{"go.mod": "module m\n\ngo 1.26\n", "main.go": src})
	return subject{"main", prog, prog.Entries[0]}
}

// A walker takes random steps.
type walker struct {
	m   *Machine
	rng *rand.Rand
	buf []trace.GID
}

func newWalker(m *Machine, seed uint64) *walker {
	return &walker{m: m, rng: rand.New(rand.NewPCG(seed, 1))}
}

// step takes one step, or reports that the execution is over.
func (w *walker) step() (trace.Step, bool) {
	if w.m.Status() != por.Running {
		return trace.Step{}, false
	}
	w.buf = w.m.Enabled(w.buf[:0])
	s := trace.Step{G: w.buf[w.rng.IntN(len(w.buf))]}
	s.Choice = w.rng.IntN(w.m.Alternatives(s.G))
	w.m.Step(s.G, s.Choice)
	return s, true
}

// steps takes up to n steps.
func (w *walker) steps(n int) (path trace.Schedule) {
	for range n {
		s, ok := w.step()
		if !ok {
			break
		}
		path = append(path, s)
	}
	return path
}

// picture returns everything an explorer can see of a state, as text.
func picture(m *Machine) string {
	var b strings.Builder
	fmt.Fprintln(&b, m.Status(), m.Hash(), m.Report().Fault(), m.Report().CutReason())
	for _, g := range m.Enabled(nil) {
		fmt.Fprint(&b, g, " ")
	}
	for _, s := range m.order {
		g := m.gs[s]
		fmt.Fprintln(&b, g.ID, g.status, m.Next(g.ID))
		if g.status == gReady && !m.executionOver() {
			fmt.Fprintln(&b, m.Alternatives(g.ID))
		}
	}
	fmt.Fprintf(&b, "%q %q\n", m.Report().Output(1), m.Report().Output(2))
	return b.String()
}

// copied is a complete copy of a state's memory, stacks and records.
type copied struct {
	mem     []byte
	headers []heap.Object
	gs      []record
	stacks  [][]uint64
	order   []uint32
	slots   []int32
	scalars scalars
	out     string
	dirty   []uint32
}

func copyState(m *Machine) copied {
	h := m.heap
	c := copied{order: slices.Clone(m.order), slots: slices.Clone(m.slots), scalars: m.scalars, out: m.Report().Output(1) + "\x00" + m.Report().Output(2), dirty: slices.Clone(h.Changed)}
	for id := range h.All() {
		o := h.Objs[id]
		c.mem = append(c.mem, unsafe.Slice((*byte)(o.Mem), o.Size)...)
		o.Flags &^= heap.Hashed
		o.Epoch = 0
		c.headers = append(c.headers, o)
	}
	for _, g := range m.gs {
		c.gs = append(c.gs, g.record())
		var st []uint64
		if g.status != gEnded && g.Fn != nil {
			st = slices.Clone(g.Stack[:g.FP+uint32(g.Fn.Window)])
		}
		c.stacks = append(c.stacks, st)
	}
	return c
}

// diff returns the difference between two copies; empty if there is none. Static objects may have
// been added or filled in: code is compiled when it is first reached.
func (c *copied) diff(d *copied, m *Machine) string {
	switch {
	case !slices.Equal(c.order, d.order):
		return fmt.Sprint("order of goroutines: ", c.order, d.order)
	case !reflect.DeepEqual(c.scalars, d.scalars):
		return fmt.Sprintf("scalars: %+v, %+v", c.scalars, d.scalars)
	case c.out != d.out:
		return fmt.Sprintf("output: %q, %q", c.out, d.out)
	case !slices.Equal(c.dirty, d.dirty):
		return "list of changed base objects"
	case len(c.gs) != len(d.gs):
		return "number of goroutines"
	}
	for i, s := range c.slots {
		if d.slots[i] != s {
			return fmt.Sprint("slot of goroutine ", i)
		}
	}
	for i := range c.gs {
		if c.gs[i] != d.gs[i] {
			return fmt.Sprintf("goroutine %d: %+v, %+v", i, c.gs[i], d.gs[i])
		}
		if !slices.Equal(c.stacks[i], d.stacks[i]) {
			for k := range c.stacks[i] {
				if c.stacks[i][k] != d.stacks[i][k] {
					return fmt.Sprintf("stack of goroutine %d (%s): word %d of %d (frame at %d): %#x, %#x", i, m.gs[i].Fn.Name, k, len(c.stacks[i]), m.gs[i].FP, c.stacks[i][k], d.stacks[i][k])
				}
			}
		}
	}
	return c.diffObjects(d)
}

func (c *copied) diffObjects(d *copied) string {
	// Dynamic objects come after the static ones in both.
	split := func(c *copied) (static int) {
		return slices.IndexFunc(append(slices.Clone(c.headers), heap.Object{}), func(o heap.Object) bool { return o.Flags&heap.Static == 0 })
	}
	ns, nt := split(c), split(d)
	if ns > nt || len(c.headers)-ns != len(d.headers)-nt {
		return fmt.Sprintf("number of objects: %d+%d, %d+%d", ns, len(c.headers)-ns, nt, len(d.headers)-nt)
	}
	added := 0
	for _, o := range d.headers[ns:nt] {
		added += int(o.Size)
	}
	at, to := 0, 0
	for i, o := range c.headers {
		k := i
		if i == ns {
			to += added
		}
		if i >= ns {
			k += nt - ns
		}
		if o.Flags&heap.Frozen != 0 && i < ns && o.Size == 0 {
			to += int(d.headers[k].Size)
			continue // a type descriptor written in the meantime
		}
		if o != d.headers[k] {
			return fmt.Sprintf("object %d: %+v, %+v", i, o, d.headers[k])
		}
		n := int(o.Size)
		if !bytes.Equal(c.mem[at:at+n], d.mem[to:to+n]) {
			return fmt.Sprintf("contents of object %d: %x, %x", i, c.mem[at:at+n], d.mem[to:to+n])
		}
		at, to = at+n, to+n
	}
	return ""
}
