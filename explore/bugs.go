package explore

import (
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// leafBugs returns what is wrong with the execution that has ended in the
// present state, and how it ended in one line.
//
// A stuck execution is a livelock if a goroutine goes round a loop for ever
// all by itself. It is a deadlock if the main goroutine is among those that wait,
// because the program then hangs; otherwise every goroutine that waits is a leak.
func leafBugs(m Machine, status por.Status, end Ending, allow *regexp.Regexp) (bugs []*Bug, ending string) {
	for _, f := range end.Faults {
		bugs = append(bugs, &Bug{Kind: f.Kind, Message: f.Message, Pos: f.Pos, G: m.Name(f.G), Loop: -1, Stack: f.Stack})
	}
	if status != por.Stuck {
		return bugs, end.Text
	}
	gs := m.Goroutines()
	isMain := func(g Goroutine) bool { return g.Parent == trace.NoGID }
	hangs := slices.ContainsFunc(gs, isMain)
	for _, g := range gs {
		if g.Spins && (isMain(g) || !allowed(g, allow)) {
			bugs = append(bugs, spinBug(g, hangs))
		}
	}
	gs = slices.DeleteFunc(gs, func(g Goroutine) bool { return g.Spins })
	switch {
	case slices.ContainsFunc(gs, isMain):
		return append(bugs, deadlockBug(gs)), "deadlock"
	case hangs:
		return bugs, "livelock"
	}
	for _, g := range gs {
		if allowed(g, allow) {
			continue
		}
		bugs = append(bugs, &Bug{Kind: Leak, Message: fmt.Sprintf("goroutine left behind: %s waits for ever%s", topFunc(g.Stack), waiting(g)),
			Pos: position(g.Stack), G: g.Name, Loop: -1, Related: created(g)})
	}
	return bugs, end.Text
}

// allowed reports whether the user accepts that g is left behind.
func allowed(g Goroutine, allow *regexp.Regexp) bool {
	return allow != nil && slices.ContainsFunc(g.Stack, func(f Frame) bool { return allow.MatchString(f.Func) })
}

// waiting tells what g waits for: " in sync.Mutex.Lock on bank.mu".
func waiting(g Goroutine) string {
	s := ""
	if g.Wait != "" {
		s = " in " + g.Wait
	}
	if g.On != "" {
		s += " on " + g.On
	}
	return s
}

func created(g Goroutine) []Related {
	if len(g.Created) == 0 {
		return nil
	}
	return []Related{{place(g.Created).Pos, g.Name + " started here"}}
}

// place returns the innermost frame outside the standard library, or else the
// innermost one.
func place(stack []Frame) Frame {
	for _, f := range stack {
		if !f.Std {
			return f
		}
	}
	if len(stack) == 0 {
		return Frame{Func: "goroutine"}
	}
	return stack[0]
}

func position(stack []Frame) token.Position { return place(stack).Pos }

func topFunc(stack []Frame) string { return ShortFunc(place(stack).Func) }

// ShortFunc strips the path of the package from a function's name:
// "example.com/bank.(*Bank).Deposit" becomes "(*Bank).Deposit".
func ShortFunc(name string) string {
	name = name[strings.LastIndexByte(name, '/')+1:]
	if _, rest, ok := strings.Cut(name, "."); ok {
		return rest
	}
	return name
}

// deadlockBug describes a state in which the main goroutine and all others
// wait for ever. Its position is where the first goroutine of the wait-for
// cycle waits, or else where main does.
func deadlockBug(gs []Goroutine) *Bug {
	b := &Bug{Kind: Deadlock, Loop: -1, Cycle: waitCycle(gs)}
	at := gs[0]
	if len(b.Cycle) > 0 {
		b.Message = fmt.Sprintf("deadlock: %s wait for each other", names(gs, b.Cycle))
		if len(b.Cycle) == 1 {
			b.Message = fmt.Sprintf("deadlock: %s waits for what it holds itself", names(gs, b.Cycle))
		}
		at = gs[slices.IndexFunc(gs, func(g Goroutine) bool { return g.ID == b.Cycle[0].From })]
	} else {
		b.Message = "deadlock: " + at.Name + " waits for ever" + waiting(at)
		if n := len(gs) - 1; n == 1 {
			b.Message += ", and so does another goroutine"
		} else if n > 1 {
			b.Message += fmt.Sprintf(", and so do %d other goroutines", n)
		}
	}
	b.Pos, b.G = position(at.Stack), at.Name
	for _, g := range gs {
		if g.ID != at.ID {
			b.Related = append(b.Related, Related{position(g.Stack), g.Name + " waits" + waiting(g)})
		}
	}
	return b
}

func names(gs []Goroutine, cycle []Edge) string {
	var list []string
	for _, e := range cycle {
		list = append(list, nameOf(gs, e.From))
	}
	if len(list) == 1 {
		return list[0]
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

func nameOf(gs []Goroutine, id trace.GID) string {
	for _, g := range gs {
		if g.ID == id {
			return g.Name
		}
	}
	return fmt.Sprintf("g?%d", id)
}

// waitCycle returns a cycle of goroutines each of which waits for something
// the next one holds, beginning with the first goroutine that is on one. It
// is nil if there is none, as with channels that nobody serves.
func waitCycle(gs []Goroutine) []Edge {
	index := make(map[trace.GID]int)
	for i, g := range gs {
		index[g.ID] = i
	}
	for start := range gs {
		var path []Edge
		on := make([]bool, len(gs))
		var walk func(i int) bool
		walk = func(i int) bool {
			if on[i] {
				return false
			}
			on[i] = true
			for _, h := range gs[i].Holders {
				j, alive := index[h]
				if !alive {
					continue // held for ever by a goroutine that has ended
				}
				path = append(path, Edge{gs[i].ID, h, gs[i].On, position(gs[i].Stack)})
				if j == start || walk(j) {
					return true
				}
				path = path[:len(path)-1]
			}
			return false
		}
		if walk(start) {
			return path
		}
	}
	return nil
}

func less(a, b token.Position) bool {
	if a.Filename != b.Filename {
		return a.Filename < b.Filename
	}
	if a.Line != b.Line {
		return a.Line < b.Line
	}
	return a.Column < b.Column
}

// spinBug describes a goroutine that goes round a loop for ever in which it
// does nothing the others could see or change.
func spinBug(g Goroutine, mainAlive bool) *Bug {
	b := &Bug{Kind: Livelock, Pos: position(g.Stack), G: g.Name, Loop: -1, Related: created(g),
		Message: fmt.Sprintf("%s goes round a loop in %s for ever, and nobody else could end it", g.Name, topFunc(g.Stack))}
	if !mainAlive {
		b.Message += ", after main has returned"
	}
	return b
}

// livelockBug describes a loop that goes on for ever; the present state is on
// it. It returns nil if only goroutines that may be left behind take part.
func livelockBug(m Machine, path trace.Schedule, loop int, allow *regexp.Regexp) *Bug {
	gs := m.Goroutines()
	var looping []Goroutine
	for _, a := range path[loop:] {
		i := slices.IndexFunc(gs, func(g Goroutine) bool { return g.ID == a.G })
		if i >= 0 && !slices.ContainsFunc(looping, func(g Goroutine) bool { return g.ID == a.G }) {
			looping = append(looping, gs[i])
		}
	}
	slices.SortFunc(looping, func(a, b Goroutine) int { return int(a.ID) - int(b.ID) })
	mainAlive := slices.ContainsFunc(gs, func(g Goroutine) bool { return g.Parent == trace.NoGID })
	if len(looping) == 0 || !mainAlive && !slices.ContainsFunc(looping, func(g Goroutine) bool { return !allowed(g, allow) }) {
		return nil
	}
	at := looping[0]
	b := &Bug{Kind: Livelock, Pos: position(at.Stack), G: at.Name, Loop: loop}
	var list []string
	for _, g := range looping {
		list = append(list, g.Name)
		if g.ID != at.ID {
			b.Related = append(b.Related, Related{position(g.Stack), g.Name + " loops here"})
		}
	}
	b.Message = fmt.Sprintf("%s can go round in a circle for ever without anything changing", strings.Join(list, ", "))
	if !mainAlive {
		b.Message += ", after main has returned"
	}
	return b
}
