package progen

import (
	"math/rand/v2"
	"strings"
)

// Parts returns a program of several parts that interact little or not at all: each makes objects
// of its own and starts goroutines that use them. rng decides whether main waits for the parts, and
// how they are connected: by an object of a package variable, by an object that main has made, or
// by a pointer. One part passes this pointer to another through a channel, an atomic pointer or a
// variable. It is for tests of reductions that explore one part after the other.
func Parts(name string, rng *rand.Rand) Text { return newParts(name, rng, false) }

// TimedParts returns a program like that of Parts, in which goroutines also sleep, and wait for their own
// timers and those of others.
func TimedParts(name string, rng *rand.Rand) Text { return newParts(name, rng, true) }

func newParts(name string, rng *rand.Rand, timed bool) Text {
	p := &parts{objects: objects{rng: rng, prefix: strings.ToLower(name), used: map[string]bool{}}, timed: timed}
	var body strings.Builder
	p.w = &body
	p.main(name)
	return Text{Name: name, Source: body.String()}
}

type parts struct {
	objects
	budget int // remaining statements of goroutines
	timed  bool
}

// numHandovers is the number of ways to hand a pointer to another part.
const numHandovers = 3

func (p *parts) main(name string) {
	imported, field := "", ""
	if p.timed {
		imported, field = "\n\t\"time\"", "tm, af *time.Timer\n\t"
	}
	p.ln("package main\n\nimport (\n\t\"sync\"\n\t\"sync/atomic\"%s\n)", imported)
	p.ln("type T struct {\n\t%smu sync.Mutex\n\trw sync.RWMutex\n\twg sync.WaitGroup\n\tcond *sync.Cond\n\tn, k int\n\ta atomic.Int32\n\tch, buf, fin chan int\n\tm map[int]int\n}", field)
	p.ln("func U() *T {\n\tt := &T{ch: make(chan int), fin: make(chan int), buf: make(chan int, 1), m: map[int]int{}}\n\tt.cond = sync.NewCond(&t.mu)\n\treturn t\n}")
	p.ln("var G = U()\nvar I *T")
	p.ln("func %s() {", name)
	n := 2 + p.n(2)
	p.budget = 3 + p.n(5)
	shared, hands, waits := p.chance(25), p.chance(40), p.chance(50)
	way := p.n(numHandovers)
	p.ln("var all sync.WaitGroup\nvar ap atomic.Pointer[T]\n_, _ = &all, &ap")
	p.ln("hand := make(chan *T, 2)")
	p.ln("o := U()")
	p.timer("o")
	p.timer("G")
	if waits {
		p.ln("all.Add(%d)", n)
	}
	receiver := p.n(n)
	for i := range n {
		p.ln("go func() {")
		p.ln("t := U()")
		p.timer("t")
		p.ln("hb := func() *T { return t }")
		who := []string{"t"}
		if shared && p.chance(50) {
			who = append(who, []string{"o", "G"}[p.n(2)])
		}
		workers := p.n(3 - n/3)
		joined := workers > 0 && p.chance(60)
		if joined {
			p.ln("t.wg.Add(%d)", workers)
		}
		for range workers {
			p.ln("go func() {")
			p.statements(who, 1+p.n(3))
			if joined {
				p.ln("t.wg.Done()")
			}
			p.ln("}()")
		}
		p.statements(who, 1+p.n(2))
		if p.budget > 0 && p.chance(15) {
			p.budget = 0
			p.meeting()
		}
		if hands {
			p.hand(way, i == receiver)
		}
		if joined {
			p.ln("t.wg.Wait()")
			p.ln("t.n++")
		}
		p.ln("_ = hb")
		if waits {
			p.ln("all.Done()")
		}
		p.ln("}()")
	}
	if waits {
		p.ln("all.Wait()")
	}
	if p.chance(30) {
		p.statements([]string{"o", "G"}, 1)
	}
	p.ln("_, _, _ = hand, o, I")
	p.ln("}")
}

// meeting makes three goroutines, each of which has one channel, and a select on all of them.
func (p *parts) meeting() {
	p.ln("a, b, c := make(chan int), make(chan int), make(chan int)")
	for i := range 3 {
		p.ln("go func() {\n%c <- %d\n}()", 'a'+i, i)
	}
	p.ln("select {\ncase t.k = <-a:\ncase t.k = <-b:\ncase t.k = <-c:\n}\nsay(t.k)")
}

// hand makes a part hand its object on, or take one from another part and use it.
func (p *parts) hand(way int, takes bool) {
	give := [numHandovers]string{"hand <- t", "ap.Store(t)", "I = t"}
	take := [numHandovers]string{"if x := <-hand; x != nil {", "if x := ap.Load(); x != nil {", "if x := I; x != nil {"}
	if !takes {
		p.ln("%s", give[way])
		return
	}
	p.ln("%s", take[way])
	p.budget++
	p.statements([]string{"x"}, 1)
	p.ln("}")
}

// statements prints up to n statements about objects in who.
func (p *parts) statements(who []string, n int) {
	for range n {
		if p.budget == 0 {
			return
		}
		p.budget--
		t := who[p.n(len(who))]
		if p.timed && p.chance(40) {
			p.wait(t)
			continue
		}
		switch p.n(26) {
		case 0, 1, 2:
			p.ln("%s.mu.Lock()", t)
			p.ln("%s.n++", t)
			p.ln("%s.mu.Unlock()", t)
		case 3:
			p.ln("%s.n = %d", t, p.n(3))
		case 4:
			p.ln("say(%d)", p.n(9))
		case 5:
			p.ln("%s.a.Add(1)", t)
		case 6:
			p.ln("if %s.a.Load() == 1 {\nsay(%d)\n}", t, 10+p.n(9))
		case 7, 8:
			p.ln("%s.ch <- %d", t, p.n(3))
		case 9, 10:
			p.ln("%s.k = <-%s.ch", t, t)
		case 11:
			p.ln("%s.buf <- 1", t)
		case 12:
			p.ln("select {\ncase %s.k = <-%s.buf:\ncase %s.ch <- 7:\n}", t, t, t)
		case 13:
			p.ln("select {\ncase %s.k = <-%s.ch:\ndefault:\n%s.k = 9\n}", t, t, t)
		case 14:
			p.ln("%s.rw.RLock()\nif %s.n == 1 {\nsay(%d)\n}\n%s.rw.RUnlock()", t, t, 20+p.n(9), t)
		case 15:
			p.ln("%s.rw.Lock()\n%s.n++\n%s.rw.Unlock()", t, t, t)
		case 16:
			p.ln("%s.mu.Lock()\n%s.cond.Wait()\n%s.mu.Unlock()", t, t, t)
		case 17:
			p.ln("%s.cond.Signal()", t)
		case 18:
			p.ln("if %s.mu.TryLock() {\n%s.m[1]++\n%s.mu.Unlock()\n}", t, t, t)
		case 19:
			p.ln("if %s.n == %d {\npanic(%d)\n}", t, p.n(2), p.n(9))
		case 20:
			p.ln("close(%s.buf)", t)
		case 24:
			p.ln("%s.k = <-%s.buf", t, t)
		case 25:
			p.ln("for v := range %s.buf {\n%s.k += v\n}", t, t)
		case 21:
			p.ln("for %s.a.Load() == 0 {\n}", t)
		case 22:
			p.ln("select {\ncase %s.ch <- 1:\ncase %s.k = <-%s.buf:\ncase <-%s.fin:\n}", t, t, t, t)
		case 23:
			p.ln("%s.fin <- 1", t)
		}
	}
}

// timer gives an object timers. They are not made in the initialiser of G: then each program would have the
// pending timers of all programs that are loaded together.
func (p *parts) timer(t string) {
	if p.timed {
		p.ln("%s.tm = time.NewTimer(2 * time.Second)", t)
		p.ln("%s.af = time.AfterFunc(%d*time.Second, func() { say(%d) })", t, 1+p.n(3), 70+p.n(9))
	}
}

// wait prints a statement about time.
func (p *parts) wait(t string) {
	d := 1 + p.n(3)
	switch p.n(9) {
	case 0:
		p.ln("time.Sleep(%d * time.Second)", d)
	case 1:
		p.ln("select {\ncase %s.k = <-%s.ch:\ncase <-time.After(%d * time.Second):\nsay(%d)\n}", t, t, d, 30+d)
	case 2:
		p.ln("select {\ncase %s.ch <- 1:\ncase <-%s.tm.C:\nsay(%d)\n}", t, t, 40+d)
	case 3:
		p.ln("if %s.tm.Stop() {\nsay(%d)\n}", t, 50+d)
	case 4:
		p.ln("if %s.tm.Reset(%d * time.Second) {\nsay(%d)\n}", t, d, 60+d)
	case 5:
		p.ln("<-%s.tm.C", t)
	case 6:
		p.ln("time.AfterFunc(%d*time.Second, func() { %s.n++ })", d, t)
	case 7:
		p.ln("if %s.af.Stop() {\nsay(%d)\n}", t, 80+d)
	case 8:
		p.ln("%s.af.Reset(%d * time.Second)", t, d)
	}
}
