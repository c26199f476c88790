package classes

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// toy is a system of threads without branches over variables and locks x, y, z. Its state
// is copied at each mark.
type toy struct {
	prog [][]toyOp
	toyState
	marks []toyState
}

type toyState struct {
	pc   [8]int
	vars [3]int
	held [3]bool
	last [8]int // read by each thread
}

type toyOp struct {
	kind trace.Kind
	loc  uint32
	val  int
}

// parse reads "Wx1 Rx | Ax1 | Lx Ux": write, read, add, lock, unlock.
func parse(text string) *toy {
	t := &toy{}
	kinds := map[byte]trace.Kind{'W': trace.AtomicStore, 'R': trace.AtomicLoad, 'A': trace.AtomicRMW, 'L': trace.Lock, 'U': trace.Unlock}
	for thread := range strings.SplitSeq(text, "|") {
		var ops []toyOp
		for _, w := range strings.Fields(thread) {
			op := toyOp{kind: kinds[w[0]], loc: uint32(w[1] - 'x')}
			if len(w) > 2 {
				op.val = int(w[2] - '0')
			}
			ops = append(ops, op)
		}
		t.prog = append(t.prog, ops)
	}
	return t
}

func (t *toy) op(g trace.GID) (toyOp, bool) {
	if t.pc[g] == len(t.prog[g]) {
		return toyOp{}, false
	}
	return t.prog[g][t.pc[g]], true
}

func (t *toy) Enabled(buf []trace.GID) []trace.GID {
	for g := range t.prog {
		if o, ok := t.op(trace.GID(g)); ok && !(o.kind == trace.Lock && t.held[o.loc]) {
			buf = append(buf, trace.GID(g))
		}
	}
	return buf
}

func (t *toy) Next(g trace.GID) trace.Op {
	o, ok := t.op(g)
	if !ok {
		return trace.Op{G: g}
	}
	obj := o.loc
	if o.kind == trace.Lock || o.kind == trace.Unlock {
		obj += 8
	}
	return trace.Op{G: g, Kind: o.kind, N: 1, Access: [2]trace.Access{{Obj: obj, Size: 8, Write: o.kind != trace.AtomicLoad}}}
}

func (t *toy) Alternatives(trace.GID) int { return 1 }

func (t *toy) Step(g trace.GID, _ int) {
	o, _ := t.op(g)
	t.pc[g]++
	switch o.kind {
	case trace.AtomicStore:
		t.vars[o.loc] = o.val
	case trace.AtomicLoad:
		t.last[g] = 31*t.last[g] + t.vars[o.loc] + 1
	case trace.AtomicRMW:
		t.last[g] = 31*t.last[g] + t.vars[o.loc] + 1
		t.vars[o.loc] += o.val
	case trace.Lock:
		t.held[o.loc] = true
	case trace.Unlock:
		t.held[o.loc] = false
	}
}

func (t *toy) Mark() por.Mark {
	t.marks = append(t.marks, t.toyState)
	return por.Mark(len(t.marks) - 1)
}
func (t *toy) Rewind(m por.Mark)  { t.toyState = t.marks[m] }
func (t *toy) Release(m por.Mark) { t.marks = t.marks[:m] }
func (t *toy) Hash() por.Hash {
	h := fnv.New128a()
	fmt.Fprint(h, t.toyState)
	s := h.Sum(nil)
	var v por.Hash
	for i, b := range s {
		v[i/8] = v[i/8]<<8 | uint64(b)
	}
	return v
}

func (t *toy) Status() por.Status {
	if len(t.Enabled(nil)) > 0 {
		return por.Running
	}
	for g := range t.prog {
		if t.pc[g] < len(t.prog[g]) {
			return por.Stuck
		}
	}
	return por.Ended
}

var exact = Relation{Dependent: Conflicts}

// The numbers of these litmus tests come with GenMC and Nidhugg; those of tests with locks were
// counted by hand.
func TestCounts(t *testing.T) {
	for _, c := range []struct {
		name, prog          string
		ended, stuck        int
		rfEnded, executions int
	}{
		{"nobody", "", 1, 0, 1, 1},
		{"alone", "Wx1 Rx", 1, 0, 1, 1},
		{"two readers", "Rx | Rx", 1, 0, 1, 2},
		{"SB", "Wx1 Ry | Wy1 Rx", 3, 0, 3, 6},
		{"2+2W", "Wx1 Wy2 | Wy1 Wx2", 3, 0, 1, 6},
		{"CoRR1", "Wx1 | Wx2 | Rx Rx | Rx", 36, 0, 21, 60},
		{"IRIW", "Wx1 | Rx Ry | Ry Rx | Wy1", 15, 0, 15, 180},
		{"ainc(3)", "Ax1 | Ax1 | Ax1", 6, 0, 6, 6},
		{"Z6.U", "Wx1 Wy1 | Ay1 Ry | Wy3 Rx", 18, 0, 13, 90},
		{"lockinc(2)", "Lx Rx Wx1 Ux | Lx Rx Wx1 Ux", 2, 0, 2, 2},
		{"deadlock", "Lx Ly Uy Ux | Ly Lx Ux Uy", 2, 1, 2, 6},
		{"philosophers", "Lx Ly Uy Ux | Ly Lz Uz Uy | Lz Lx Ux Uz", 6, 1, 6, 168},
	} {
		all, err := All(parse(c.prog), exact, 1000)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		merged, err := Merge(parse(c.prog), exact, 10000)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for _, e := range []*Enumeration{all, merged} {
			if e.Ended != c.ended || e.Stuck != c.stuck || e.RFEnded != c.rfEnded || e.RFStuck != c.stuck {
				t.Errorf("%s: %+v, want %+v", c.name, e.Counts, c)
			}
		}
		if all.Executions != uint64(c.executions) {
			t.Errorf("%s: %d executions, want %d", c.name, all.Executions, c.executions)
		}
		if merged.Executions != uint64(merged.Total()) {
			t.Errorf("%s: merging meets %d executions of %d classes", c.name, merged.Executions, merged.Total())
		}
	}
}

// TestMergeAgrees: merging prefixes finds the same classes as executing every interleaving.
func TestMergeAgrees(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 400 {
		prog := random(r)
		all, err := All(parse(prog), exact, 100_000)
		if err != nil {
			t.Fatal(err)
		}
		merged, err := Merge(parse(prog), exact, 100_000)
		if err != nil {
			t.Fatalf("program %d, %s: %v", i, prog, err)
		}
		if fmt.Sprint(all.Classes) != fmt.Sprint(merged.Classes) || fmt.Sprint(all.RF) != fmt.Sprint(merged.RF) {
			t.Fatalf("program %d, %s: %+v, merged %+v", i, prog, all.Counts, merged.Counts)
		}
	}
}

// TestFree: a read of a location that is never written can be executed at once.
func TestFree(t *testing.T) {
	free := exact
	free.Free = func(op *trace.Op) bool { return op.Access[0].Obj == 1 }
	const prog = "Wx1 Ry Rx | Ry Wx2 | Lx Rx Ux Ry"
	want, err := All(parse(prog), exact, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	got, err := All(parse(prog), free, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got.Classes) != fmt.Sprint(want.Classes) || got.Executions >= want.Executions {
		t.Errorf("%+v, want %+v with fewer executions", got.Counts, want.Counts)
	}
}

// random returns a program of two or three threads.
func random(r *rand.Rand) string {
	var threads []string
	for range 2 + r.IntN(2) {
		var ops []string
		held := ""
		for range 1 + r.IntN(3) {
			loc := string("xyz"[r.IntN(3)])
			switch r.IntN(5) {
			case 0:
				if !strings.Contains(held, loc) {
					ops, held = append(ops, "L"+loc), held+loc
				}
			case 1:
				ops = append(ops, fmt.Sprintf("W%s%d", loc, 1+len(threads)))
			case 2:
				ops = append(ops, fmt.Sprintf("A%s%d", loc, 1+len(threads)))
			default:
				ops = append(ops, "R"+loc)
			}
		}
		for _, l := range held {
			ops = append(ops, "U"+string(l))
		}
		threads = append(threads, strings.Join(ops, " "))
	}
	return strings.Join(threads, " | ")
}

// TestMergeChecks: if operations are wrongly said to be independent, the result is an error.
func TestMergeChecks(t *testing.T) {
	blind := Relation{Dependent: func(a, b *trace.Op) bool {
		return Conflicts(a, b) && a.Kind != trace.AtomicLoad && b.Kind != trace.AtomicLoad
	}}
	if e, err := Merge(parse("Wx1 | Rx"), blind, 100); err == nil {
		t.Errorf("a read and a write are taken to be independent, and that gives %+v", e.Counts)
	}
}

func TestLimit(t *testing.T) {
	var l Limit
	if _, err := All(parse("Wx1 Ry | Wy1 Rx"), exact, 5); !errors.As(err, &l) || l != 5 {
		t.Errorf("6 executions, 5 allowed: %v", err)
	}
	if _, err := Merge(parse("Wx1 Ry | Wy1 Rx"), exact, 5); !errors.As(err, &l) || l != 5 {
		t.Errorf("more than 5 prefixes, 5 allowed: %v", err)
	}
}

// TestOf: the class of one execution is the one it was enumerated under.
func TestOf(t *testing.T) {
	sys := parse("Wx1 Wy2 | Wy1 Wx2")
	e, err := All(sys, exact, 100)
	if err != nil {
		t.Fatal(err)
	}
	seq := func(gs ...trace.GID) (s trace.Schedule) {
		for _, g := range gs {
			s = append(s, trace.Step{G: g})
		}
		return s
	}
	a, rfa := Of(sys, exact, seq(0, 1, 0, 1))
	b, rfb := Of(sys, exact, seq(1, 0, 0, 1)) // Wx1 and Wy1 commute
	c, rfc := Of(sys, exact, seq(0, 0, 1, 1))
	if a != b || a == c {
		t.Errorf("classes %x, %x, %x, want the first two equal only", a, b, c)
	}
	if rfa != rfb || rfa != rfc {
		t.Errorf("nothing is read, but from different writers: %x, %x, %x", rfa, rfb, rfc)
	}
	if _, known := e.Classes[c]; !known {
		t.Errorf("%x is none of the classes %x", c, e.Classes)
	}
}

// TestPartner: two events in which one goroutine takes part happen before its next event, in their order,
// whatever their locations.
func TestPartner(t *testing.T) {
	meets := Relation{Dependent: Conflicts, Partner: func(g trace.GID, _ int) (trace.GID, bool) { return 2, g < 2 }}
	for rel, want := range map[*Relation]int{&exact: 1, &meets: 2} {
		e, err := All(parse("Wx1 | Wy1 | "), *rel, 100)
		if err != nil {
			t.Fatal(err)
		}
		if e.Ended != want {
			t.Errorf("%d classes, want %d", e.Ended, want)
		}
	}
}
