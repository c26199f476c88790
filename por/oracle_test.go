package por

import (
	"hbcheck.dev/hbcheck/trace"
)

// graph is a toy's state graph, built by plain breadth-first search over
// encoded states: nothing in it is shared with the explorers.
type graph struct {
	index  map[string]int
	states []toyState
	out    [][]graphEdge
	leaves map[string]bool // endings of executions
	races  map[string]bool
}

type graphEdge struct {
	to   int
	step trace.Step
}

// buildGraph returns nil if there are more than limit states.
func buildGraph(t *toy, limit int) *graph {
	g := &graph{index: map[string]int{}, leaves: map[string]bool{}, races: map[string]bool{}}
	visit := func() int {
		key := t.encode()
		if i, ok := g.index[key]; ok {
			return i
		}
		i := len(g.states)
		g.index[key] = i
		g.states = append(g.states, t.toyState)
		g.out = append(g.out, nil)
		return i
	}
	start := t.toyState
	visit()
	for i := 0; i < len(g.states); i++ {
		if len(g.states) > limit {
			t.toyState = start
			return nil
		}
		t.toyState = g.states[i]
		if st := t.Status(); st != Running {
			if st != Cut {
				g.leaves[t.ending()] = true
			}
			continue
		}
		en := t.Enabled(nil)
		for x, a := range en {
			for _, b := range en[:x] {
				oa, ob := t.Next(a), t.Next(b)
				if oa.Kind.Plain() && ob.Kind.Plain() && oa.Conflicts(&ob) {
					g.races[raceName(oa, ob)] = true
				}
			}
			for c := range t.Alternatives(a) {
				t.toyState = g.states[i]
				t.Step(a, c)
				to := visit()
				g.out[i] = append(g.out[i], graphEdge{to, trace.Step{G: a, Choice: c}})
				t.toyState = g.states[i]
			}
		}
	}
	t.toyState = start
	return g
}

// executions counts the paths from the initial state to a leaf, or -1 if the
// graph has a cycle.
func (g *graph) executions(t *toy) int {
	memo := make([]int, len(g.states)) // 0: not known, -1: on the path, else count+1
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
		if len(g.out[i]) == 0 && g.states[i].over != Cut {
			n = 1
		}
		memo[i] = n + 1
		return n
	}
	return count(0)
}

// livelock reports whether a strongly fair infinite execution exists, by the
// textbook: reachability closure, and for each component removal of the
// states in which an unmet need arises.
func (g *graph) livelock(t *toy) bool {
	alive := make([]bool, len(g.states))
	for i := range alive {
		alive[i] = true
	}
	return g.fairIn(t, alive)
}

func (g *graph) fairIn(t *toy, alive []bool) bool {
	n := len(g.states)
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
					met[must{e.step.G, g.states[x].pc[e.step.G], e.step.Choice}] = true
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
				t.toyState = g.states[x]
				if t.Alternatives(e.step.G) > 1 && !met[must{e.step.G, g.states[x].pc[e.step.G], e.step.Choice}] {
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
