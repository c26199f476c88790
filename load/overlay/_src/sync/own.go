package sync

// An Own replaces a Map in which the standard library caches values computed from types, such as
// the encoders of encoding/json. A goroutine has the entries that it has stored, and those that its
// parent had when the goroutine was started. So the cache is not shared, and filling it is not a
// visible operation.
//
// Claim: a program has the same outcomes with an Own as with a Map, if the value stored for a key is a
// function of the key, computing it has no other effect, waits for nothing and calls no code of the program,
// and nobody compares the addresses of two values for one key.
//
//  1. If a Load finds an entry in the Map and none in the Own, an equal value is computed again. Only the
//     goroutine itself can notice this, by its allocations.
//  2. A Map orders the goroutine that stores an entry before those that find it. Without this order no race
//     of the program is lost, and none invented: the goroutine that finds the entry could have come first
//     and stored it, unless something else orders the two.
//  3. The entries of a goroutine depend only on the executions of the goroutine and its ancestors. So they
//     are part of its local state, and no other goroutine changes them.
//
// The uses of Own in PATCH files satisfy the conditions: see the comments there.
type Own struct {
	_ noCopy
	_ byte // so that two Owns have different addresses
}

// owned is an entry; a goroutine's entries are a list that never changes.
type owned struct {
	in    *Own
	key   any
	next  *owned
	value any
}

// entries stands for the running goroutine's list: analyses treat it as if it were kept here.
var entries *owned

// hbOwned returns the running goroutine's list.
func hbOwned(entries **owned) *owned

// hbOwn replaces the running goroutine's list.
func hbOwn(entries **owned, list *owned)

// hbFind returns the newest entry of the list for a key; nil if there is none. Keys are equal if their words
// are, so keys should be types.
func hbFind(entries **owned, in *Own, key any) *owned

// Load returns the value stored for a key by this goroutine or its ancestors, if any.
func (m *Own) Load(key any) (value any, ok bool) {
	if e := hbFind(&entries, m, key); e != nil {
		return e.value, true
	}
	return nil, false
}

// Store sets the value for a key.
func (m *Own) Store(key, value any) {
	hbOwn(&entries, &owned{in: m, key: key, value: value, next: hbOwned(&entries)})
}

// LoadOrStore returns the existing value for the key if present. Otherwise, it stores and returns the given
// value.
func (m *Own) LoadOrStore(key, value any) (actual any, loaded bool) {
	if actual, loaded = m.Load(key); loaded {
		return actual, true
	}
	m.Store(key, value)
	return value, false
}
