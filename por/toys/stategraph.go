package toys

import (
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/trace"
)

// StateGraph is a toy's state graph, built by plain breadth-first search over canonical states.
type StateGraph struct {
	index  map[State]int
	States []State
	out    [][]stateEdge
	Leaves map[string]bool // endings of executions
	Races  map[string]bool
}

type stateEdge struct {
	to   int
	step trace.Step
}

// NewStateGraph returns nil if there are more than limit states.
func NewStateGraph(t *System, limit int) *StateGraph {
	g := &StateGraph{index: map[State]int{}, Leaves: map[string]bool{}, Races: map[string]bool{}}
	visit := func() int {
		key := t.canonical()
		if i, ok := g.index[key]; ok {
			return i
		}
		i := len(g.States)
		g.index[key] = i
		g.States = append(g.States, t.State)
		g.out = append(g.out, nil)
		return i
	}
	start := t.State
	visit()
	for i := 0; i < len(g.States); i++ {
		if len(g.States) > limit {
			t.State = start
			return nil
		}
		t.State = g.States[i]
		if st := t.Status(); st != por.Running {
			if st != por.Cut {
				g.Leaves[t.Ending()] = true
			}
			continue
		}
		en := t.Enabled(nil)
		for x, a := range en {
			for _, b := range en[:x] {
				oa, ob := t.Next(a), t.Next(b)
				if oa.Kind.Plain() && ob.Kind.Plain() && oa.Conflicts(&ob) {
					g.Races[RaceName(oa, ob)] = true
				}
			}
			for c := range t.Alternatives(a) {
				t.State = g.States[i]
				t.Step(a, c)
				to := visit()
				g.out[i] = append(g.out[i], stateEdge{to, trace.Step{G: a, Choice: c}})
				t.State = g.States[i]
			}
		}
	}
	t.State = start
	return g
}

// Executions counts the paths from the initial state to a leaf, or -1 if the
// graph has a cycle.
func (g *StateGraph) Executions(t *System) int {
	memo := make([]int, len(g.States)) // 0: not known, -1: on the path, else count+1
	var count func(i int) int
	count = func(i int) int {
		switch {
		case memo[i] == -1:
			return -1
		case memo[i] > 0:
			return memo[i] - 1
		}
		memo[i] = -1
		n := 0
		for _, e := range g.out[i] {
			m := count(e.to)
			if m < 0 {
				return -1
			}
			n += m
		}
		if len(g.out[i]) == 0 && g.States[i].over != por.Cut {
			n = 1
		}
		memo[i] = n + 1
		return n
	}
	return count(0)
}

// Livelock reports whether a strongly fair infinite execution exists, by the
// textbook: reachability closure, and for each component removal of the
// states in which an unsatisfied requirement arises.
func (g *StateGraph) Livelock(t *System) bool {
	alive := make([]bool, len(g.States))
	for i := range alive {
		alive[i] = true
	}
	return g.fairIn(t, alive)
}

func (g *StateGraph) fairIn(t *System, alive []bool) bool {
	n := len(g.States)
	// reach[i][j]: a path with at least one edge inside alive.
	reach := make([][]bool, n)
	for i := range reach {
		reach[i] = make([]bool, n)
		if !alive[i] {
			continue
		}
		todo := []int{i}
		for len(todo) > 0 {
			x := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for _, e := range g.out[x] {
				if alive[e.to] && !reach[i][e.to] {
					reach[i][e.to] = true
					todo = append(todo, e.to)
				}
			}
		}
	}
	done := make([]bool, n)
	for i := range n {
		if done[i] || !alive[i] || !reach[i][i] {
			continue
		}
		var comp []int
		in := make([]bool, n)
		for j := range n {
			if reach[i][j] && reach[j][i] {
				comp = append(comp, j)
				in[j], done[j] = true, true
			}
		}
		type must struct {
			g      trace.GID
			pc     int8
			choice int
		}
		met := map[must]bool{}
		for _, x := range comp {
			for _, e := range g.out[x] {
				if in[e.to] {
					met[must{e.step.G, -1, -1}] = true
					met[must{e.step.G, g.States[x].Pc[e.step.G], e.step.Choice}] = true
				}
			}
		}
		rest, left, fair := make([]bool, n), false, true
		for _, x := range comp {
			ok := true
			for _, e := range g.out[x] { // every alternative of every enabled goroutine has an edge
				if !met[must{e.step.G, -1, -1}] {
					ok = false
				}
				t.State = g.States[x]
				if t.Alternatives(e.step.G) > 1 && !met[must{e.step.G, g.States[x].Pc[e.step.G], e.step.Choice}] {
					ok = false
				}
			}
			if ok {
				rest[x], left = true, true
			} else {
				fair = false
			}
		}
		if fair || left && g.fairIn(t, rest) {
			return true
		}
	}
	return false
}

// ReachesConflict reports whether from state i, with id parked, an operation
// can be executed that conflicts with id's.
func (g *StateGraph) ReachesConflict(t *System, i int, id trace.GID) bool {
	t.State = g.States[i]
	op := t.Next(id)
	seen := map[int]bool{i: true}
	for todo := []int{i}; len(todo) > 0; {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, e := range g.out[x] {
			if e.step.G == id {
				continue
			}
			t.State = g.States[x]
			if o := t.Next(e.step.G); o.Conflicts(&op) {
				return true
			}
			if !seen[e.to] {
				seen[e.to] = true
				todo = append(todo, e.to)
			}
		}
	}
	return false
}
