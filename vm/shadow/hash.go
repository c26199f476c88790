package shadow

import "hbcheck.dev/hbcheck/vm/bytecode"

// The symbolic part of a state's fingerprint consists of hashes of the structure of terms. They are the
// same on all paths, because variables are named after the goroutine that made them.

// WriteFrame writes the shadows of the live registers of g's frame at fp, or of all registers if liveness
// is unknown.
func (s *Symbols) WriteFrame(ws []uint64, g *Goroutine, fp uint32, fn *bytecode.Func, live []uint16, known bool) []uint64 {
	at := len(ws)
	ws = append(ws, 0)
	add := func(i uint32) {
		if t := g.Shadow[fp+i]; t != nil {
			h := s.hashOf(t)
			//mutant: registers' terms are not in the hash [inputs Named]: "uint64(i), h[0], h[1]" -> "uint64(i), 0*h[0], 0"
			ws = append(ws, uint64(i), h[0], h[1])
			ws[at]++
		}
	}
	if !known {
		for i := range fn.NRegs {
			add(uint32(i))
		}
		return ws
	}
	for _, e := range live {
		add(uint32(e >> 1))
	}
	return ws
}

// WriteCells writes the shadows of an object.
func (s *Symbols) WriteCells(ws []uint64, id uint32) []uint64 {
	cells := s.memory[id]
	ws = append(ws, uint64(len(cells)))
	for _, c := range cells {
		h := s.hashOf(c.term)
		//mutant: memory's terms are not in the hash [inputs Named]: "size), h[0], h[1]" -> "size), 0*h[0], 0"
		ws = append(ws, uint64(c.off)<<32|uint64(c.size), h[0], h[1])
	}
	return ws
}
