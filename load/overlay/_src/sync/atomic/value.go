package atomic

import "unsafe"

// A Value provides an atomic load and store of a consistently typed value. The
// zero value for a Value returns nil from Load. Each method is one visible
// operation; there is no first store in progress.
type Value struct {
	v any
}

// hbLoad is a visible atomic load at v, which the code after it carries out.
func hbLoad(v *Value)

// hbStore is a visible atomic store at v, which the code after it carries out.
func hbStore(v *Value)

// hbRMW is a visible atomic read-modify-write at v, which the code after it carries out.
func hbRMW(v *Value)

// typeWord returns the word that identifies v's dynamic type.
func typeWord(v *any) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(v)) }

// Load returns the value set by the most recent Store, or nil.
func (v *Value) Load() (val any) {
	hbLoad(v)
	return v.v
}

// Store sets the value of v to val.
func (v *Value) Store(val any) {
	if val == nil {
		panic("sync/atomic: store of nil value into Value")
	}
	hbStore(v)
	if v.v != nil && typeWord(&v.v) != typeWord(&val) {
		panic("sync/atomic: store of inconsistently typed value into Value")
	}
	v.v = val
}

// Swap stores new into v and returns the previous value, nil if v is empty.
func (v *Value) Swap(new any) (old any) {
	if new == nil {
		panic("sync/atomic: swap of nil value into Value")
	}
	hbRMW(v)
	if v.v != nil && typeWord(&v.v) != typeWord(&new) {
		panic("sync/atomic: swap of inconsistently typed value into Value")
	}
	old, v.v = v.v, new
	return old
}

// CompareAndSwap executes the compare-and-swap operation for v.
func (v *Value) CompareAndSwap(old, new any) (swapped bool) {
	if new == nil {
		panic("sync/atomic: compare and swap of nil value into Value")
	}
	if old != nil && typeWord(&old) != typeWord(&new) {
		panic("sync/atomic: compare and swap of inconsistently typed values")
	}
	hbRMW(v)
	if v.v != nil && typeWord(&v.v) != typeWord(&new) {
		panic("sync/atomic: compare and swap of inconsistently typed value into Value")
	}
	if v.v != old {
		return false
	}
	v.v = new
	return true
}
