package progen

import (
	"math/rand/v2"
	"strings"
)

// Equal returns a program of goroutines that are equal, or nearly: started by one go statement, perhaps
// with an object each, which may differ in a number. Some keep their object in a place of
// their own that others know, or execute other statements. It is for tests of
// state matching up to symmetry.
func Equal(name string, rng *rand.Rand) Text {
	p := &parts{objects: objects{rng: rng, prefix: strings.ToLower(name), used: map[string]bool{}}}
	var body strings.Builder
	p.w = &body
	p.equal(name)
	return Text{Name: name, Source: body.String()}
}

func (p *parts) equal(name string) {
	p.ln("package main\n\nimport (\n\t\"sync\"\n\t\"sync/atomic\"\n)")
	p.ln("type T struct {\n\tmu sync.Mutex\n\trw sync.RWMutex\n\twg sync.WaitGroup\n\tcond *sync.Cond\n\tn, k int\n\ta atomic.Int32\n\tch, buf, fin chan int\n\tm map[int]int\n\tnext *T\n}")
	p.ln("func U() *T {\n\tt := &T{ch: make(chan int), fin: make(chan int), buf: make(chan int, 1), m: map[int]int{}}\n\tt.cond = sync.NewCond(&t.mu)\n\treturn t\n}")
	p.ln("var G = U()")
	p.ln("func %s() {", name)
	p.ln("o := U()\nvar all sync.WaitGroup\nvar ap atomic.Pointer[T]\n_, _ = &all, &ap")
	n := 2 + p.n(2)
	own, known, waits := p.chance(50), p.chance(25), p.chance(50)
	p.ln("list := make([]*T, %d)", n+1)
	if waits {
		p.ln("all.Add(%d)", n)
	}
	p.ln("for i := range %d {", n)
	who := []string{"o"}
	if own {
		p.ln("t := U()")
		who = append(who, "t")
		if p.chance(40) {
			p.ln("t.n = i / %d", 1+p.n(2))
		}
		if known {
			p.ln("list[i] = t")
		}
	} else {
		p.ln("t := o")
	}
	p.ln("go func() {\nhb := t\n_, _ = hb, i")
	p.budget = 2 + p.n(3)
	p.statements(who, 1+p.n(3))
	switch p.n(9) {
	case 0:
		p.ln("if i == %d {", p.n(n))
		p.budget++
		p.statements(who, 1)
		p.ln("}")
	case 1:
		p.ln("say(i / 2)")
	case 2:
		p.ln("list[i] = o")
	case 3: // each goroutine starts further equal ones
		p.ln("for range %d {\ngo func() {", 1+p.n(2))
		p.budget++
		p.statements(who, 1)
		p.ln("}()\n}")
	case 4: // a goroutine takes an object that another one has left
		p.ln("if x := ap.Swap(t); x != nil {\nx.n++\n}")
	case 5: // a list in the order of arrival
		p.ln("o.mu.Lock()\nif t != o {\nt.next = o.next\no.next = t\n}\no.mu.Unlock()")
	case 6: // a goroutine reads an object of another one
		p.ln("if x := list[i+1]; x != nil {\nsay(x.n)\n}")
	case 7: // a lock that another one releases
		p.ln("o.rw.Lock()\no.buf <- 1\no.rw.Unlock()")
	}
	p.statements(who, 1)
	if waits {
		p.ln("all.Done()")
	}
	p.ln("}()\n}")
	p.budget = 1 + p.n(2)
	p.statements([]string{"o", "G"}, p.budget)
	if waits {
		p.ln("all.Wait()")
		if p.chance(50) {
			p.ln("say(o.n)")
		}
	}
	p.ln("_, _ = o, list")
	p.ln("}")
}
