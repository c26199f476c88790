// Shortest paths with a heap: container/heap over a slice of structs.
package main

import "container/heap"

type edge struct{ to, w int }
type node struct{ v, d int }
type queue []node

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].d < q[j].d }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(node)) }
func (q *queue) Pop() any {
	o := *q
	x := o[len(o)-1]
	*q = o[:len(o)-1]
	return x
}

func main() {
	const n = 20000
	g := make([][]edge, n)
	x := uint32(1)
	for i := range g {
		for range 4 {
			x = x*1664525 + 1013904223
			g[i] = append(g[i], edge{int(x>>8) % n, int(x>>4)%100 + 1})
		}
	}
	dist := make([]int, n)
	for i := range dist {
		dist[i] = 1 << 40
	}
	dist[0] = 0
	q := &queue{{0, 0}}
	for q.Len() > 0 {
		u := heap.Pop(q).(node)
		if u.d > dist[u.v] {
			continue
		}
		for _, e := range g[u.v] {
			if d := u.d + e.w; d < dist[e.to] {
				dist[e.to] = d
				heap.Push(q, node{e.to, d})
			}
		}
	}
	s := 0
	for _, d := range dist {
		if d < 1<<40 {
			s += d
		}
	}
	println(s)
}
