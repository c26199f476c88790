package structures

import "sync/atomic"

// A Slot is one entry of a map. A Put that loses against another one need not try again: it is as
// if its value had been replaced at once. But it has replaced the value that was there before. Here
// a lost Put returns the value that is there now. That is what lincheck found in JCTools'
// NonBlockingHashMapLong (issue 319).
type Slot struct{ value atomic.Int64 }

func (s *Slot) Put(x int) int {
	old := s.value.Load()
	if !s.value.CompareAndSwap(old, int64(x)) {
		return int(s.value.Load())
	}
	return int(old)
}

func (s *Slot) Get() int { return int(s.value.Load()) }

// A Mended slot tries again.
type Mended struct{ Slot }

func (s *Mended) Put(x int) int {
	for {
		old := s.value.Load()
		if s.value.CompareAndSwap(old, int64(x)) {
			return int(old)
		}
	}
}

// A Snapshot has two registers. Scan reads them one after the other until nothing has changed in
// between, or only once.
type Snapshot struct {
	once      bool
	registers [2]atomic.Int64
}

func (s *Snapshot) Update(i, x int) { s.registers[i].Store(int64(x)) }

func (s *Snapshot) Scan() [2]int {
	for {
		a := [2]int{int(s.registers[0].Load()), int(s.registers[1].Load())}
		if s.once || a == [2]int{int(s.registers[0].Load()), int(s.registers[1].Load())} {
			return a
		}
	}
}
