package progen_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/deep"
	"hbcheck.dev/hbcheck/internal/progen"
	"hbcheck.dev/hbcheck/por"
	"hbcheck.dev/hbcheck/por/stateful"
	"hbcheck.dev/hbcheck/vm"
)

// starters generates initialisers that start goroutines. Nearly always as many elements are received as
// sent, and goroutines are waited for; other operations are rare.
type starters struct {
	*rand.Rand
	b strings.Builder
	n int // number of episodes
}

func (s *starters) program() string {
	s.b.Reset()
	s.n = 0
	s.b.WriteString("package main\n\nimport (\n\t\"iter\"\n\t\"runtime\"\n\t\"sync\"\n\t\"sync/atomic\"\n\t\"time\"\n)\n\nvar mu sync.Mutex\nvar wg sync.WaitGroup\nvar a atomic.Int32\nvar x, y, z, w int\nvar once sync.Once\nvar rw sync.RWMutex\nvar m = map[int]bool{}\nvar sm sync.Map\nvar none chan int\nvar wg2 sync.WaitGroup\nvar ap, keep atomic.Int32\nvar cond = sync.NewCond(new(sync.Mutex))\nvar set bool\nvar _ = iter.Pull[int]\nvar _ = runtime.Gosched\nvar _ time.Duration\n\n")
	for range 1 + s.IntN(2) {
		s.b.WriteString("func init() {\n")
		s.episode(0)
		s.b.WriteString("}\n\n")
	}
	s.b.WriteString("var _, _ = &mu, &wg\n\nfunc main() {\n\tb := a.Load()\n")
	if s.IntN(3) == 0 {
		s.b.WriteString("\tdone := make(chan bool)\n\tgo func() { a.Add(1); done <- true }()\n\tx = x*2 + int(a.Load())\n\t<-done\n")
	}
	s.b.WriteString("\tsay(x, y, z, w, int(b))\n}\n")
	return s.b.String()
}

// episode starts one or two goroutines, which send to this one or receive from it, or both.
func (s *starters) episode(depth int) {
	s.n++
	id := s.n
	own := "x"
	if depth > 0 {
		own = "w"
	}
	var main, joins []string
	for g := range 1 + s.IntN(2-depth) {
		v := "yzw"[g+depth:][:1]
		there, back := fmt.Sprintf("c%d%d", id, g), fmt.Sprintf("d%d%d", id, g)
		fmt.Fprintf(&s.b, "%s, %s := make(chan int, %d), make(chan int, %d)\n_, _ = %[1]s, %[2]s\n", there, back, s.IntN(3), s.IntN(2))
		inGroup, late := s.IntN(3) == 0, s.IntN(12) == 0
		if inGroup && !late {
			s.b.WriteString("wg.Add(1)\n")
		}
		s.b.WriteString("go func() {\n")
		if inGroup && late {
			s.b.WriteString("wg.Add(1)\n")
		}
		sends, receives := s.IntN(4), s.IntN(2)
		for range sends {
			s.other(v, there, depth)
			fmt.Fprintf(&s.b, "%s <- %d\n", there, 1+s.IntN(5))
		}
		closes := s.IntN(3) == 0
		if closes {
			fmt.Fprintf(&s.b, "close(%s)\n", there)
		}
		for range receives {
			fmt.Fprintf(&s.b, "%s = %[1]s*3 + <-%s\n", v, back)
			s.other(v, back, depth)
		}
		if inGroup {
			for range 1 + s.IntN(16)/15 {
				s.b.WriteString("wg.Done()\n")
			}
			if s.IntN(12) > 0 {
				joins = append(joins, "wg.Wait()\n")
			}
		}
		if !inGroup && s.IntN(20) > 0 || inGroup && s.IntN(4) == 0 {
			fmt.Fprintf(&s.b, "%s <- 0\n", back)
			joins = append(joins, fmt.Sprintf("<-%s\n", back))
		}
		if s.IntN(25) == 0 {
			s.b.WriteString("a.Add(1)\n")
		}
		s.b.WriteString("}()\n")
		if s.IntN(16) == 0 {
			sends += s.IntN(3) - 1
		}
		if closes && s.IntN(2) == 0 {
			main = append(main, fmt.Sprintf("for e := range %s {\n%s = %[2]s*2 + e\n}\n", there, own))
		} else {
			for range sends {
				main = append(main, fmt.Sprintf("%s = %[1]s*2 + <-%s\n", own, there))
			}
		}
		for range receives {
			main = append(main, fmt.Sprintf("%s <- %d\n", back, s.IntN(4)))
		}
		if depth == 0 && s.IntN(6) == 0 {
			s.b.WriteString("{\n")
			s.episode(1)
			s.b.WriteString("}\n")
		}
	}
	for _, text := range append(main, joins...) {
		s.b.WriteString(text)
		s.other(own, fmt.Sprintf("c%d0", id), depth)
	}
}

// other writes an operation that is not one of those that connect the goroutines.
func (s *starters) other(v, c string, depth int) {
	switch k := s.IntN(250); {
	case k < 15:
		fmt.Fprintf(&s.b, "%s += %d\n", v, 1+s.IntN(4))
	case k < 18:
		fmt.Fprintf(&s.b, "mu.Lock()\n%s++\nmu.Unlock()\n", v)
	case k == 18:
		fmt.Fprintf(&s.b, "%s += int(a.Load())\n", v)
	case k == 19:
		fmt.Fprintf(&s.b, "a.Add(%d)\n", 1+s.IntN(3))
	case k == 20:
		fmt.Fprintf(&s.b, "%s += len(%s)\n", v, c)
	case k == 21:
		fmt.Fprintf(&s.b, "select {\ncase e := <-%s:\n%s += e\ndefault:\n}\n", c, v)
	case k == 23:
		s.b.WriteString("wg.Wait()\n")
	case k == 24:
		s.b.WriteString("wg.Add(1)\n")
		s.other(v, c, depth)
		s.b.WriteString("wg.Done()\n")
	case k == 22:
		fmt.Fprintf(&s.b, "%s++\n", "xyzw"[s.IntN(4):][:1])
	case k < 30:
		fmt.Fprintf(&s.b, "once.Do(func() { %s++ })\n", v)
	case k < 32:
		fmt.Fprintf(&s.b, "rw.RLock()\n%s += len(m)\nrw.RUnlock()\n", v)
	case k < 34:
		fmt.Fprintf(&s.b, "rw.Lock()\nm[%d] = true\nrw.Unlock()\n", s.IntN(2))
	case k == 34:
		s.b.WriteString("sm.Store(1, 2)\n")
	case k == 35:
		fmt.Fprintf(&s.b, "if _, ok := sm.LoadAndDelete(1); ok {\n%s++\n}\n", v)
	case k == 36:
		fmt.Fprintf(&s.b, "func() {\ndefer func() {\nif recover() != nil {\n%s += 7\n}\n}()\nclose(%s)\n}()\n", v, c)
	case k < 40:
		fmt.Fprintf(&s.b, "%s += cap(%s)\n", v, c)
	case k == 40:
		fmt.Fprintf(&s.b, "if mu.TryLock() {\n%s++\nmu.Unlock()\n}\n", v)
	case k == 41:
		fmt.Fprintf(&s.b, "select {\ncase e := <-%s:\n%s += e\ncase e := <-none:\n%[2]s += e\n}\n", c, v)
	case k < 44:
		fmt.Fprintf(&s.b, "{\nnext, stop := iter.Pull(func(yield func(int) bool) { %s++; yield(1); %[1]s++ })\nnext()\nstop()\n}\n", v)
	case k == 44:
		fmt.Fprintf(&s.b, "{\nst := make(chan bool)\nfor range 2 {\ngo func() { <-st; wg2.Done() }()\n}\nwg2.Add(1)\nwg2.Add(1)\nclose(st)\nwg2.Wait()\n}\n")
	case k == 45:
		fmt.Fprintf(&s.b, "{\nst := make(chan int)\ndefer func() { %s += <-st }()\ngo func() { defer close(st); runtime.Goexit() }()\n}\n", v)
	case k == 46:
		fmt.Fprintf(&s.b, "if time.AfterFunc(time.Hour, func() {}).Stop() {\n%s++\n}\n", v)
	case k == 47:
		fmt.Fprintf(&s.b, "{\np := new([2]int)\nruntime.SetFinalizer(p, func(*[2]int) { a.Add(1) })\nruntime.GC()\n}\n")
	case k == 48:
		fmt.Fprintf(&s.b, "for k := range map[int]bool{1: true, 2: true} {\n%s += k\nbreak\n}\n", v)
	case k == 49:
		fmt.Fprintf(&s.b, "ap.CompareAndSwap(0, %d)\n", 1+s.IntN(2))
	case k < 54:
		s.b.WriteString("runtime.Gosched()\n")
	case k == 54:
		fmt.Fprintf(&s.b, "cond.L.Lock()\nset = true\ncond.Broadcast()\ncond.L.Unlock()\n")
	case k == 55:
		fmt.Fprintf(&s.b, "cond.L.Lock()\nif !set {\ncond.Wait()\n}\ncond.L.Unlock()\n")
	case k == 56:
		fmt.Fprintf(&s.b, "go func() { keep.Add(1); <-none }()\n")
	}
}

// TestConfluentInits: initialisers that are executed in one schedule, because others make no difference,
// have the outcomes of an exploration.
func TestConfluentInits(t *testing.T) {
	const perBatch = 50
	total := deep.N(15, 1000)
	checked, alone := 0, 0
	for first := deep.Seed(); total > 0; first, total = first+perBatch, total-perBatch {
		files := map[string]string{"go.mod": "module generated\n\ngo 1.26\n"}
		var texts []string
		for i := range uint64(min(perBatch, total)) {
			s := &starters{Rand: rand.New(rand.NewPCG(first+i, 0xc0f))}
			text := s.program()
			texts = append(texts, text)
			files[fmt.Sprintf("p%d/main.go", i)] = text
			files[fmt.Sprintf("p%d/helpers.go", i)] = progen.Helpers()
		}
		prog := loadFiles(t, files)
		for i, text := range texts {
			e, err := prog.Lookup(fmt.Sprintf("generated/p%d.main", i))
			if err != nil {
				t.Fatal(err)
			}
			var sets [2]*observer
			whole := true
			for k := range sets {
				m, err := vm.New(prog, e, vm.Config{VisibleOutput: true, Races: true, ForkInits: k == 0})
				if err != nil {
					t.Fatal(err)
				}
				if n := len(m.Report().Goroutines()); k == 1 && n <= 1 {
					alone++
				}
				var r por.Result
				sets[k], r = search(t, m, stateful.Full, por.Config{Match: true, MaxStates: 20000})
				whole = whole && len(r.Incomplete) == 0
			}
			if !whole {
				continue
			}
			if checked++; !maps.Equal(sets[0].outcomes, sets[1].outcomes) || !maps.Equal(sets[0].races, sets[1].races) {
				t.Errorf("seed %d:\n%s\nraces:\n%s\n%s", first+uint64(i), difference(sets[1].outcomes, sets[0].outcomes),
					difference(sets[1].races, sets[0].races), numbered(text))
			}
		}
	}
	t.Logf("%d programs checked, in %d main is alone", checked, alone)
	if alone*8 < checked {
		t.Error("they do not test it")
	}
}
