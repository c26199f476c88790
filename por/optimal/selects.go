package optimal

import (
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// What selects need besides (see meetings.go): to tell when one is disabled, and which could meet another.
//
// A select is disabled if none of its cases is ready, and each case is a matter of its channel. If two sets of events disable it, so does what they
// have in common: on each channel that is as much as has happened in one of the two. So there is a smallest one. An
// execution in which a select x has been disabled is explored behind the smallest set that does that, and nowhere else; as long as x is not,
// the parts of its past are added in the order of canonical, and never one with which a smaller set disables x (earlier).

// earlier reports whether fewer events than those of f's past so far and y, but among them y, disable f's operation.
func (s *optimal) earlier(f *past, y int) bool {
	op := s.Next(f.g)
	if f.head < 0 || f.parks || !op.MultiWay() {
		return false
	}
	s.some = s.some[:0]
	for h := f.head; h >= 0; h = s.head[h] {
		if !s.Before(int(h), s.Clock(y)) {
			s.some = append(s.some, int(h))
		}
	}
	return len(s.some) > 0 && s.subset(f, s.Clock(y), 0, false)
}

// subset reports whether f's operation is disabled behind what has the clock c with some of s.some[k:]; short says that some are missing.
func (s *optimal) subset(f *past, c []uint32, k int, short bool) bool {
	for k < len(s.some) && s.Before(s.some[k], c) {
		k++
	}
	if k == len(s.some) {
		return short && s.disabled(f, c)
	}
	if s.subset(f, c, k+1, true) {
		return true
	}
	with := slices.Clone(c)
	s.Join(with, s.some[k])
	return s.subset(f, with, k+1, short)
}

// disabled reports whether f's operation cannot be executed behind the state in which f's first past began and those events since that happened before what
// has the clock c.
func (s *optimal) disabled(f *past, c []uint32) bool {
	for i := range f.cases {
		k := f.cases[i]
		if k.Chan == 0 {
			continue
		}
		for j := f.base; j < len(s.Events); j++ {
			if !s.Before(j, c) {
				continue
			}
			switch e := &s.Events[j]; e.Op.Kind {
			case trace.Close:
				k.Closed = k.Closed || e.Op.Access[0].Obj == k.Chan
			case trace.Send, trace.Recv:
				if e.Op.Slot.Capacity == 0 || e.Op.Slot.Empty || e.Op.Access[0].Obj != k.Chan {
				} else if e.Op.Kind == trace.Send {
					k.Len++
				} else {
					k.Len--
				}
			case trace.Timer:
				if e.Op.N == 2 && e.Op.Access[1].Obj == k.Chan {
					k.Len = 1
				}
			case trace.SyncAccess:
				if e.Op.N == 2 && e.Op.Access[1].Obj == k.Chan {
					k.Len = 0
				}
			default:
				if e.BufferChan == k.Chan {
					k.Len += e.BufferChange
				}
			}
		}
		if k.Closed || k.Send && k.Len < k.Room || !k.Send && k.Len > 0 || k.Send && k.Room == 0 && s.faced(f, &k, c) {
			return false
		}
	}
	return true
}

// faced reports whether somebody stands there to whom k could send. (Who could send to it does so by himself.)
func (s *optimal) faced(f *past, k *por.Case, c []uint32) bool {
	for _, h := range s.stays(f.base) {
		if h.g != f.g && (h.from < f.base || s.Before(h.from, c)) && (h.until >= len(s.Events) || !s.Before(h.until, c)) && s.receives(&h, k.Chan) {
			return true
		}
	}
	return false
}

// receives reports whether the goroutine that stays there waits for what is sent to channel ch.
func (s *optimal) receives(h *stay, ch uint32) bool {
	if h.op.Kind != trace.Select {
		return h.op.Kind == trace.Recv && h.op.Access[0].Obj == ch
	}
	for i := range s.Snapshots {
		if f := &s.Snapshots[i]; f.G == h.g && f.At == h.from {
			return slices.ContainsFunc(f.Cases, func(k por.Case) bool { return k.Chan == ch && !k.Send })
		}
	}
	return false
}
