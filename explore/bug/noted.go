package bug

import (
	"go/token"
	"slices"
	"time"

	"hbcheck.dev/hbcheck/explore/describe"
	"hbcheck.dev/hbcheck/trace"
)

// NotePassing records, unless b is a warning, the first goroutine that was overtaken, and the first
// loop over a map whose order was chosen.
func (b *Bug) NotePassing(m describe.Machine) {
	if b.Warning {
		return
	}
	b.Passes, b.Order = nil, nil
	if x := m.Passed(); x != nil {
		b.Passes = &Passing{m.Name(x.Waiter), m.Name(x.Runner), time.Duration(x.Waits)}
	}
	if x := m.Ranged(); x != nil {
		b.Order = &Ranging{Pos: x.Pos, Keys: b.visited(m.Name(x.G), x.Pos)}
	}
}

// visited returns the chosen keys that goroutine g visits first in its loop at pos.
func (b *Bug) visited(g string, pos token.Position) (keys []string) {
	for i := range b.Events {
		e := &b.Events[i]
		if e.Name != g || e.Noted.Key == "" || e.Pos.Filename != pos.Filename || e.Pos.Line != pos.Line {
			continue
		}
		if slices.Contains(keys, e.Noted.Key) { // the goroutine is in another iteration of the loop
			break
		}
		keys = append(keys, e.Noted.Key)
	}
	return keys
}

// Movers returns the goroutines of a schedule that leads to the present state of m.
func Movers(m describe.Machine, schedule trace.Schedule) (list []Mover) {
	last := -1
	for _, a := range schedule {
		if last >= 0 && list[last].G == a.G {
			continue
		}
		if last = slices.IndexFunc(list, func(x Mover) bool { return x.G == a.G }); last < 0 {
			last = len(list)
			list = append(list, Mover{a.G, m.Name(a.G)})
		}
	}
	return list
}

// DescribeBriefly describes b by the knowledge of the search.
func (b *Bug) DescribeBriefly() {
	names := make(map[trace.GID]string)
	for _, x := range b.Noted.Movers {
		names[x.G] = x.Name
	}
	b.Untold, b.LoopEvent, b.AccessEvents = true, max(0, b.Loop), [2]int{-1, -1}
	b.Events = make([]describe.Event, len(b.Schedule))
	for i, a := range b.Schedule {
		b.Events[i] = describe.Event{G: a.G, Name: names[a.G], Choice: a.Choice, Brief: true}
	}
}
