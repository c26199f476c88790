package shadow

import (
	"slices"
	"unsafe"

	"hbcheck.dev/hbcheck/symbolic"
	"hbcheck.dev/hbcheck/vm/heap"
	"hbcheck.dev/hbcheck/vm/layout"
)

// These methods move shadows of registers outside of the loop. They have no effect in a machine without
// symbols.

// ClearRegs removes the shadows of n registers of g.
func (s *Symbols) ClearRegs(g *Goroutine, i uint32, n int) {
	if s != nil && *s.tracking {
		clear(g.Shadow[g.FP+i : g.FP+i+uint32(n)])
	}
}

// LoadRegs copies the shadows of a value of layout l at p, which has been loaded into the registers from i
// on, to these registers.
func (s *Symbols) LoadRegs(g *Goroutine, i uint32, p heap.Ptr, l *layout.Layout) {
	if s == nil || !*s.tracking {
		return
	}
	clear(g.Shadow[g.FP+i : g.FP+i+uint32(l.Words())])
	if len(s.Overlaps(uint32(p>>32), uint32(p), l.Size)) == 0 {
		return
	}
	//mutant: nor what is found in a map [env TestDraws/TestLookRestedMap]
	g.Clean = NoneClean
	for k, t := range s.loadWords(nil, p, uint64(l.Size)) {
		if t == nil {
			continue
		}
		if s.Drawn {
			g.Shadow[g.FP+i+uint32(k)] = t
			continue
		}
		switch layout.ScalarOf(l.Type) {
		case layout.S8, layout.S16, layout.S32:
			t = s.ctx.SExt(s.ctx.Trunc(t, uint8(l.Size*8)), 64)
		}
		s.Set(g, uint16(i)+uint16(k), t)
	}
}

// StoreRegs copies the shadows of the registers from i on, which have been stored at p, to n bytes at p.
func (s *Symbols) StoreRegs(g *Goroutine, i uint32, p heap.Ptr, n uint64) {
	if s == nil || !*s.tracking || n == 0 {
		return
	}
	words := g.Shadow[g.FP+i : g.FP+i+uint32(n+7)/8]
	if tainted(words) || len(s.Overlaps(uint32(p>>32), uint32(p), uint32(n))) > 0 {
		s.storeWords(p, slices.Clone(words), n)
	}
}

// MoveRegs copies the shadows of n registers of from to registers of to.
func (s *Symbols) MoveRegs(to *Goroutine, i uint32, from *Goroutine, k uint32, n int) {
	if s != nil && *s.tracking {
		to.Clean = NoneClean
		copy(to.Shadow[to.FP+i:to.FP+i+uint32(n)], from.Shadow[from.FP+k:from.FP+k+uint32(n)])
	}
}

// Moved copies the shadows of n bytes at src to dst, after the bytes have been copied.
func (s *Symbols) Moved(dst, src heap.Ptr, n uint64) {
	if s != nil && *s.tracking && n > 0 {
		s.copyCells(dst, src, n)
	}
}

// Cleared removes the shadows of n bytes at p, which have been cleared.
func (s *Symbols) Cleared(p heap.Ptr, n uint64) {
	if s != nil && *s.tracking && n > 0 && len(s.memory) > 0 {
		s.clearCells(p, n)
	}
}

// Saved saves the shadows of n stack words of g from word lo on, as undoLog.undoStack saves the words.
func (s *Symbols) Saved(g *Goroutine, lo, n uint32) {
	if s == nil {
		return
	}
	if *s.tracking {
		s.shadow = append(s.shadow, g.Shadow[lo:lo+n]...)
	} else {
		s.shadow = append(s.shadow, make([]*symbolic.Term, n)...)
	}
}

// Restored restores the shadows that Saved saved from place off on.
func (s *Symbols) Restored(g *Goroutine, lo uint32, off int) {
	if s == nil {
		return
	}
	//mutant: registers' shadows stay [inputs Ways]: false
	if int(lo) < len(g.Shadow) {
		copy(g.Shadow[lo:], s.shadow[off:])
		g.Reached = max(g.Reached, lo+uint32(len(s.shadow)-off))
	}
	s.shadow = s.shadow[:off]
}

// Passed copies the shadows of the memory at p to n stack words of g from word fp on.
func (s *Symbols) Passed(g *Goroutine, fp uint32, p heap.Ptr, n int) {
	if s != nil && *s.tracking && n > 0 {
		//mutant: what is passed to a deferred function has no label [env TestFlows]
		g.Clean = NoneClean
		copy(g.Shadow[fp:], s.loadWords(nil, p, uint64(n)*8))
		g.Reached = max(g.Reached, fp+uint32(n))
	}
}

// Unknown removes the shadows of n stack words of g.
func (s *Symbols) Unknown(g *Goroutine, fp uint32, n int) {
	if s != nil && *s.tracking {
		clear(g.Shadow[fp : fp+uint32(n)])
	}
}

// Spawned copies the shadows of args, words of g's stack, to the words of the new goroutine n from word fp
// on.
func (s *Symbols) Spawned(n, g *Goroutine, fp uint32, args []uint64) {
	if s == nil || !*s.tracking || len(args) == 0 {
		return
	}
	at := (uintptr(unsafe.Pointer(&args[0])) - uintptr(unsafe.Pointer(&g.Stack[0]))) / 8
	if at < uintptr(len(g.Stack)) {
		copy(n.Shadow[fp:], g.Shadow[at:at+uintptr(len(args))])
		n.Reached = max(n.Reached, fp+uint32(len(args)))
	}
}

// DeferredWords copies the shadows of args, words of g's stack, to the object at p.
func (s *Symbols) DeferredWords(g *Goroutine, p heap.Ptr, args []uint64) {
	if s == nil || !*s.tracking || len(args) == 0 {
		return
	}
	at := (uintptr(unsafe.Pointer(&args[0])) - uintptr(unsafe.Pointer(&g.Stack[0]))) / 8
	if at < uintptr(len(g.Stack)) {
		s.storeWords(p, slices.Clone(g.Shadow[at:at+uintptr(len(args))]), uint64(len(args))*8)
	}
}
