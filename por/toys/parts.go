package toys

import (
	"math/rand/v2"
	"slices"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// Parted makes a program of four goroutines in two groups. The first goroutine starts the others at once.
// Each group mostly uses variables and a lock of its own.
func Parted(r *rand.Rand, size int, loops bool) *System {
	prog := Random(r, MaxGoroutines, size, loops).Prog
	often := 2 << r.IntN(8) // on average one in often instructions uses a location of the other group
	for g, code := range prog {
		group := int8(g / 2)
		for i := range code {
			switch in := &code[i]; in.Op {
			case Go:
				*in = Instr{Op: Yield}
			case Read, Write, WriteReg, Load, Store, Add, Lock, TryLock, Unlock, RLock, RUnlock:
				if r.IntN(often) > 0 {
					in.A = group
				}
			case Output, OutReg, WgAdd, WgWait, Wait, Signal, Exit, Assume:
				if r.IntN(often) > 0 {
					*in = Instr{Op: Store, A: group, B: int8(g)}
				}
			}
		}
	}
	for i := range prog[0] {
		if prog[0][i].Op == Jump {
			prog[0][i].A += MaxGoroutines - 1
		}
	}
	prog[0] = append([]Instr{{Op: Go, A: 1}, {Op: Go, A: 2}, {Op: Go, A: 3}}, prog[0]...)
	return New(prog...)
}

// Parts are por.Parts of a toy, computed from the text of its program.
type Parts struct {
	t *System
	// Careless makes Obtains always return false, which loses executions.
	Careless bool

	outsiders []trace.GID
	outside   []trace.Access
}

// NewParts returns the parts of t.
func NewParts(t *System) *Parts { return &Parts{t: t} }

// Part implements por.Parts.
func (p *Parts) Part(enabled []trace.GID) []trace.GID {
	part, _ := p.Separate(enabled)
	return part
}

// Separate implements por.Parts. A part is a least set with this property: if it has a goroutine,
// it also has all goroutines that may ever touch the locations of that goroutine's pending
// operation.
func (p *Parts) Separate(enabled []trace.GID) ([]trace.GID, por.Separation) {
	live := p.t.Pending(nil)
	var best []trace.GID
	for _, g := range enabled {
		members := []trace.GID{g}
		for i := 0; i < len(members); i++ {
			if !p.local(members[i]) {
				members = live
				break
			}
			pending := p.t.Touches(members[i], nil)
			for _, h := range live {
				if !slices.Contains(members, h) && meet(pending, p.future(h)) {
					members = append(members, h)
				}
			}
		}
		if able := slices.DeleteFunc(slices.Clone(enabled), func(h trace.GID) bool { return !slices.Contains(members, h) }); len(able) < len(enabled) &&
			(best == nil || len(able) < len(best)) {
			best = able
			p.outsiders = slices.DeleteFunc(slices.Clone(live), func(h trace.GID) bool { return slices.Contains(members, h) })
		}
	}
	if best == nil {
		return nil, nil
	}
	p.outside = p.outside[:0]
	for _, g := range p.outsiders {
		p.outside = append(p.outside, p.future(g)...)
	}
	return best, p
}

// local reports whether g's pending operation depends only on the locations it touches.
func (p *Parts) local(g trace.GID) bool {
	i, ok := p.t.at(int(g))
	if !ok {
		return true
	}
	switch i.Op {
	case Output, OutReg, Exit, Assume, Branch, Pick:
		return false
	case Yield:
		return !p.t.Timed
	case WgAdd:
		return p.t.wg+i.A >= 0
	case Unlock:
		return p.t.mutex[i.A] != 0
	case RUnlock:
		return p.t.readers[i.A] != 0
	}
	return true
}

// future returns the locations that g, and the goroutines that it starts, may still touch.
func (p *Parts) future(g trace.GID) (list []trace.Access) {
	var seen [MaxGoroutines]map[int8]bool
	var visit func(g int, pc int8)
	visit = func(g int, pc int8) {
		if seen[g] == nil {
			seen[g] = map[int8]bool{}
		}
		for !seen[g][pc] && int(pc) < len(p.t.Prog[g]) {
			seen[g][pc] = true
			i := p.t.Prog[g][pc]
			at := System{Prog: p.t.Prog}
			at.Pc[g] = pc
			list = at.Touches(trace.GID(g), list)
			switch i.Op {
			case Go:
				visit(int(i.A), 0)
			case Jump:
				visit(g, i.A)
			}
			pc++
		}
	}
	visit(int(g), p.t.Pc[g])
	return list
}

// meet reports whether the two lists have a location in common.
func meet(a, b []trace.Access) bool {
	return slices.ContainsFunc(a, func(x trace.Access) bool { return slices.ContainsFunc(b, x.Overlaps) })
}

// Member implements por.Separation.
func (p *Parts) Member(g trace.GID) bool { return !slices.Contains(p.outsiders, g) }

// Apart implements por.Separation.
func (p *Parts) Apart(g trace.GID) bool {
	return p.local(g) && !meet(p.t.Touches(g, nil), p.outside)
}

// Obtains implements por.Separation.
func (p *Parts) Obtains(g trace.GID, list []trace.Access) bool {
	list = slices.DeleteFunc(slices.Clone(list), func(a trace.Access) bool { return meet([]trace.Access{a}, p.outside) })
	return !p.Careless && meet(list, p.future(g))
}
