package progen

import (
	"fmt"
	"slices"
	"strings"
)

// successors returns the states that g's next operation can lead to; none if
// it has to wait.
func (r *refMachine) successors(s *refState, g int) []*refState {
	me := &s.gs[g]
	if len(me.frames) == 0 {
		return nil
	}
	in := r.next(s, g)
	switch in.op {
	case Send, Recv, Range, Select:
		if me.waiting {
			return nil // the partner acts
		}
		return r.channel(s, g, in)
	case Signal:
		if len(s.conds[in.a]) == 0 {
			break
		}
		// Any waiter may be woken.
		var all []*refState
		for k := range s.conds[in.a] {
			t := s.clone()
			w := t.conds[in.a][k]
			t.conds[in.a] = slices.Delete(t.conds[in.a], k, k+1)
			t.gs[w].waiting = false
			r.advance(t, g)
			all = append(all, t)
		}
		return all
	}
	if !r.enabled(s, g, in) {
		return nil
	}
	t := s.clone()
	r.step(t, g, in)
	return []*refState{t}
}

// advance moves g past its operation and lets it continue.
func (r *refMachine) advance(s *refState, g int) {
	f := &s.gs[g].frames[len(s.gs[g].frames)-1]
	f.pc++
	r.run(s, g)
}

// enabled reports whether the operation of g, which is not on channels, can proceed.
func (r *refMachine) enabled(s *refState, g int, in *instr) bool {
	switch in.op {
	case Lock:
		return !s.mus[in.a]
	case RLock, WLock:
		rw := &s.rws[in.a]
		return rw.count >= 0 || in.op == RLock && rw.rsem > 0
	case wlockWait:
		return s.rws[in.a].wsem > 0
	case condWake, wgWoken:
		return !s.gs[g].waiting
	case Once:
		return s.onces[in.a] != onceRunning
	}
	return true
}

// step executes the operation of g.
func (r *refMachine) step(s *refState, g int, in *instr) {
	me := &s.gs[g]
	f := &me.frames[len(me.frames)-1]
	v := r.eval(s, g, in.e)
	fail := func() { f.pc = in.to - 1 } // advance adds one
	fatal := func(text string) { s.ending = "fatal: " + text }
	switch in.op {
	case Load:
		me.l[in.a] = s.cells[in.b]
	case loadTmp:
		me.tmp = s.cells[in.b]
	case Store:
		s.cells[in.b] = r.p.cells[in.b].wrap(v)
	case addTmp:
		t := r.p.cells[in.b]
		s.cells[in.b] = t.wrap(me.tmp + t.wrap(v))
		me.tmp = 0
	case LoadAt, LoadAtRaw:
		me.l[in.a] = s.cells[r.element(s, g, in)]
	case StoreAt:
		c := r.element(s, g, in)
		s.cells[c] = r.p.cells[c].wrap(v)
	case Lock:
		s.mus[in.a] = true
	case Unlock:
		if !s.mus[in.a] {
			fatal("sync: unlock of unlocked mutex")
			return
		}
		s.mus[in.a] = false
	case TryLock:
		if s.mus[in.a] {
			fail()
		}
		s.mus[in.a] = true
	case RLock, RUnlock, TryRLock, WLock, wlockWait, WUnlock, TryWLock:
		if text := r.rwStep(&s.rws[in.a], in, fail, func() { f.pc++ }); text != "" {
			fatal(text)
			return
		}
	case condAdd:
		s.conds[in.a] = append(s.conds[in.a], int8(g))
		slices.Sort(s.conds[in.a])
		me.waiting = true
	case condWake:
	case Signal: // no goroutine waits
	case Broadcast:
		for _, w := range s.conds[in.a] {
			s.gs[w].waiting = false
		}
		s.conds[in.a] = nil
	case WgAdd, WgDone:
		d := in.b
		if in.op == WgDone {
			d = -1
		}
		s.wgs[in.a] += d
		if s.wgs[in.a] < 0 {
			r.panic(f, "sync: negative WaitGroup counter")
			r.run(s, g)
			return
		}
		if s.wgs[in.a] == 0 {
			for k := range s.gs {
				if len(s.gs[k].frames) > 0 && s.gs[k].waiting {
					if x := r.next(s, k); x.op == wgWoken && x.a == in.a {
						s.gs[k].waiting = false
					}
				}
			}
		}
	case WgWait:
		if s.wgs[in.a] == 0 {
			f.pc++ // nothing to wait for
		} else {
			me.waiting = true
		}
	case wgWoken:
		if s.wgs[in.a] != 0 {
			r.panic(f, "sync: WaitGroup is reused before previous Wait has returned")
			r.run(s, g)
			return
		}
	case Once:
		if s.onces[in.a] == onceNew {
			s.onces[in.a] = onceRunning
			f.pc++
			me.frames = append(me.frames, refFrame{fn: in.fn, kind: onceFrame, arg: in.a})
			r.run(s, g)
			return
		}
	case onceLeave:
		s.onces[in.a] = onceDone
		f.leaving = false
		r.run(s, g)
		return
	case AtomLoad:
		me.l[in.a] = s.atoms[in.b]
	case AtomStore:
		s.atoms[in.b] = v
	case AtomAdd:
		s.atoms[in.b] += v
		if in.a >= 0 {
			me.l[in.a] = s.atoms[in.b]
		}
	case AtomSwap:
		me.l[in.a], s.atoms[in.b] = s.atoms[in.b], v
	case AtomCAS:
		if s.atoms[in.b] == in.c {
			s.atoms[in.b] = v
		} else {
			fail()
		}
	case MapSet, MapGet, MapDel, MapLen, mapNext:
		r.mapStep(s, me, in, v, fail)
	case Close:
		if r.p.Chans[in.a].Nil {
			r.panic(f, "close of nil channel")
			r.run(s, g)
			return
		}
		if s.chans[in.a].closed {
			r.panic(f, "close of closed channel")
			r.run(s, g)
			return
		}
		r.closeChan(s, in.a)
	case ChanLen:
		me.l[in.b] = len(s.chans[in.a].buf)
	case printCell:
		me.line = append(me.line, s.cells[in.b])
	case printAtom:
		me.line = append(me.line, s.atoms[in.b])
	case printMap:
		v, _ := s.maps[in.a].get(in.b)
		me.line = append(me.line, v)
	case printLine:
		line := append(me.line, me.l[:]...)
		s.print(strings.Trim(fmt.Sprint(line), "[]"))
		me.line = nil
	case Print:
		s.print(fmt.Sprint(v))
	case crash:
		s.ending = "panic: " + string(me.val)
		return
	default:
		panic(fmt.Sprintf("progen: no execution for operation %d", in.op))
	}
	r.advance(s, g)
}

func (s *refState) print(text string) {
	if s.out != "" {
		s.out += ";"
	}
	s.out += text
}

// rwStep is the runtime's code, each method in one step: a reader that would have to wait has not arrived
// yet. A writer without readers to wait for skips wlockWait.
func (r *refMachine) rwStep(rw *refRW, in *instr, fail, skip func()) string {
	switch in.op {
	case RLock:
		if rw.count < 0 {
			rw.rsem--
		}
		rw.count++
	case RUnlock:
		rw.count--
		if rw.count == -1 || rw.count == -1-refMaxReaders {
			return "sync: RUnlock of unlocked RWMutex"
		}
		if rw.count < 0 {
			rw.wait--
			if rw.wait == 0 {
				rw.wsem++
			}
		}
	case TryRLock:
		if rw.count < 0 {
			fail()
		} else {
			rw.count++
		}
	case WLock:
		n := rw.count
		rw.count -= refMaxReaders
		rw.wait += n
		if n == 0 || rw.wait == 0 {
			skip()
		}
	case wlockWait:
		rw.wsem--
	case WUnlock:
		rw.count += refMaxReaders
		if rw.count >= refMaxReaders {
			return "sync: Unlock of unlocked RWMutex"
		}
		rw.rsem += rw.count
	case TryWLock:
		if rw.count != 0 {
			fail()
		} else {
			rw.count = -refMaxReaders
		}
	}
	return ""
}

func (m *refMap) find(k int) int { return slices.Index(m.keys, k) }

func (m *refMap) get(k int) (int, bool) {
	if i := m.find(k); i >= 0 {
		return m.vals[i], true
	}
	return 0, false
}

func (r *refMachine) mapStep(s *refState, me *refG, in *instr, v int, fail func()) {
	m := &s.maps[in.a]
	i := m.find(in.b)
	switch in.op {
	case MapSet:
		if i >= 0 {
			m.vals[i] = v
			return
		}
		m.seq++
		m.keys, m.vals, m.seqs = append(m.keys, in.b), append(m.vals, v), append(m.seqs, m.seq)
	case MapGet:
		me.l[in.c], _ = m.get(in.b)
	case MapDel:
		if i >= 0 {
			m.keys, m.vals, m.seqs = slices.Delete(m.keys, i, i+1), slices.Delete(m.vals, i, i+1), slices.Delete(m.seqs, i, i+1)
		}
	case MapLen:
		me.l[in.c] = len(m.keys)
	case mapNext:
		// Entries inserted during the loop are not visited, because the order makes no
		// difference to the sum; only a data race can insert any (observable.OrderMatters).
		if me.iterEnd == 0 {
			me.iterEnd = m.seq
		}
		for k, seq := range m.seqs {
			if seq > me.iter && seq <= me.iterEnd {
				me.iter = seq
				me.l[in.c] += 3*m.keys[k] + m.vals[k]
				return
			}
		}
		me.iter, me.iterEnd = 0, 0
		fail()
	}
}
