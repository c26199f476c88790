package vm

import (
	"unsafe"

	"hbcheck.dev/hbcheck/vm/layout"
)

// shownHash is Memory.Hash for the program, which depends on the time if there are Times in the image.
func (m *Machine) shownHash(l *layout.Layout, p unsafe.Pointer, h uint64) (uint64, uint64) {
	n := m.mem.TimesHashed
	h, bad := m.mem.Hash(l, p, h)
	if m.mem.TimesHashed != n {
		m.observeTime()
	}
	return h, bad
}

// str returns the guest string with data p and length n: see Memory.Str.
func (m *Machine) str(p, n uint64) string { return m.mem.Str(p, n) }

// literal returns the address of a host text's bytes.
func (m *Machine) literal(s string) uint64 { return m.link.Literal(s) }
