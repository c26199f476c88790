package progen

import (
	"encoding/binary"
	"slices"
)

// refState is a state of the reference interpreter. Every goroutine is about to execute a visible
// operation, is parked in one, or has ended.
type refState struct {
	cells  []int
	atoms  []int
	maps   []refMap
	mus    []bool
	rws    []refRW
	conds  [][]int8 // goroutines that wait and are not notified
	wgs    []int
	onces  []onceState
	chans  []refChan
	gs     []refG
	out    string
	ending string // the end of the program, if it has ended by itself
}

type refMap struct {
	keys, vals, seqs []int
	seq              int
}

// refRW has the counters of the runtime's RWMutex and of its two semaphores.
type refRW struct {
	count, wait int // readerCount, readerWait
	rsem, wsem  int
}

// refMaxReaders is subtracted from count by a writer.
const refMaxReaders = 1 << 30

type onceState uint8

const (
	onceNew onceState = iota
	onceRunning
	onceDone
)

type refChan struct {
	buf          []int
	closed       bool
	recvq, sendq []parked
}

// parked is a goroutine's place in a channel's queue.
type parked struct {
	g    int8
	kase int8 // of its select; -1 for a plain operation
	val  int  // that it sends
}

// refG is a goroutine.
type refG struct {
	l        [Locals]int
	tmp      int
	iter     int   // for a range over a map: the entry that was visited last
	iterEnd  int   // for a range over a map: the newest entry when the range began
	line     []int // values to print
	frames   []refFrame
	waiting  bool // parked in its operation, or waiting to be notified
	crashing bool
	val      panicVal // of the panic it crashes with
}

type panicVal string

// refFrame is a function activation.
type refFrame struct {
	fn, pc    int
	kind      frameKind
	arg       int // once number
	defers    []int
	ending    bool // the frame runs its deferred calls
	panicking bool
	leaving   bool // the body of a Once that has ended
	val       panicVal
}

type frameKind uint8

const (
	bottomFrame frameKind = iota
	callFrame
	deferFrame
	onceFrame
)

// clone returns an independent copy of s.
func (s *refState) clone() *refState {
	t := *s
	t.cells = slices.Clone(s.cells)
	t.atoms = slices.Clone(s.atoms)
	t.maps = slices.Clone(s.maps)
	for i := range t.maps {
		m := &t.maps[i]
		m.keys, m.vals, m.seqs = slices.Clone(m.keys), slices.Clone(m.vals), slices.Clone(m.seqs)
	}
	t.mus = slices.Clone(s.mus)
	t.rws = slices.Clone(s.rws)
	t.conds = slices.Clone(s.conds)
	for i := range t.conds {
		t.conds[i] = slices.Clone(t.conds[i])
	}
	t.wgs = slices.Clone(s.wgs)
	t.onces = slices.Clone(s.onces)
	t.chans = slices.Clone(s.chans)
	for i := range t.chans {
		c := &t.chans[i]
		c.buf, c.recvq, c.sendq = slices.Clone(c.buf), slices.Clone(c.recvq), slices.Clone(c.sendq)
	}
	t.gs = slices.Clone(s.gs)
	for i := range t.gs {
		g := &t.gs[i]
		g.line = slices.Clone(g.line)
		g.frames = slices.Clone(g.frames)
		for k := range g.frames {
			g.frames[k].defers = slices.Clone(g.frames[k].defers)
		}
	}
	return &t
}

// key encodes s.
func (s *refState) key(buf []byte) []byte {
	num := func(n int) { buf = binary.AppendVarint(buf, int64(n)) }
	nums := func(l []int) {
		num(len(l))
		for _, n := range l {
			num(n)
		}
	}
	flag := func(b bool) {
		if b {
			num(1)
		} else {
			num(0)
		}
	}
	nums(s.cells)
	nums(s.atoms)
	for _, m := range s.maps {
		nums(m.keys)
		nums(m.vals)
		nums(m.seqs)
	}
	for _, b := range s.mus {
		flag(b)
	}
	for _, r := range s.rws {
		nums([]int{r.count, r.wait, r.rsem, r.wsem})
	}
	for _, c := range s.conds {
		num(len(c))
		for _, g := range c {
			num(int(g))
		}
	}
	nums(s.wgs)
	for _, o := range s.onces {
		num(int(o))
	}
	for _, c := range s.chans {
		nums(c.buf)
		flag(c.closed)
		for _, q := range [][]parked{c.recvq, c.sendq} {
			num(len(q))
			for _, w := range q {
				num(int(w.g))
				num(int(w.kase))
				num(w.val)
			}
		}
	}
	num(len(s.gs))
	for i := range s.gs {
		g := &s.gs[i]
		nums(g.l[:])
		num(g.tmp)
		num(g.iter)
		num(g.iterEnd)
		nums(g.line)
		flag(g.waiting)
		flag(g.crashing)
		buf = append(buf, g.val...)
		num(len(g.frames))
		for _, f := range g.frames {
			num(f.fn)
			num(f.pc)
			num(int(f.kind))
			num(f.arg)
			nums(f.defers)
			flag(f.ending)
			flag(f.panicking)
			flag(f.leaving)
			buf = append(buf, f.val...)
			num(0)
		}
	}
	buf = append(buf, s.out...)
	num(0)
	return append(buf, s.ending...)
}
