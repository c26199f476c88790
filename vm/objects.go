package vm

import (
	"hbcheck.dev/hbcheck/load/overlay"
)

// A channel is an object: header, then the buffer.
//
//	byte  0     8     16     24       32                                         40
//	      │ len │ cap │ head │ closed │ element size, bubble << 16, layout << 32 │ cap elements
//
// An element has less than 64 KB (spec of gc). The bubble is that of the goroutine that made the channel.
//
// Invariants: the places of the buffer that hold no element are zero. head, the place of the oldest
// element, is 0 if the channel is empty or cap is at most shiftCap. So two channels with the same
// contents have the same bytes, unless their capacity is above shiftCap.
const (
	chLen = iota * 8
	chCap
	chHead
	chClosed
	chElem // element size | bubble << 16 | element layout << 32
	chBuf
)

// Offsets in the guest's hbTimer.
const (
	tmChan   = overlay.TimerChan
	tmPeriod = overlay.TimerPeriod
	tmSize   = overlay.TimerSize
)

// Offsets in structs of the guest. A test of package overlay compares them with the source.
const (
	muState = overlay.MutexState
	muOwner = overlay.MutexOwner

	rwAdmitted = overlay.RWMutexAdmitted
	rwOwners   = overlay.RWMutexOwners
	rwReaders  = overlay.RWMutexReaders
	rwLeaving  = overlay.RWMutexLeaving

	wgCounter = overlay.WaitGroupCounter
	wgBubble  = wgCounter - 4 // the low half of the state: see joinBubble

	onDone  = overlay.OnceDone
	onMutex = overlay.OnceMutex

	cdList = overlay.CondList

	wtNext     = overlay.WaiterNext
	wtG        = overlay.WaiterG
	wtNotified = overlay.WaiterNotified
)

func (m *Machine) u32(p ptr) uint32 { return *(*uint32)(m.heap.Load(p, 4, 0)) }

func (m *Machine) setU32(p ptr, v uint32) {
	m.heap.WillWrite(uint32(p >> 32))
	*(*uint32)(m.heap.Load(p, 4, 0)) = v
}

func (m *Machine) chanHdr(c ptr) *[5]uint64 {
	return (*[5]uint64)(m.heap.Load(c, chBuf, 0))
}

// isTick reports whether the channel with header h belongs to a timer.
func (m *Machine) isTick(h *[5]uint64) bool {
	return m.layTick != 0 && uint32(h[chElem/8]>>32) == m.layTick
}

// isEarly is isTick for timers of the kind before Go 1.23, whose channels hold Times.
func (m *Machine) isEarly(h *[5]uint64) bool {
	return m.layEarly != 0 && uint32(h[chElem/8]>>32) == m.layEarly
}

// bubbleOf returns the bubble in which the channel with header h was made; 0: none.
func bubbleOf(h *[5]uint64) uint32 { return uint32(uint16(h[chElem/8] >> 16)) }
