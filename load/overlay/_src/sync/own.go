package sync

// An Own takes the place of a Map in which the standard library keeps what it has computed from a type: the
// encoders of encoding/json, say. Each goroutine has the entries that it has stored, and those that its
// parent had when it started it. So filling the cache is no operation: it is work of one goroutine, as if the
// cache were not shared.
//
// Claim: a program has the same outcomes with an Own as with a Map, if the value stored for a key is a
// function of the key, computing it has no other effect, waits for nothing and calls no code of the program,
// and nobody compares the addresses of two values for one key.
//
//  1. A Load that finds nothing in the Own and something in the Map only has an equal value computed
//     again, and only its own goroutine can notice that, by its allocations.
//  2. A Map orders the goroutine that stores an entry before those that find it. No race of the program is
//     lost without that order, and none invented: the goroutine that finds the entry could have
//     come first and stored it, unless something else orders the two.
//  3. The entries of a goroutine depend on what it and its ancestors have executed only, in that
//     order. So they are part of its local state, and no other goroutine changes them.
//
// What is in PATCH files satisfies these: see the comments there.
type Own struct {
	_ noCopy
	_ byte // so that two of them differ
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

// hbFind returns the newest entry for a key in that list, nil if there is none. Keys whose words differ are
// different, so only types are worth using as keys.
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
