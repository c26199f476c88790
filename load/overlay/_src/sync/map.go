package sync

import (
	"internal/effect"
	"unsafe"
)

// Map is like a Go map[any]any but is safe for concurrent use. Each method is
// one visible operation, except that Range has one per key. A write of a key is
// ordered before the reads that observe it, and before nothing else.
type Map struct {
	_ noCopy

	m map[any]any
}

func (m *Map) read() { effect.Access(unsafe.Pointer(m), false) }

func (m *Map) write() { effect.Access(unsafe.Pointer(m), true) }

// observe orders the writes of key that can be seen now before what the caller does.
func (m *Map) observe(key any) { hbOrder(unsafe.Pointer(m), key, true, false) }

// replace orders what the caller has done before the reads that will observe its write of key.
func (m *Map) replace(key any) { hbOrder(unsafe.Pointer(m), key, false, true) }

// update is observe and replace.
func (m *Map) update(key any) { hbOrder(unsafe.Pointer(m), key, true, true) }

// hbOrder notes that the caller observes the writes of key, or replaces them, or both. Clear writes
// every key; its key is nil.
func hbOrder(p unsafe.Pointer, key any, observe, replace bool)

func (m *Map) set(key, value any) {
	if m.m == nil {
		m.m = make(map[any]any)
	}
	m.m[key] = value
}

// Load returns the value stored in the map for a key, or nil if there is none.
func (m *Map) Load(key any) (value any, ok bool) {
	m.read()
	value, ok = m.m[key]
	m.observe(key)
	return value, ok
}

// Store sets the value for a key.
func (m *Map) Store(key, value any) {
	m.write()
	m.set(key, value)
	m.replace(key)
}

// Clear deletes all the entries.
func (m *Map) Clear() {
	m.write()
	clear(m.m)
	hbOrder(unsafe.Pointer(m), nil, false, true)
}

// LoadOrStore returns the existing value for the key if present. Otherwise, it
// stores and returns the given value.
func (m *Map) LoadOrStore(key, value any) (actual any, loaded bool) {
	m.write()
	if v, ok := m.m[key]; ok {
		m.observe(key)
		return v, true
	}
	m.set(key, value)
	m.update(key)
	return value, false
}

// LoadAndDelete deletes the value for a key, returning the previous value if any.
func (m *Map) LoadAndDelete(key any) (value any, loaded bool) {
	m.write()
	value, loaded = m.m[key]
	delete(m.m, key)
	m.update(key)
	return value, loaded
}

// Delete deletes the value for a key.
func (m *Map) Delete(key any) {
	m.write()
	delete(m.m, key)
	m.replace(key)
}

// Swap swaps the value for a key and returns the previous value if any.
func (m *Map) Swap(key, value any) (previous any, loaded bool) {
	m.write()
	previous, loaded = m.m[key]
	m.set(key, value)
	m.update(key)
	return previous, loaded
}

// CompareAndSwap swaps the old and new values for key if the value stored in
// the map is equal to old, which must be comparable.
func (m *Map) CompareAndSwap(key, old, new any) (swapped bool) {
	m.write()
	if v, ok := m.m[key]; !ok || v != old {
		m.observe(key)
		return false
	}
	m.m[key] = new
	m.update(key)
	return true
}

// CompareAndDelete deletes the entry for key if its value is equal to old,
// which must be comparable.
func (m *Map) CompareAndDelete(key, old any) (deleted bool) {
	m.write()
	if v, ok := m.m[key]; !ok || v != old {
		m.observe(key)
		return false
	}
	delete(m.m, key)
	m.update(key)
	return true
}

// Range calls f for each key that is present when Range is called, and perhaps for keys that are
// stored meanwhile. The order is a choice. f gets the value that the key has at the call of f.
func (m *Map) Range(f func(key, value any) bool) {
	const all, start, most = 1, 2, 2
	var rest, late []any // keys that have to follow, and that may
	seen := make(map[any]bool)
	m.read()
	for k := range m.m {
		rest = append(rest, k)
		seen[k] = true
	}
	if len(rest) == 0 {
		return
	}
	mode := hbMode(len(rest), f)
	stored := 0 // number of keys stored since then
	look := func() {
		for k := range m.m {
			if !seen[k] {
				seen[k] = true
				if stored++; stored <= most {
					late = append(late, k)
				} else {
					hbMissed()
				}
			}
		}
	}
	for first := true; ; first = false {
		ways, i := len(rest), 0
		//mutant: Range ends with the last key [models TestModels/mapRange]: false
		if ways == 0 && mode == all { // after the last key, too, others may follow
			m.read()
			look()
		}
		switch {
		case ways == 0:
			if len(late) == 0 {
				return
			}
			if i = hbPick(1+len(late)) - 1; i < 0 {
				return
			}
		case mode == all:
			ways += len(late)
			i = hbPick(ways)
		case mode == start && first:
			i = hbPick(ways)
			rest = append(rest[i:], rest[:i]...)
			i = 0
		}
		if !first || mode <= start && ways > 1 {
			m.read()
			if mode == all {
				look()
			}
		}
		var k any
		if i < len(rest) {
			k = rest[i]
			rest = append(rest[:i:i], rest[i+1:]...)
		} else {
			i -= len(rest)
			k = late[i]
			late = append(late[:i:i], late[i+1:]...)
		}
		v, ok := m.m[k]
		m.observe(k)
		if ok && !f(k, v) {
			return
		}
	}
}

// hbMode returns how the order of the n keys for which f is called is chosen. 1: any order; 2: any
// first key, and then the order in which the keys were stored; 3: the order in which they were
// stored.
func hbMode(n int, f func(key, value any) bool) int

// hbPick is a choice of one of n ways.
func hbPick(n int) int

// hbMissed records that a key that could be visited is not.
func hbMissed()
