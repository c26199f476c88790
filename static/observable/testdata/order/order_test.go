// Package order has loops over maps: of tests named Free the order cannot be noticed, of those named
// Matters it may be, as far as OrderMatters (vm/compile) can tell.
package order

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"
)

type item struct {
	n    int
	name string
	done bool
}

var m = map[string]int{"a": 1, "b": 2, "c": 3}

func items() map[string]*item {
	return map[string]*item{"a": {1, "x", false}, "b": {2, "y", false}, "c": {3, "x", false}}
}

func TestFreeCount(t *testing.T) {
	n := 0
	for range m {
		n++
	}
	fmt.Println(n)
}

func TestFreeSum(t *testing.T) {
	n := 0
	for _, v := range m {
		n += v
	}
	fmt.Println(n)
}

func TestFreeSumIf(t *testing.T) {
	n := 0
	for k, v := range m {
		if k != "b" && v > 0 {
			n += v * v
		} else if v == 7 {
			continue
		} else {
			n -= v
		}
	}
	fmt.Println(n)
}

func TestFreeTwo(t *testing.T) {
	n, p := 0, 1
	for _, v := range m {
		n += v
		p *= v
	}
	fmt.Println(n, p)
}

func TestFreeFields(t *testing.T) {
	n := 0
	for _, x := range items() {
		n += x.n
	}
	fmt.Println(n)
}

func TestFreeNestedSum(t *testing.T) {
	n := 0
	for k := range m {
		for i := range 3 {
			n += len(k) + i
		}
	}
	fmt.Println(n)
}

func TestFreeFlag(t *testing.T) {
	found := false
	for k := range m {
		if k == "b" {
			found = true
		}
	}
	fmt.Println(found)
}

func TestFreeAll(t *testing.T) {
	ok := true
	for _, v := range m {
		if v < 2 {
			ok = false
		}
	}
	fmt.Println(ok)
}

func TestFreeBreak(t *testing.T) {
	found := false
	for k := range m {
		if k >= "b" {
			found = true
			break
		}
	}
	fmt.Println(found)
}

func has(name string) bool {
	for k := range m {
		if strings.HasPrefix(k, name) {
			return true
		}
	}
	return false
}

func TestFreeReturn(t *testing.T) { fmt.Println(has("b"), has("z")) }

func TestFreeMax(t *testing.T) {
	best := -1
	for _, v := range m {
		if v > best {
			best = v
		}
	}
	fmt.Println(best)
}

func TestFreeMin(t *testing.T) {
	best := 100
	for _, v := range m {
		if best > v {
			best = v
		}
	}
	fmt.Println(best)
}

func TestFreeMaxBuiltin(t *testing.T) {
	best := -1
	for _, v := range m {
		best = max(best, v)
	}
	fmt.Println(best)
}

func TestFreeBits(t *testing.T) {
	or, xor, and := 0, 0, -1
	for _, v := range m {
		or |= v
		xor ^= v
		and &= v
	}
	fmt.Println(or, xor, and)
}

func TestFreeCopy(t *testing.T) {
	c := map[string]int{}
	for k, v := range m {
		c[k] = v + 1
	}
	fmt.Println(c)
}

func TestFreeCopyFields(t *testing.T) {
	c := map[string]int{}
	for k, v := range items() {
		c[k] = v.n
	}
	fmt.Println(c)
}

func TestFreeSet(t *testing.T) {
	set := map[int]bool{}
	for k, v := range m {
		set[v%2+len(k)] = true
	}
	fmt.Println(set)
}

func TestFreeHistogram(t *testing.T) {
	h := map[int]int{}
	for _, v := range m {
		h[v%2]++
	}
	fmt.Println(h)
}

func TestFreeHistogramSum(t *testing.T) {
	h := map[string]int{}
	for _, v := range items() {
		h[v.name] += v.n
	}
	fmt.Println(h)
}

func TestFreeDelete(t *testing.T) {
	c := map[string]int{"a": 1, "b": 2, "c": 3}
	for k, v := range c {
		if v > 1 {
			delete(c, k)
		}
	}
	fmt.Println(c)
}

func TestFreeUpdate(t *testing.T) {
	c := map[string]int{"a": 1, "b": 2, "c": 3}
	for k, v := range c {
		c[k] = v * 2
	}
	fmt.Println(c)
}

func TestFreeDeleteOther(t *testing.T) {
	c := map[int]bool{1: true, 2: true, 7: true}
	for _, v := range m {
		delete(c, v)
	}
	fmt.Println(c)
}

func TestFreeLookup(t *testing.T) {
	c := map[int]string{1: "x", 3: "y"}
	n := 0
	for _, v := range m {
		if _, ok := c[v]; ok {
			n++
		}
	}
	fmt.Println(n)
}

func TestFreeSorted(t *testing.T) {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	fmt.Println(keys)
}

type header map[string]int

func (h header) set(k string, v int) { h[k] = v }

func TestFreeSetter(t *testing.T) {
	h := header{}
	for k, v := range m {
		h.set(k, v)
	}
	fmt.Println(h)
}

type headed struct{ h header }

func TestFreeSetterOfField(t *testing.T) {
	x, y := &headed{header{"z": 1}}, &headed{header{"a": 1, "b": 2}}
	for k, v := range y.h {
		x.h.set(k, v)
	}
	fmt.Println(x.h)
}

func TestMattersSetter(t *testing.T) {
	h := header{}
	for _, v := range m {
		h.set("same", v)
	}
	fmt.Println(h)
}

func TestFreeFilled(t *testing.T) {
	keys := make([]string, len(m))
	i := 0
	for k := range m {
		keys[i] = k
		i++
	}
	sort.Strings(keys)
	fmt.Println(keys, i)
}

func TestFreeFilledMore(t *testing.T) {
	values := make([]int, len(m)+1)
	i, sum := 1, 0
	for k, v := range m {
		if k == "b" {
			v = 7
		}
		values[i] = v
		sum += v
		i++
	}
	sort.Ints(values)
	fmt.Println(values, sum)
}

func TestMattersFilled(t *testing.T) {
	keys := make([]string, len(m))
	i := 0
	for k := range m {
		keys[i] = k
		i++
	}
	fmt.Println(keys)
}

func TestMattersFilledSeen(t *testing.T) {
	keys := make([]string, len(m))
	i, first := 0, false
	for k := range m {
		keys[i] = k
		i++
		first = first || keys[0] == "a"
		if first {
			break
		}
	}
	sort.Strings(keys)
	fmt.Println(keys)
}

func TestMattersFilledElsewhere(t *testing.T) {
	keys := make([]string, len(m))
	also := [][]string{keys}
	i := 0
	for k := range m {
		keys[i] = k
		i++
	}
	fmt.Println(also[0][0])
	sort.Strings(keys)
}

func TestMattersFilledNumbered(t *testing.T) {
	keys := make([]string, len(m))
	i := 0
	for k := range m {
		keys[i] = fmt.Sprint(k, i)
		i++
	}
	sort.Strings(keys)
	fmt.Println(keys)
}

func TestMattersFilledShort(t *testing.T) {
	keys, sums := make([]string, len(m)-1), map[string]int{}
	defer func() {
		recover()
		fmt.Println(sums)
	}()
	i := 0
	for k, v := range m {
		sums[k] = v
		keys[i] = k
		i++
	}
	sort.Strings(keys)
}

func TestFreeSortedInts(t *testing.T) {
	keys := make([]int, 0, len(m))
	for k, v := range m {
		if k != "b" {
			keys = append(keys, v)
		}
	}
	sort.Ints(keys)
	fmt.Println(keys)
}

func TestFreeSlicesSort(t *testing.T) {
	keys := []string{"z"}
	for k := range m {
		keys = append(keys, strings.ToUpper(k))
	}
	slices.Sort(keys)
	fmt.Println(keys)
}

func TestFreeNames(t *testing.T) {
	var keys []string
	for _, x := range items() {
		keys = append(keys, x.name)
	}
	slices.Sort(keys)
	fmt.Println(keys)
}

var total, count int

func TestFreeGlobal(t *testing.T) {
	total, count = 0, 0
	for _, v := range m {
		total += v
		count++
	}
	fmt.Println(total, count)
}

func TestFreeGlobalFlag(t *testing.T) {
	s := struct{ any bool }{}
	p := &s
	func() {
		for range m {
			s.any = true
		}
	}()
	fmt.Println(p.any)
}

func TestFreeCaptured(t *testing.T) {
	n := 0
	add := func() {
		for _, v := range m {
			n += v
		}
	}
	add()
	add()
	fmt.Println(n)
}

func TestFreeMaxMin(t *testing.T) {
	hi, lo := -1, 100
	for _, v := range m {
		if v > hi {
			hi = v
		}
		if v < lo {
			lo = v
		}
	}
	fmt.Println(hi, lo)
}

func TestMattersMaxOrMin(t *testing.T) {
	n := 2
	for _, v := range m {
		if v > n {
			n = v
		}
		if v == 1 && v < n {
			n = v
		}
	}
	fmt.Println(n)
}

func TestMattersPrint(t *testing.T) {
	for k := range m {
		fmt.Print(k)
	}
}

func TestMattersFirst(t *testing.T) {
	for k := range m {
		fmt.Print(k)
		break
	}
}

func TestMattersReturn(t *testing.T) {
	f := func() string {
		for k, v := range m {
			if v > 1 {
				return k
			}
		}
		return ""
	}
	fmt.Println(f())
}

func TestMattersTwoReturns(t *testing.T) {
	f := func() int {
		for _, v := range m {
			if v == 1 {
				return 10
			}
			if v == 2 {
				return 20
			}
		}
		return 0
	}
	fmt.Println(f())
}

func TestMattersLast(t *testing.T) {
	last := ""
	for k := range m {
		last = k
	}
	fmt.Println(last)
}

func TestMattersTwoConstants(t *testing.T) {
	last := 0
	for k := range m {
		if k == "a" {
			last = 1
		} else {
			last = 2
		}
	}
	fmt.Println(last)
}

func TestMattersConcat(t *testing.T) {
	s := ""
	for k := range m {
		s += k
	}
	fmt.Println(s)
}

func TestMattersFloat(t *testing.T) {
	s := 0.0
	for _, v := range map[string]float64{"a": 1e100, "b": -1e100, "c": 1} {
		s += v
	}
	fmt.Println(s)
}

func TestMattersMinus(t *testing.T) {
	n := 0
	for _, v := range m {
		n = v - n
	}
	fmt.Println(n)
}

func TestMattersTimesPlus(t *testing.T) {
	n := 0
	for _, v := range m {
		if v == 2 {
			n *= 2
		} else {
			n += v
		}
	}
	fmt.Println(n)
}

func TestMattersCountBreak(t *testing.T) {
	n := 0
	for k := range m {
		n++
		if k == "b" {
			break
		}
	}
	fmt.Println(n)
}

func TestMattersIndexed(t *testing.T) {
	i := 0
	c := map[string]int{}
	for k := range m {
		c[k] = i
		i++
	}
	fmt.Println(c)
}

func TestMattersArgMax(t *testing.T) {
	best, at := 0, ""
	for k, v := range m {
		if v/2 > best {
			best, at = v/2, k
		}
	}
	fmt.Println(best, at)
}

func TestMattersCountMax(t *testing.T) {
	best, n := 0, 0
	for _, v := range m {
		if v > best {
			best = v
			n++
		}
	}
	fmt.Println(best, n)
}

func TestMattersRunning(t *testing.T) {
	n, over := 0, 0
	for _, v := range m {
		n += v
		if n > 3 {
			over++
		}
	}
	fmt.Println(n, over)
}

func TestMattersUnsorted(t *testing.T) {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	fmt.Println(keys)
}

func TestMattersSortedLate(t *testing.T) {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	fmt.Println(keys[0])
	sort.Strings(keys)
}

func TestMattersSortedSometimes(t *testing.T) {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	if len(m) > 5 {
		sort.Strings(keys)
	}
	fmt.Println(keys)
}

func TestMattersStable(t *testing.T) {
	var keys []*item
	for _, x := range items() {
		keys = append(keys, x)
	}
	sort.SliceStable(keys, func(i, j int) bool { return keys[i].name < keys[j].name })
	fmt.Println(keys[0].n)
}

func TestMattersOverwrite(t *testing.T) {
	c := map[int]string{}
	for k, v := range m {
		c[v%2] = k
	}
	fmt.Println(c)
}

func TestMattersLists(t *testing.T) {
	c := map[int][]string{}
	for k, v := range m {
		c[v%2] = append(c[v%2], k)
	}
	fmt.Println(c)
}

func TestMattersOwnAndSet(t *testing.T) {
	c := map[string]int{}
	for k, v := range m {
		c[k] = v
		c["a"] = 0
	}
	fmt.Println(c)
}

func TestMattersDeleteNext(t *testing.T) {
	c := map[int]int{1: 2, 2: 1}
	n := 0
	for k, v := range c {
		delete(c, v)
		n += k
	}
	fmt.Println(n)
}

func TestMattersReads(t *testing.T) {
	c := map[string]int{"a": 1, "b": 2, "c": 3}
	for k := range c {
		c[k] = c["a"] + 1
	}
	fmt.Println(c)
}

func TestMattersField(t *testing.T) {
	var s item
	set := func() {
		for k := range m {
			s.name = k
		}
	}
	set()
	fmt.Println(s.name)
}

func TestMattersCalls(t *testing.T) {
	f := func(string) {}
	if len(m) == 3 {
		f = func(k string) { fmt.Print(k) }
	}
	for k := range m {
		f(k)
	}
}

func TestMattersPanic(t *testing.T) {
	defer func() { fmt.Println(recover()) }()
	a := []int{0}
	n := 0
	for _, v := range m {
		n += a[v]
	}
	fmt.Println(n)
}

func TestMattersPanicAfterWrite(t *testing.T) {
	defer func() {
		recover()
		fmt.Println(total)
	}()
	total = 0
	c := items()
	c["c"] = nil
	for _, x := range c {
		total += x.n
	}
}

func TestMattersPanicOrReturn(t *testing.T) {
	f := func() (ok bool) {
		defer func() { recover() }()
		c := items()
		c["c"] = nil
		for _, x := range c {
			if x.n > 0 {
				return true
			}
		}
		return false
	}
	fmt.Println(f())
}

func TestMattersSend(t *testing.T) {
	c := make(chan string, 3)
	for k := range m {
		c <- k
	}
	fmt.Println(<-c)
}

func TestMattersDefer(t *testing.T) {
	for k := range m {
		defer fmt.Print(k)
	}
}

func TestMattersEndless(t *testing.T) {
	f := func() bool {
		for _, v := range m {
			if v == 1 {
				return true
			}
			for i := v; i < 0; i-- {
			}
		}
		return false
	}
	fmt.Println(f())
}
