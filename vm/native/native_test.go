package native

import (
	"testing"
	"unsafe"
)

// memory is a Guest that has nothing but the slices that a native declares.
type memory struct {
	t     *testing.T
	f     Func
	bytes map[uint64][]byte // by address
	write map[uint64]bool
	read  map[uint64]bool
}

func (m *memory) Readable(p, n uint64) []byte {
	b, ok := m.bytes[p]
	if !ok || uint64(len(b)) < n {
		m.t.Errorf("%s reads %d bytes at %d, which it does not declare", m.f.Name, n, p)
		return make([]byte, n)
	}
	m.read[p] = true
	return b[:n]
}

func (m *memory) Writable(p uint64, n uint32) []byte {
	if !m.write[p] {
		m.t.Errorf("%s writes at %d, which it does not declare", m.f.Name, p)
	}
	return m.Readable(p, uint64(n))
}

// TestUses: natives that declare slices access these, all of them, and no others.
func TestUses(t *testing.T) {
	n := 0
	for _, f := range All() {
		if len(f.Uses) == 0 {
			continue
		}
		n++
		if len(f.Uses) > 2 {
			t.Errorf("%s: %d slices: an operation has two accesses", f.Name, len(f.Uses))
		}
		var window [16]uint64
		for i := range window {
			window[i] = 1
		}
		m := &memory{t, f, map[uint64][]byte{}, map[uint64]bool{}, map[uint64]bool{}}
		for i, s := range f.Uses {
			const elems = 128 // whole blocks of all hashes
			p := uint64(i+1) << 32
			window[s.At] = p
			size := s.Array * s.Elem
			if s.Array == 0 {
				window[s.At+1] = elems
				size = elems * s.Elem
			}
			words := make([]uint64, (size+7)/8)
			m.bytes[p] = unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), size)
			m.write[p] = s.Write
		}
		f.Fn(m, Words{unsafe.Pointer(&window)})
		if len(m.read) != len(f.Uses) {
			t.Errorf("%s accesses %d slices and declares %d", f.Name, len(m.read), len(f.Uses))
		}
	}
	if n < 10 {
		t.Errorf("only %d natives declare slices", n)
	}
}
