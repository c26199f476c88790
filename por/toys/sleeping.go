package toys

import (
	"math"
	"math/rand/v2"

	"hbcheck.dev/hbcheck/trace"
)

// Time. A Sleep ends at a moment, by the rules of vm/step_time.go, with a slack of slack:
//
//   - If its moment has come, it can end.
//   - If no goroutine can move otherwise, time passes to the first moment, and debt is 0.
//   - If debt would be at most slack, time may pass to the first moment, and debt grows.
//
// A Sleep with which time passes depends on all.

const slack = 1

// wakes reports whether a Sleep until moment a can end.
func (t *System) wakes(a int8) bool {
	if a <= t.now {
		return true
	}
	first, quiet := t.clock()
	return a == first && (quiet || t.debt+a-t.now <= slack)
}

// clock returns the earliest moment until which a goroutine sleeps, or -1 if such a moment has come. quiet
// reports whether only Sleeps are left.
func (t *System) clock() (first int8, quiet bool) {
	first, quiet = math.MaxInt8, true
	for q := range t.Prog {
		switch i, ok := t.at(q); {
		case !ok || i.Op != Sleep || !t.started[q]:
			quiet = quiet && !t.CanMove(q)
		case i.A <= t.now:
			return -1, false
		default:
			first = min(first, i.A)
		}
	}
	return first, quiet
}

// pass is the effect of a Sleep until moment a.
func (t *System) pass(a int8) {
	if a <= t.now {
		return
	}
	t.debt += a - t.now
	t.now = a
	if t.debt > slack { // all goroutines were waiting
		t.debt = 0
	}
}

// passes reports whether time passes by g's pending operation.
func (t *System) passes(g int) bool {
	i, ok := t.at(g)
	return ok && i.Op == Sleep && i.A > t.now
}

// Deadline implements por.Effects.
func (t *System) Deadline(g trace.GID) int64 {
	if i, ok := t.at(int(g)); ok && i.Op == Sleep {
		return int64(i.A)
	}
	return 0
}

// Reach implements por.Effects.
func (t *System) Reach(g trace.GID) int64 {
	if t.Deadline(g) > 0 {
		return math.MaxInt64
	}
	return int64(t.now + slack - t.debt)
}

// Sleeping makes a program in which goroutines sleep.
func Sleeping(r *rand.Rand) *System {
	t := Random(r, 2+r.IntN(3), 2+r.IntN(3), false)
	for g, code := range t.Prog {
		for i := range code {
			if code[i].Op != Jump && code[i].Op != Go && r.IntN(3) == 0 {
				code[i] = Instr{Op: Sleep, A: int8(1 + r.IntN(5))}
			}
		}
		if g > 0 && r.IntN(2) == 0 {
			t.Prog[g] = append(code, Instr{Op: Sleep, A: int8(1 + r.IntN(5))}, Instr{Op: OutReg})
		}
	}
	return New(t.Prog...)
}
