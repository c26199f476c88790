package optimal

import (
	"cmp"
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/por/hb"
	"hbcheck.dev/hbcheck/trace"
)

// Pasts that Optimal finds are kept by their frames until all that is above these has been explored. That costs nothing but
// memory: as many can be found for one operation as a part of the program has classes. So if they take
// more than Config.PastsMemory, the next ones are explored as soon as they are found ("eager race
// reversal", Abdulla, Atig, Das, Jonsson and Sagonas: "Parsimonious Optimal Dynamic Partial Order Reduction", CAV 2024, section 4).
// Meanwhile the frames above are put aside, and then the search executes their events again.
//
// Guarantees: the same executions, in another order; and the memory that is needed besides PastsMemory is polynomial
// in the length n of an execution. Proof: an event shows at most one past for each frame and goroutine. While it is
// explored, others are found, and so on. Each of these takes what is planned behind its frame
// with it (the first rule of Optimal), and the event that shows it is planned then. So either there are more planned events than before, or that event had been planned
// before and the frame is a lower one than the last time. Hence less than n*n frames' stacks are ever put aside at the same time.
//
// It does not hold of operations on channels, whose pasts leave out what is planned (see meetings.go), and whose names are kept in past.seen, as those of
// Conds are; of frames whose operations have alternatives, as long as these have not all been taken; nor if there are several workers.

// defaultPastsMemory is the default of settings.pastsMemory.
const defaultPastsMemory = 32 << 20

// due is a past of frame at's operation that is to be explored before the search goes on.
type due struct {
	at    int
	it    item
	moves []hb.Transition
}

// keeps reports whether there is memory for another past of f.
func (s *optimal) keeps(f *past) bool {
	most := s.set.pastsMemory
	if most == 0 {
		most = defaultPastsMemory
	}
	return s.kept < most || f.next < f.n || s.worker != nil
}

// keep adds n bytes to what f keeps.
func (s *optimal) keep(f *past, n int64) {
	f.kept += n
	s.kept += n
}

// size returns the memory that an item takes.
func (it *item) size() int64 {
	return int64(unsafe.Sizeof(*it)) + int64(it.hi-it.lo)*int64(unsafe.Sizeof(hb.Transition{}))
}

// standing is a path, and the frames above some frame, that have been put aside.
type standing struct {
	path     trace.Schedule
	over     []bool
	planned  []bool
	at, head []int32
	gone     []trace.GID
	cur      trace.GID
	frames   []past
}

// settle explores the pasts that are due and comes back.
func (s *optimal) settle() {
	list := s.due
	s.due = nil // those found from here on are explored from there
	slices.SortStableFunc(list, func(a, b due) int { return cmp.Compare(b.at, a.at) })
	from := s.frames[list[len(list)-1].at].depth
	a := standing{path: slices.Clone(s.Path[from:]), planned: slices.Clone(s.planned[from:]), at: slices.Clone(s.at[from:]),
		head: slices.Clone(s.head[from:]), gone: slices.Clone(s.gone), cur: s.cur}
	for i := from; i < len(s.Events); i++ {
		a.over = append(a.over, s.Events[i].EndsExecution)
	}
	for _, d := range list {
		s.putAside(&a, d.at+1)
		f := &s.frames[d.at]
		moves, items := len(f.moves), len(f.items)
		f.moves = append(f.moves, d.moves...)
		d.it.lo, d.it.hi = moves, len(f.moves)
		s.rewindTo(f)
		s.past(d.at, d.it)
		for !s.Halted {
			if len(s.due) > 0 {
				s.settle()
			} else if len(s.frames) > d.at+1 {
				s.backtrack()
			} else {
				break
			}
		}
		if s.Halted {
			return
		}
		if f = &s.frames[d.at]; len(f.items) == items {
			f.moves = f.moves[:moves]
		}
	}
	s.comeBack(&a)
}

// putAside moves the frames from number i on to a.
func (s *optimal) putAside(a *standing, i int) {
	above := s.frames[i:]
	for j := len(above) - 1; j >= 0; j-- {
		s.release(&above[j])
		s.aside += above[j].bytes()
	}
	a.frames = append(slices.Clone(above), a.frames...)
	clear(above) // their memory is not to be used again
	s.frames = s.frames[:i]
}

// comeBack executes what is in a again, from the youngest frame on.
func (s *optimal) comeBack(a *standing) {
	s.rewindTo(&s.frames[len(s.frames)-1])
	for i := 0; ; i++ {
		for len(a.frames) > 0 && a.frames[0].depth == len(s.Events) {
			s.frames = append(s.frames, a.frames[0])
			f := &s.frames[len(s.frames)-1]
			f.mark = s.Sys.Mark()
			s.aside -= f.bytes()
			a.frames = a.frames[1:]
		}
		if i == len(a.path) {
			break
		}
		x := a.path[i]
		if s.watch != nil {
			op := s.Sys.Next(x.G)
			s.watch.Stepping(x.G, &op)
		}
		if !a.over[i] {
			s.Execute(x.G, x.Choice)
			continue
		}
		m := s.Sys.Mark()
		s.Execute(x.G, x.Choice)
		s.rewind(m)
		s.Sys.Release(m)
		s.Pending[x.G] = hb.NextOp{}
	}
	s.planned, s.at, s.head = append(s.planned, a.planned...), append(s.at, a.at...), append(s.head, a.head...)
	s.gone, s.cur = append(s.gone[:0], a.gone...), a.cur
}

// bytes returns the memory that f has.
func (f *past) bytes() int64 {
	return int64(unsafe.Sizeof(*f)) + int64(cap(f.moves))*int64(unsafe.Sizeof(hb.Transition{})) + int64(cap(f.items))*int64(unsafe.Sizeof(item{})) + int64(len(f.seen))*nameSize
}

// nameSize is what an entry of past.seen takes, about.
const nameSize = 24
