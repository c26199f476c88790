package runtime

import "internal/abi"

// What reads and writes memory of the program.

// ReadMemStats fills m: see memStats.
func ReadMemStats(m *MemStats) { *m = memStats() }

// A Pinner pins objects, which the machine never moves.
type Pinner struct {
	refs []any
}

// Pin pins an object: nothing needs to be done.
func (p *Pinner) Pin(pointer any) {
	if t := typeOf(pointer); t == nil || t.Kind() != abi.Pointer && t.Kind() != abi.UnsafePointer {
		panic(errorString("runtime.Pinner: argument is not a pointer"))
	}
	p.refs = append(p.refs, pointer)
}

// Unpin unpins all objects of p.
func (p *Pinner) Unpin() { p.refs = nil }

// Next returns the next frame and whether there are more.
func (ci *Frames) Next() (frame Frame, more bool) {
	for len(ci.pcs) > 0 {
		pc := ci.pcs[0]
		ci.pcs = ci.pcs[1:]
		f := FuncForPC(pc)
		if f == nil {
			continue
		}
		if pc&pcMask != 0 {
			pc-- // from the return address to the call
		}
		name, file, line := pcInfo(pc)
		_, _, start := funcInfo(pc)
		return Frame{PC: pc, Func: f, Function: name, File: file, Line: line, Entry: f.Entry(), startLine: start}, len(ci.pcs) > 0
	}
	return Frame{}, false
}
