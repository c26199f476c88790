package order

import (
	"fmt"
	"testing"
)

// Maps and pointers that each iteration asks for anew; functions that only read; variables of an iteration.

type cache struct {
	items map[string]int
	other map[string]int
	names map[int]string
	next  *cache
	n     int
	last  int
	log   []int
	free  bool
}

func newCache() *cache {
	return &cache{items: map[string]int{"a": 1, "b": 2, "c": 3}, other: map[string]int{"b": 2}, names: map[int]string{}}
}

func (c *cache) show() string { return fmt.Sprint(c.items, c.other, c.names, c.n, c.last, c.free) }

func (c *cache) has(k string) bool { _, ok := c.items[k]; return ok }

func (c *cache) odd(k string) bool { return c.items[k]%2 == 1 }

var set = map[int]struct{}{}

func TestFreeGlobalSet(t *testing.T) {
	for _, v := range m {
		set[v] = struct{}{}
	}
	fmt.Println(set)
}

func (c *cache) deleteOdd() {
	for k, v := range c.items {
		if v%2 == 1 {
			delete(c.items, k)
		}
	}
}

func TestFreeDeleteFromField(t *testing.T) {
	c := newCache()
	c.deleteOdd()
	fmt.Println(c.show())
}

func (c *cache) merge(items map[string]int) {
	for k, v := range items {
		if old, found := c.items[k]; !found || old < v {
			c.items[k] = v
		}
	}
}

func TestFreeMerge(t *testing.T) {
	c := newCache()
	c.merge(map[string]int{"a": 0, "b": 7, "d": 9})
	fmt.Println(c.show())
}

func (c *cache) move() {
	for k, v := range c.items {
		if v > 1 {
			c.n += v
			c.free = true
		}
		c.n += len(k)
	}
}

func TestFreeFieldSum(t *testing.T) {
	c := newCache()
	c.move()
	fmt.Println(c.show())
}

func (c *cache) setAll(to int) {
	for k := range c.items {
		if k != "b" {
			c.last = to
		}
	}
}

func TestFreeSetVariable(t *testing.T) {
	c := newCache()
	c.setAll(len(m))
	fmt.Println(c.show())
}

func (c *cache) containsAny(o *cache) bool {
	for k := range c.items {
		if o.has(k) {
			return true
		}
	}
	return false
}

func TestFreeCallExit(t *testing.T) {
	fmt.Println(newCache().containsAny(&cache{items: map[string]int{"b": 0, "c": 0}}), newCache().containsAny(&cache{}))
}

func between(c *cache, o *cache) bool {
	for k, v := range c.items {
		if !o.has(k) {
			return false
		}
		if v < 0 {
			return false
		}
	}
	return true
}

func TestFreeTwoSameReturns(t *testing.T) {
	fmt.Println(between(newCache(), &cache{items: map[string]int{"b": 0}}), between(newCache(), newCache()))
}

func nested(c, o *cache) int {
	n := 0
	for k := range c.items {
		if o.odd(k) && o.has(k) {
			n++
		}
	}
	return n
}

func TestFreeCalls(t *testing.T) { fmt.Println(nested(newCache(), newCache())) }

type point struct{ x, y int }

func (p point) sum() int { return p.x + p.y }

func (p *point) left() bool { return p.x < 2 }

func TestFreeValues(t *testing.T) {
	points := map[string]point{"a": {1, 2}, "b": {3, 4}, "c": {5, 6}}
	n := 0
	for _, p := range points {
		n += p.sum()
		var q point
		q.x, q.y = p.y, p.x
		if q.sum() > 4 {
			n++
		}
	}
	fmt.Println(n)
}

func TestFreeMade(t *testing.T) {
	points := map[string]*point{}
	lists := map[string][]int{}
	for k, v := range m {
		p := &point{v, 1}
		if p.left() {
			p.y = 7
		}
		points[k] = p
		lists[k] = []int{v, p.y}
	}
	fmt.Println(len(points), *points["a"], *points["b"], lists)
}

func total2(list []int) int {
	n := 0
	for _, v := range list {
		n += v
	}
	return n
}

func TestFreeSlices(t *testing.T) {
	lists := map[string][]int{"a": {1, 2}, "b": nil, "c": {5, 6, 7}}
	sums := map[string]int{}
	total = 0
	for k, list := range lists {
		sums[k] = total2(list)
		for _, v := range list {
			total += v
		}
	}
	fmt.Println(sums, total)
}

func TestFreeMapsOfMaps(t *testing.T) {
	maps := map[string]map[int]bool{"a": {1: true, 2: false}, "b": {3: true}, "c": nil}
	n := 0
	for _, in := range maps {
		for _, v := range in {
			if v {
				n++
			}
		}
	}
	fmt.Println(n)
}

// Loops whose order matters.

func (c *cache) mergeInto(o *cache) {
	for k, v := range c.items {
		c.names[v%2] = o.names[v%2] + k
	}
}

func TestMattersReadsOther(t *testing.T) {
	c := newCache()
	c.mergeInto(c)
	fmt.Println(c.show())
}

func (c *cache) switchMaps() {
	for k, v := range c.items {
		c.other[k] = v
		if v == 2 {
			c.other = nil
			c.other = map[string]int{}
		}
	}
}

func TestMattersSwitch(t *testing.T) {
	c := newCache()
	c.switchMaps()
	fmt.Println(c.show())
}

func switchTo(c *cache, to map[string]int) {
	for k, v := range m {
		if v == 2 {
			c.other = to
		}
		c.other[k] = v
	}
}

func TestMattersSwitchTo(t *testing.T) {
	c := newCache()
	old := c.other
	switchTo(c, map[string]int{})
	fmt.Println(c.show(), old)
}

func fill(list []cache) {
	defer func() { recover() }()
	for k, v := range m {
		for i := range list {
			list[i].other[k] = v
		}
	}
}

func TestMattersNilMapOfMany(t *testing.T) {
	list := []cache{{other: map[string]int{}}, {}}
	fill(list)
	fmt.Println(list[0].show())
}

func (c *cache) follow(o *cache) {
	for _, v := range m {
		c.n = o.n + v
	}
}

func TestMattersOtherField(t *testing.T) {
	c := newCache()
	c.follow(newCache())
	fmt.Println(c.show())
}

func TestMattersOwnNext(t *testing.T) {
	next := map[string]string{"a": "b", "b": "c", "c": "a"}
	seen := map[string]string{}
	n := 0
	for k, v := range next {
		if _, ok := seen[v]; ok {
			n++
		}
		seen[k] = v
	}
	fmt.Println(n, seen)
}

func (c *cache) count() int { c.n++; return c.n }

func TestMattersCallWrites(t *testing.T) {
	c := newCache()
	for k := range m {
		c.other[k] = c.count()
	}
	fmt.Println(c.show())
}

func (c *cache) newest() int { return c.last }

func TestMattersCallReads(t *testing.T) {
	c := newCache()
	n := 0
	for _, v := range m {
		if c.newest() == 0 {
			n += v
		}
		c.last = 1
	}
	fmt.Println(n)
}

func TestMattersCallFinds(t *testing.T) {
	c := newCache()
	n := 0
	for k, v := range map[string]string{"a": "b", "b": "d", "d": "a"} {
		if c.has(v) {
			n++
		}
		c.items[k] = 1
	}
	fmt.Println(n)
}

func endless(n int) bool {
	for n == 2 {
	}
	return true
}

func TestMattersCallEndless(t *testing.T) {
	f := func() bool {
		for _, v := range m {
			if v == 1 {
				return true
			}
			if endless(v) && v == 3 {
				return true
			}
		}
		return false
	}
	fmt.Println(f())
}

func fails(c *cache) bool { return c.n == 0 }

func TestMattersCallPanics(t *testing.T) {
	f := func() (ok bool) {
		defer func() { recover() }()
		for _, c := range map[string]*cache{"a": newCache(), "b": nil} {
			if fails(c) {
				return true
			}
		}
		return false
	}
	fmt.Println(f())
}

func TestMattersNilAfterExit(t *testing.T) {
	f := func(o *cache) (ok bool) {
		defer func() { recover() }()
		for k, v := range m {
			if v == 1 || o.has(k) {
				return true
			}
		}
		return false
	}
	fmt.Println(f(nil))
}

func perhaps(c *cache, v int) bool { return v == 2 && c.n == 0 }

// The pointer is nil, but only one of the iterations looks at it.
func TestMattersNilLate(t *testing.T) {
	f := func(c *cache) (ok bool) {
		defer func() { recover() }()
		for _, v := range m {
			if perhaps(c, v) || v == 1 {
				return true
			}
		}
		return false
	}
	fmt.Println(f(nil))
}

func TestMattersNilAfterWrite(t *testing.T) {
	f := func(c *cache) {
		defer func() { recover() }()
		for _, v := range m {
			count++
			if v == 2 {
				count += c.n
			}
		}
	}
	count = 0
	f(nil)
	fmt.Println(count)
}

// A call before the write looks at it, in one of the iterations.
func TestMattersNilInCall(t *testing.T) {
	f := func(c *cache) {
		defer func() { recover() }()
		for _, v := range m {
			if !perhaps(c, v) {
				count++
			}
		}
	}
	count = 0
	f(nil)
	fmt.Println(count)
}

func TestFreeNilFirst(t *testing.T) {
	f := func(c *cache) {
		defer func() { recover() }()
		for _, v := range m {
			n := c.n
			if v == 2 {
				count += n
			}
		}
	}
	count = 0
	f(nil)
	f(newCache())
	fmt.Println(count)
}

func TestMattersNilPlaces(t *testing.T) {
	f := func(c, d *cache) (n int) {
		for _, v := range m {
			if v == 1 {
				n += c.n
			} else {
				n += d.n
			}
		}
		return n
	}
	fmt.Println(f(newCache(), newCache()))
}

func TestMattersEscapes(t *testing.T) {
	var last *int
	for _, v := range m {
		n := v
		last = &n
	}
	fmt.Println(*last)
}

func TestMattersUnhashable(t *testing.T) {
	type key struct{ v any }
	c := map[key]bool{}
	func() {
		defer func() { recover() }()
		for k := range m {
			x := key{k}
			if k == "b" {
				x.v = []int{1}
			}
			c[x] = true
		}
	}()
	fmt.Println(c)
}

func TestMattersInnerReads(t *testing.T) {
	c := newCache()
	n := 0
	for k, v := range m {
		for _, w := range c.other {
			n += w
		}
		c.other[k] = v
	}
	fmt.Println(n)
}

func TestMattersArray(t *testing.T) {
	f := func(a *struct{ two [2]int }, list []int, none [2]int) int {
		n := 0
		for _, v := range m {
			for _, x := range list {
				n += x * v
			}
			a.two = none
		}
		return n
	}
	var a struct{ two [2]int }
	a.two[1] = 5
	fmt.Println(f(&a, a.two[:], [2]int{}))
}

func TestMattersLocalField(t *testing.T) {
	var p point
	for _, v := range m {
		p.x = v
	}
	fmt.Println(p.left(), p.x)
}

func TestMattersOwnAndOther(t *testing.T) {
	c := map[string]int{}
	for k, v := range map[string]int8{"a": 1, "b": 2} {
		c[k] = int(v)
		if v == 2 {
			c["a"] = 7
		}
	}
	fmt.Println(c)
}

// The order of the inner loop is a choice, that of the outer one is none.
func TestMattersInner(t *testing.T) {
	n := 0
	for range map[string]int{"a": 1, "b": 2, "c": 3} {
		last := 0
		for k := range map[int]bool{1: true, 2: true} {
			last = k
		}
		n += last
	}
	fmt.Println(n)
}

func TestMattersZero(t *testing.T) {
	zero := 0.0
	set := map[float64]bool{}
	for _, v := range map[string]float64{"a": zero, "b": -1 / (1 / zero), "c": 2} {
		set[v] = true
	}
	fmt.Println(set)
}

func recurse(n int) int {
	if n == 0 {
		return 0
	}
	return recurse(n - 1)
}

func TestMattersRecursion(t *testing.T) {
	n := 0
	for _, v := range m {
		n += recurse(v)
	}
	fmt.Println(n)
}

var limit int

// What is read depends on which entry comes first, and so would a data race.
func TestMattersEarlyRead(t *testing.T) {
	fmt.Println(func() bool {
		for k := range m {
			if k == "a" {
				return true
			}
			if k == "b" && limit > 0 {
				return true
			}
		}
		return false
	}())
}

func TestMattersEarlyReadOfEntry(t *testing.T) {
	ones := map[string]*int{"a": new(int), "b": new(int)}
	fmt.Println(func() bool {
		for _, p := range ones {
			if *p > 1 {
				return true
			}
		}
		return false
	}())
}

func low(k string) bool { return k == "a" && limit > 0 }

func TestMattersEarlyReadInCall(t *testing.T) {
	fmt.Println(func() bool {
		for k := range m {
			if low(k) {
				return true
			}
		}
		return false
	}())
}

func TestFreeEarlyReadOfSame(t *testing.T) {
	c := newCache()
	fmt.Println(func() bool {
		for _, v := range c.items {
			if most := c.n + limit; v < most {
				return true
			}
		}
		return false
	}())
}

type level int

func (l level) name() string { return fmt.Sprintf("level %d", int(l)) }

type loud int

var shouts []string

func (l loud) String() string {
	shouts = append(shouts, fmt.Sprint(int(l)))
	return "loud"
}

func TestFreePrinted(t *testing.T) {
	names := map[string]string{}
	for k, v := range m {
		names[k] = fmt.Sprintf("%s: %s of %d", k, level(v).name(), len(k)) + fmt.Sprint()
	}
	fmt.Println(names)
}

func TestMattersPrintedByMethod(t *testing.T) {
	names := map[string]string{}
	for k, v := range m {
		names[k] = fmt.Sprintf("%s: %v", k, loud(v))
	}
	fmt.Println(names, shouts)
}

func TestMattersPrintedByHidden(t *testing.T) {
	names := map[string]string{}
	for k, v := range m {
		var x any = k
		if v == 1 {
			x = loud(v)
		}
		names[k] = fmt.Sprint(x)
	}
	fmt.Println(names, shouts)
}

func TestMattersPrintedAtOnce(t *testing.T) {
	for k, v := range m {
		fmt.Println(fmt.Sprint(k, v))
	}
}
