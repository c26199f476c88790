package progen

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Numbers returns a program of goroutines that are equal except for a number. They compare their
// numbers, send and store them, and use them as keys of maps; in some programs they also calculate
// with them or print them. It is for tests of state matching up to renaming.
func Numbers(name string, rng *rand.Rand) Text {
	p := &numbers{objects: objects{rng: rng, prefix: strings.ToLower(name), used: map[string]bool{}}}
	var body strings.Builder
	p.w = &body
	p.main(name)
	return Text{Name: name, Source: body.String()}
}

type numbers struct {
	objects
	misused bool // some numbers are used as numbers
}

func (p *numbers) main(name string) {
	p.ln("package main\n\nimport (\n\t\"sync\"\n\t\"sync/atomic\"\n)")
	p.ln("type U struct{ id, k int }")
	p.ln("type T struct {\n\tmu sync.Mutex\n\twg sync.WaitGroup\n\tlast, k int\n\thas bool\n\ta, end atomic.Int64\n\tch, buf chan int\n\tmsgs chan U\n\tm map[int]int\n\tof map[int]*U\n\tlist []int\n\tarr [8]int\n\tany any\n\tu U\n\tbits [8]bool\n\tus [8]U\n\tp *int\n}")
	p.ln("func %s_help(o *T, id int, other int) bool {\n\to.k++\n\treturn o.has && id == other\n}", p.prefix)
	p.ln("func %s() {", name)
	p.ln("o := &T{ch: make(chan int), buf: make(chan int, 2), msgs: make(chan U, 2), m: map[int]int{}, of: map[int]*U{}, list: make([]int, 8)}")
	p.misused = p.chance(35)
	n := 2 + p.n(2)
	if p.chance(25) {
		p.ln("o.last = -1")
	}
	numbers := []string{"i", "i", "i", "i", "i", "i", "i", "2*i + 1", "(i + 1) % 3", "7 - i", "i / 2", "i - 1"}
	p.ln("o.wg.Add(%d)", n)
	p.ln("for i := range %d {", n)
	number := numbers[p.n(len(numbers))]
	p.ln("id := %s\n_ = id", number)
	if p.chance(20) { // the number depends on the schedule
		p.ln("if i > 0 {\no.mu.Lock()\nid = i + o.k%%2\no.mu.Unlock()\n}")
	}
	budget := 2 + p.n(3)
	switch p.n(5) {
	case 0, 3:
		p.ln("go func() {")
		p.statements(budget)
		p.ln("o.wg.Done()\n}()")
	case 1, 4:
		p.ln("go func(id int) {")
		p.statements(budget)
		p.ln("o.wg.Done()\n}(id)")
	case 2:
		p.ln("go func(id, next int) {")
		p.ln("if id == next {\nsay(77)\n}")
		p.statements(budget)
		p.ln("o.mu.Lock()\no.k = next\no.mu.Unlock()\no.wg.Done()\n}(id, %s)", numbers[p.n(len(numbers))])
	}
	p.ln("}")
	waits := p.chance(75)
	if p.chance(30) {
		p.mains(1 + p.n(2))
	}
	if waits {
		p.ln("o.wg.Wait()")
	}
	p.mains(1 + p.n(2))
	p.ln("_ = o\n}")
}

// statements prints statements of a goroutine with the number id.
func (p *numbers) statements(n int) {
	locked := func(s string) { p.ln("{\no.mu.Lock()\n%s\no.mu.Unlock()\n}", s) }
	for range n {
		if p.misused && p.chance(30) {
			p.misuse()
			continue
		}
		k := p.n(9)
		switch p.n(46) {
		case 0, 1:
			locked("o.m[id]++")
		case 2:
			locked("o.last, o.has = id, true")
		case 3:
			locked("if o.has && o.last == id {\nsay(1)\n}")
		case 4:
			locked("if !o.has || o.last != id {\no.last, o.has = id, true\no.k++\n}")
		case 5:
			p.ln("select {\ncase o.msgs <- U{id, %d}:\ndefault:\n}", k)
		case 6:
			p.ln("select {\ncase r := <-o.msgs:\nif r.id == id {\nsay(2)\n} else {\no.mu.Lock()\no.m[r.id] += r.k\no.mu.Unlock()\n}\ndefault:\n}")
		case 7:
			locked("if _, ok := o.m[id]; ok {\ndelete(o.m, id)\n} else {\no.m[id] = o.k\n}")
		case 8:
			locked("if len(o.m) == 1 {\nsay(3)\n}")
		case 9:
			locked("o.of[id] = &U{id, o.k}\no.k = len(o.of)")
		case 10:
			locked("if !o.has {\n} else if x := o.of[o.last]; x != nil && x.id == id {\nsay(4)\n}")
		case 11:
			p.ln("select {\ncase o.ch <- id:\ncase x := <-o.ch:\nif x == id {\nsay(5)\n}\ndefault:\n}")
		case 12:
			p.ln("select {\ncase o.buf <- id:\ndefault:\n}")
		case 13:
			p.ln("select {\ncase x := <-o.buf:\no.mu.Lock()\no.m[x]++\no.mu.Unlock()\ndefault:\n}")
		case 14:
			p.ln("o.a.Store(int64(id))")
		case 15:
			p.ln("if int(o.a.Load()) == id {\nsay(6)\n}")
		case 16:
			p.ln("if int(o.a.Swap(int64(id))) != id {\no.mu.Lock()\no.k += 2\no.mu.Unlock()\n}")
		case 17:
			locked("if " + p.prefix + "_help(o, id, o.last) {\nsay(7)\n}")
		case 18:
			p.ln("o.wg.Add(1)\ngo func() {\no.mu.Lock()\nif o.has && o.last == id {\nsay(8)\n}\no.last, o.has = id, true\no.mu.Unlock()\no.wg.Done()\n}()")
		case 19:
			p.ln("defer func(x int) {\no.mu.Lock()\no.m[x] = id - id\no.mu.Unlock()\n}(id)")
		case 20:
			locked("o.u.id = id\nif o.u.k++; o.u.k == 2 {\no.last, o.has = o.u.id, true\n}")
		case 21:
			locked("x := &U{}\nx.id = id\nif y := x; o.has && y.id != o.last {\no.k++\n}")
		case 22:
			locked("for x := range o.m {\nif x == id {\no.k++\n}\n}")
		case 23:
			locked("for x, v := range o.m {\nif x != id && v == 1 {\no.last, o.has = x, true\n}\n}")
		case 24:
			locked("o.k++")
		case 25:
			p.ln("o.last, o.has = id, true") // a data race
		case 26:
			locked("l := []int{id, o.last}\nif o.has && l[0] == l[1] {\nsay(9)\n}\no.last, o.has = append(l, id)[2], true")
		case 27:
			p.ln("for range 2 {\nselect {\ncase o.msgs <- U{id: id}:\ncase r := <-o.msgs:\no.mu.Lock()\no.last, o.has = r.id, true\no.mu.Unlock()\ndefault:\n}\n}")
		case 32, 33:
			locked(fmt.Sprintf("o.list[id] = %d", k))
		case 34, 35:
			locked("o.list[id]++")
		case 36:
			p.ln("o.list[id]++")
		case 37:
			locked("if o.list[id] == 1 {\nsay(10)\n}")
		case 38:
			locked("if o.has {\no.list[o.last] += 2\n}")
		case 39:
			locked("o.arr[id]++")
		case 40:
			locked("o.bits[id] = o.has")
		case 41:
			locked("o.us[id].k++")
		case 42:
			locked("x := &o.list[id]\n*x += o.k\nif *x > 2 {\nsay(11)\n}")
		case 43:
			locked("k := 0\nfor i := range o.list {\nk += o.list[i]\n}\nif k == 2 {\nsay(12)\n}")
		case 44:
			locked("for i, v := range o.list {\no.k += 0 * i\nif i > 20 {\no.k += v\n}\n}\no.list[id] = 1")
		case 45:
			p.ln("if k := o.list[id]; k > 0 {\nsay(13)\n}")
		case 30: // names go round
			p.ln("for x := int64(id); o.end.Load() == 0; {\nx = o.a.Swap(x)\n}")
		case 31:
			p.ln("o.end.Store(1)")
		case 28:
			locked("y := id\no.k += b2i(o.has && y == o.last)")
		case 29:
			locked("if o.has {\no.of[id] = o.of[o.last]\n}")
		}
	}
}

// misuse prints a statement in which id, or a place where a number like it may be, is a number.
func (p *numbers) misuse() {
	locked := func(s string) { p.ln("{\no.mu.Lock()\n%s\no.mu.Unlock()\n}", s) }
	k := p.n(3)
	switch p.n(36) {
	case 22:
		locked("o.list[id] = id")
	case 23:
		locked("o.list[0] = 2")
	case 24:
		locked("if o.list[1] == 2 {\nsay(26)\n}")
	case 25:
		locked("l := append(o.list, 1)\nif l[1] == 1 {\nsay(27)\n}")
	case 26:
		locked("l := make([]int, 8)\ncopy(l, o.list)\nif l[1] > l[0] {\nsay(28)\n}")
	case 27:
		locked("clear(o.list[1:])")
	case 28:
		locked("l := o.list[1:]\nl[id]++\nif l[0] == 1 {\no.k++\n}")
	case 29:
		locked("k := 0\nfor i := range 2 {\nk += o.list[i]\n}\nif k == 1 {\nsay(29)\n}")
	case 30:
		locked("k := 0\nfor i := range o.list {\nk += o.list[i] + o.list[0]\n}\nif k == 1 {\nsay(50)\n}")
	case 31:
		locked("k := 0\nfor i := range o.list {\nk += o.list[i]\nif k == 1 && i < 1 {\nsay(51)\n}\n}")
	case 32:
		locked("k := o.list[0]\no.list[id] = 3\nk += o.list[1]\nif k == 3 {\nsay(52)\n}")
	case 33:
		locked("k := 1\nfor i := range o.list {\nk *= 1 + o.list[i]\n}\nif k == 4 {\nsay(53)\n}")
	case 34:
		locked("o.k = o.list[0]")
	case 35:
		locked("x := &o.list[id]\nif x == &o.list[1] {\nsay(54)\n}\no.p = x")
	case 20:
		p.ln("if o.a.CompareAndSwap(0, int64(id)) {\no.mu.Lock()\no.k += 5\no.mu.Unlock()\n}")
	case 21:
		locked("o.list[id&7]++")
	case 0:
		p.ln("if id == %d {\nsay(20)\n}", k)
	case 1:
		locked("if id < o.last {\no.k++\n}")
	case 2:
		p.ln("say(id)")
	case 3:
		locked("o.k = id + 1")
	case 4:
		p.ln("switch id {\ncase %d:\nsay(21)\ncase 9:\nsay(22)\n}", k)
	case 5:
		locked("o.k = int(uint8(id))")
	case 6:
		locked("o.any = id")
	case 7:
		locked("if o.any == any(id) {\nsay(23)\n}")
	case 8:
		locked("if o.u == (U{id, 1}) {\nsay(24)\n}\no.u = U{id, 1}")
	case 9:
		locked("o.arr[id&3] = id\no.k += o.arr[1]")
	case 10:
		locked("o.k += len(make([]int, id&3))")
	case 11:
		locked("o.m[id+1]++")
	case 12:
		locked("o.last = min(o.last, id)")
	case 13:
		p.ln("if id == 0 {\npanic(id)\n}")
	case 14:
		locked("o.m[len(o.m)]++")
	case 15:
		p.ln("if o.a.Add(int64(id)) == 3 {\nsay(25)\n}")
	case 16:
		p.ln("o.a.And(int64(id))")
	case 17:
		locked("mm := map[U]int{{id, 0}: 1}\no.k += mm[U{1, 0}]")
	case 18:
		locked("x := id\nf := func() bool { return x > 0 }\nif f() {\no.k++\n}")
	case 19:
		locked("if string(rune('a'+id)) == \"b\" {\no.k++\n}")
	}
}

// mains prints statements of main.
func (p *numbers) mains(n int) {
	locked := func(s string) { p.ln("{\no.mu.Lock()\n%s\no.mu.Unlock()\n}", s) }
	for range n {
		switch p.n(24) {
		case 0:
			locked("say(30, len(o.m))")
		case 1:
			locked("say(31, o.k)")
		case 2:
			locked("k := 0\nfor _, v := range o.m {\nk += v\n}\nsay(32, k)")
		case 3:
			locked("if !o.has {\n} else if _, ok := o.m[o.last]; ok {\nsay(33)\n}")
		case 4:
			locked("if !o.has {\n} else if x := o.of[o.last]; x != nil {\nsay(34, x.k)\n}")
		case 5:
			p.ln("select {\ncase r := <-o.msgs:\no.mu.Lock()\nsay(35, o.m[r.id])\no.mu.Unlock()\ndefault:\n}")
		case 6:
			p.ln("select {\ncase x := <-o.ch:\no.buf <- x\ndefault:\n}")
		case 7:
			p.ln("{\nx, y := <-o.buf, <-o.buf\nsay(36, b2i(x == y))\n}")
		case 8:
			locked("k := 0\nfor x := range o.m {\nif o.has && x == o.last {\nk++\n}\n}\nsay(37, k)")
		case 9:
			locked("say(38, len(o.of), b2i(o.has))")
		case 16, 17, 18:
			locked("k := 0\nfor i := range o.list {\nk += o.list[i]\n}\nsay(43, k)")
		case 19:
			locked("k := 2\nfor _, v := range o.list {\nk += v\n}\nsay(44, k)")
		case 20:
			p.ln("{\nk := 0\nfor _, v := range o.list {\nk += v\n}\nsay(45, k)\n}")
		case 21:
			locked("k := 0\nfor i := range o.arr {\nk = o.arr[i] + k\n}\nsay(46, k)")
		case 22:
			if p.misused {
				locked("for i, v := range o.list {\nif v > 0 {\nsay(47, i)\nbreak\n}\n}")
			}
		case 23:
			if p.misused {
				locked("k := 0\nfor _, v := range o.bits {\nk += b2i(v)\n}\nsay(48, k)")
			}
		case 10:
			if p.misused {
				locked("say(39, o.m[0])")
			}
		case 11:
			if p.misused {
				locked("say(40, o.last)")
			}
		case 12:
			if p.misused {
				locked("say(41, b2i(o.last == 1))")
			}
		case 13:
			if p.misused {
				locked("for x := range o.m {\nsay(42, x)\n}")
			}
		case 14:
			if p.misused {
				p.ln("o.a.Store(1)")
			}
		case 15:
			if p.misused {
				locked("o.last = 1")
			}
		}
	}
}
