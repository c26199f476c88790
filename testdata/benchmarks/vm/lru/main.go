// A cache of the most recent entries: container/list and a map.
package main

import "container/list"

type entry struct{ k, v int }

func main() {
	l, m := list.New(), map[int]*list.Element{}
	hits, x := 0, uint32(7)
	for range 400000 {
		x = x*1664525 + 1013904223
		k := int(x>>10) % 3000
		if e, ok := m[k]; ok {
			l.MoveToFront(e)
			hits += e.Value.(*entry).v & 1
			continue
		}
		m[k] = l.PushFront(&entry{k, k * 3})
		if l.Len() > 1000 {
			b := l.Back()
			delete(m, b.Value.(*entry).k)
			l.Remove(b)
		}
	}
	println(hits, l.Len())
}
