package vm

import (
	"go/token"
	"go/types"
	"math/bits"
	"slices"
	"unsafe"

	"golang.org/x/tools/go/ssa"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
	"hbcheck.dev/hbcheck/vm/bytecode"
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/link"
)

// The questions of static oracles about the program and the present state.

// They change no state, and their answers hold only for the present state. They are for use between two
// steps. The comments of some methods allow more.

// An Activation is one frame of a goroutine between two steps.
type Activation struct {
	Func uint32 // function number
	PC   uint32
	Fn   *ssa.Function // nil for the machine's own frames
	// Builtin is the name of the builtin that the frame executes, for a go statement or a deferred
	// call.
	Builtin string
	// Instr is the pending instruction, or in outer frames the present call. It is nil in frames
	// without SSA code.
	Instr ssa.Instruction
	// FP is the frame's position on the stack, for Register.
	FP uint32
	// Unexecuted: Instr (or, while unwinding, the code after its panic) has not been executed yet.
	Unexecuted bool
	// Deferred is set if the function was called because the next outer frame runs its deferred calls.
	Deferred bool
	// Recovered is set if the next outer frame runs its deferred calls because an earlier deferred call has
	// recovered from a panic.
	Recovered bool
	// Initialising is set for the machine's first frame as long as it still has to call initialisers or the
	// entry.
	Initialising bool
}

// Activations appends the frames of goroutine id, innermost first. The list is empty if the goroutine can
// only end, or end the program by a stack overflow. An Observer may call it in the middle of an instruction.
//
//	frame 0   pc at the pending instruction     Unexecuted, unless a native is under way
//	frame 1   pc after its call of frame 0      or at the instruction that was executing, if the
//	...                                         machine made the call by itself (callPC)
func (v StaticView) Activations(id trace.GID, buf []Activation) []Activation {
	m := v.m
	g := m.gOf(id)
	if g.status == gEnded || g.overflow != nil || g.ending() {
		return buf
	}
	fn, fp, pc, again := g.Fn, g.FP, g.PC, !g.inNative
	for {
		link, ra := g.Stack[fp-hdrLink], g.Stack[fp-hdrReturn]
		buf = append(buf, m.activation(fn, fp, pc, again, link))
		if link>>32&frBottom != 0 {
			return buf
		}
		fp, fn, pc = uint32(link), m.link.Code[ra>>32], int32(uint32(ra))
		again = link>>32 != 0 // see callPC
	}
}

// Innermost returns the first of Activations. The goroutine must not have ended.
func (v StaticView) Innermost(id trace.GID) Activation {
	m := v.m
	g := m.gOf(id)
	return m.activation(g.Fn, g.FP, g.PC, !g.inNative, g.Stack[g.FP-hdrLink])
}

func (m *Machine) activation(fn *bytecode.Func, fp uint32, pc int32, again bool, link uint64) Activation {
	at := int(pc)
	if !again {
		at--
	}
	return Activation{Func: fn.ID, PC: uint32(pc), Fn: fn.SSA, Builtin: fn.Builtin, Instr: fn.InstrAt(at), FP: fp, Unexecuted: again,
		Deferred: link>>32&(frPanicDefer|frRunDefer|frRecovered) != 0, Recovered: link>>32&frRecovered != 0,
		Initialising: fn.ID == 0 && pc <= m.entryPC}
}

// Register returns word k of value val in frame a of goroutine id, if a register there holds it.
// The caller knows that val has been computed and is going to be used; a value that is computed
// again at its use has no register.
func (v StaticView) Register(id trace.GID, a *Activation, val ssa.Value, k int) (uint64, bool) {
	m := v.m
	fn := m.link.Code[a.Func]
	r, ok := fn.Regs[val]
	if !ok {
		return 0, false
	}
	r += k
	live, known := fn.Live(int(a.PC))
	if !known || !slices.Contains(live, uint16(r<<1)) && !slices.Contains(live, uint16(r<<1|1)) {
		return 0, false
	}
	return m.gOf(id).Stack[a.FP+uint32(r)], true
}

// Fset returns the positions of the program.
func (v StaticView) Fset() *token.FileSet { return v.m.fset }

// Moment returns the number of the present state, which changes whenever the state does.
func (v StaticView) Moment() uint64 { return v.m.moment }

// Stamp returns a number that goroutine id keeps while neither its record nor its stack changes. While the
// number is the same, so are the goroutine's registers and the records of its deferred calls. No two states
// of goroutines have the same number.
func (v StaticView) Stamp(id trace.GID) uint64 {
	m := v.m
	g := m.gOf(id)
	if g.stamp == 0 {
		m.stamps++
		g.stamp = m.stamps
	}
	return g.stamp
}

// StackFingerprint returns a fingerprint of the stack of goroutine id: the position of each frame
// in its function, and the way it was entered. Oracles cache answers by it, so it is computed in
// each state.
func (v StaticView) StackFingerprint(id trace.GID) [2]uint64 {
	m := v.m
	g := m.gOf(id)
	h := [2]uint64{0x9e3779b97f4a7c15, uint64(g.FP)<<8 | uint64(g.status)}
	if g.overflow != nil || g.ending() {
		h[1] = 1 << 7 // no frames
		return h
	}
	fp, at := g.FP, uint64(g.Fn.ID)<<32|uint64(uint32(g.PC))
	for {
		link := g.Stack[fp-hdrLink]
		// The header words are hashed one after the other, because flags and program counters are small
		// numbers, which could cancel each other out if they were combined first.
		for _, x := range [2]uint64{at, link >> 32} {
			h[0] = bits.RotateLeft64(h[0]^x, 27) * 0x94d049bb133111eb
			h[1] = bits.RotateLeft64(h[1]+x, 31) * 0xbf58476d1ce4e5b9
		}
		if link>>32&frBottom != 0 {
			return h
		}
		fp, at = uint32(link), g.Stack[fp-hdrReturn]
	}
}

// IsMap reports whether object id is the header of a map.
func (v StaticView) IsMap(id uint32) bool { return v.m.heap.Objs[id].Layout == v.m.layMap }

// CanStep reports whether goroutine id could take a step now.
func (v StaticView) CanStep(id trace.GID) bool { return v.m.numAlternatives(v.m.gOf(id)) > 0 }

// Words returns the words of value val in frame a of goroutine id, like Register.
func (v StaticView) Words(id trace.GID, a *Activation, val ssa.Value) []uint64 {
	m := v.m
	r, ok := m.link.Code[a.Func].Regs[val]
	if !ok {
		return nil
	}
	at := a.FP + uint32(r)
	return m.gOf(id).Stack[at : at+uint32(m.asked.Of(val.Type()).Words())]
}

// A Deferred is a pending deferred call: the function and its argument words.
type Deferred struct {
	Fn       *ssa.Function // nil for a builtin,
	Builtin  string        // which has this name
	Args     []uint64
	Captured []uint64 // words of the closure's captured variables
}

// Deferred calls f for every deferred call pending in frame a of goroutine id, newest first.
func (v StaticView) Deferred(id trace.GID, a *Activation, f func(Deferred)) {
	m := v.m
	for d, _ := m.deferred(m.gOf(id).Stack[a.FP-hdrDefer]); d != 0; d = m.word(d, dfLink) {
		o := &m.heap.Objs[d>>32]
		w := unsafe.Slice((*uint64)(o.Mem), o.Size/8)
		fn, captured := m.closureOf(w[1])
		builtin := ""
		if fn == nil && w[1]&funcBit != 0 {
			builtin = m.link.Code[uint32(w[1])].Builtin
		}
		f(Deferred{fn, builtin, w[2:], captured})
	}
}

// Word returns the word of memory at p, if there is one.
func (v StaticView) Word(p uint64) (uint64, bool) {
	m := v.m
	h := m.heap.Load(p, 8, 0)
	if h == nil {
		return 0, false
	}
	return *(*uint64)(h), true
}

// EmptyNoSender reports whether p is an open and empty channel, and no send to it is pending,
// except those of the goroutines in but.
func (v StaticView) EmptyNoSender(p uint64, but []trace.GID) bool {
	m := v.m
	if !m.isChan(p) {
		return false
	}
	h := m.chanHdr(p)
	return h[chClosed/8] == 0 && h[chLen/8] == 0 && !m.hasPendingPeer(p, true, but)
}

// FullNoReceiver reports whether p is an open and full channel, and no receive from it is pending,
// except those of the goroutines in but.
func (v StaticView) FullNoReceiver(p uint64, but []trace.GID) bool {
	m := v.m
	if !m.isChan(p) {
		return false
	}
	h := m.chanHdr(p)
	return h[chClosed/8] == 0 && h[chLen/8] == h[chCap/8] && !m.hasPendingPeer(p, false, but)
}

// ByChannels reports whether the effects of operations on channels depend only on the channels: not on the
// order in which goroutines have arrived at them, on the passing of time, or on a bubble of
// testing/synctest.
func (v StaticView) ByChannels() bool { return !v.m.cfg.InTurn && !v.m.Overtakes() && !v.m.inBubbles() }

// Channel returns the state of the channel object id, and whether it belongs to a timer.
func (v StaticView) Channel(id uint32) (c por.Case, ofTimer bool) {
	m := v.m
	h := m.chanHdr(ptr(id) << 32)
	c = por.Case{Chan: id, Len: int(h[chLen/8]), Room: int(h[chCap/8]), Closed: h[chClosed/8] != 0}
	return c, m.isTick(h) || m.isEarly(h)
}

func (m *Machine) isChan(p uint64) bool {
	dynamic := p>>32 >= heap.StaticLimit && p>>32 < uint64(len(m.heap.Objs))
	return dynamic && uint32(p) == 0 && m.heap.Objs[p>>32].Size >= chBuf
}

// hasPendingPeer reports whether a goroutine, none of those in but, has a pending send to channel p, or, if
// send is false, a pending receive from p.
func (m *Machine) hasPendingPeer(p uint64, send bool, but []trace.GID) bool {
	var arr [8]chanCase
	for _, s := range m.order {
		q := m.gs[s]
		if q.status != gReady || !q.pending.Kind.Communicates() || slices.Contains(but, q.ID) {
			continue
		}
		for _, c := range m.chanCases(q, arr[:0]) {
			if c.send == send && c.ch == p {
				return true
			}
		}
	}
	return false
}

// LockerAt returns the address of the mutex in the interface at p, if its type is one of package sync.
func (v StaticView) LockerAt(p uint64) (uint64, bool) {
	m := v.m
	t, ok := m.StaticView().Word(p)
	l, ok2 := m.StaticView().Word(p + 8)
	if !ok || !ok2 || l == 0 {
		return 0, false
	}
	is, known := m.lockers[t]
	if !known {
		if d := m.StaticView().DynamicType(t); d != nil {
			switch d.String() {
			case "*sync.Mutex", "*sync.RWMutex", "*sync.rlocker":
				is = true
			}
		}
		if m.lockers == nil {
			m.lockers = make(map[uint64]bool)
		}
		m.lockers[t] = is
	}
	return l, is
}

// AllocationIdentity distinguishes objects that have the same number on different paths: by their
// allocation site, and the layout of their memory.
func (v StaticView) AllocationIdentity(id uint32) (site uint64, layout uint32) {
	m := v.m
	o := &m.heap.Objs[id]
	return o.Site, uint32(o.Layout)
}

// Address returns the address of a package variable.
func (v StaticView) Address(g *ssa.Global) (p uint64) {
	m := v.m
	m.growth.ask(m, Growth{Global: link.GlobalName(g)}, func() { p = m.link.Global(g) })
	return p
}

// ByValue reports whether free variable i of fn is captured by value: its register holds the
// variable's value and not its address.
func (v StaticView) ByValue(fn *ssa.Function, i int) bool { return v.m.link.Captures().ByValue(fn, i) }

// Live calls f for every goroutine that has not ended, in spawn-path order.
func (m *Machine) Live(f func(id trace.GID)) {
	for _, s := range m.order {
		if g := m.gs[s]; g.status != gEnded {
			f(g.ID)
		}
	}
}

// An ObjectInfo describes the memory of an object for static analyses.
type ObjectInfo struct {
	Type   types.Type      // type of the memory, or of one element if it repeats
	Global *ssa.Global     // the variable it is, or nil
	Site   ssa.Instruction // the instruction that allocated it, or nil
	Map    bool            // it is the header of a map, whose type is not known here
	Size   uint32          // in bytes
	Shared bool            // more than one goroutine may reach it: accesses are visible operations
}

// Object describes object number id.
func (v StaticView) Object(id uint32) ObjectInfo {
	m := v.m
	o := &m.heap.Objs[id]
	info := ObjectInfo{Type: m.layouts.At(o.Layout).Type, Map: o.Layout == m.layMap, Size: o.Size, Shared: o.Flags&heap.Shared != 0}
	if id < heap.StaticLimit {
		info.Global = m.link.GlobalAt(uint64(id) << 32)
		return info
	}
	if fn := m.link.Code[o.Site>>32]; fn != nil {
		info.Site = fn.InstrAt(int(uint32(o.Site)))
	}
	return info
}

// IsNative reports whether the machine implements fn itself.
func (v StaticView) IsNative(fn *ssa.Function) bool {
	m := v.m
	_, ok := m.link.Native(fn)
	return ok
}

// IsTrusted reports whether fn belongs to the models.
func (v StaticView) IsTrusted(fn *ssa.Function) bool { return v.m.link.Trusted(fn) }

// Exists reports whether there is an object with number id.
func (v StaticView) Exists(id uint32) bool {
	m := v.m
	if uint64(id) >= uint64(len(m.heap.Objs)) {
		return false
	}
	o := &m.heap.Objs[id]
	return o.Flags&heap.Freed == 0 && o.Mem != nil
}

// Unescaped reports whether only one goroutine can reach object id.
func (v StaticView) Unescaped(id uint32) bool {
	m := v.m
	return id >= heap.StaticLimit && m.StaticView().Exists(id) && m.heap.Objs[id].Flags&(heap.Shared|heap.Frozen) == 0
}

// Pointers calls f for every pointer in object id, with its offset.
func (v StaticView) Pointers(id uint32, f func(off uint32, w uint64)) {
	m := v.m
	o := &m.heap.Objs[id]
	l := m.layouts.At(o.Layout)
	if len(l.Ptrs) == 0 || l.Size == 0 {
		return
	}
	for base := uint32(0); base+l.Size <= o.Size; base += l.Size {
		for _, off := range l.Ptrs {
			if w := *(*uint64)(unsafe.Add(o.Mem, base+off)); w != 0 {
				f(base+off, w)
			}
		}
	}
}

// Roots calls f for every word of goroutine id that may be a pointer: in live registers, and in
// records of deferred calls and panics.
func (v StaticView) Roots(id trace.GID, f func(uint64)) {
	m := v.m
	g := m.gOf(id)
	f(g.panics)
	f(g.owned)
	f(g.coro)
	f(g.wait.obj)
	for i := range g.pending.N {
		f(uint64(g.pending.Access[i].Obj) << 32)
	}
	m.eachLive(g, func(fn *bytecode.Func, fp uint32, live []uint16, known bool) {
		f(g.Stack[fp-hdrDefer])
		if !known {
			for _, w := range g.Stack[fp : fp+uint32(fn.Window)] {
				f(w)
			}
			return
		}
		for _, r := range live {
			f(g.Stack[fp+uint32(r>>1)])
		}
	})
}
