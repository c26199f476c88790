package vm

import (
	"slices"
	"testing"

	"hbcheck.dev/hbcheck/por"
)

// TestLiving: hundreds of goroutines, few of them alive at a time, on paths that are rewound. The
// machine verifies its list of them in each state (CheckState).
func TestLiving(t *testing.T) {
	s := source(t, `package main
func main() {
	c, a, b := make(chan int), make(chan int, 1), make(chan int, 1)
	go func() {
		for i := range 100 {
			go func() { c <- i }()
			<-c
		}
		a <- 1
	}()
	for i := range 150 {
		go func() { b <- i }()
		<-b
	}
	b <- 1
	select {
	case <-a:
	case <-b:
	}
}`)
	m := s.machine(t, Config{Check: CheckState})
	pick := uint32(1)
	for range 3 {
		var marks []por.Mark
		for steps := 0; ; steps++ {
			if steps%50 == 0 {
				marks = append(marks, m.Mark())
			}
			enabled := m.Enabled(nil)
			if len(enabled) == 0 {
				break
			}
			pick = pick*1664525 + 1013904223
			g := enabled[int(pick>>16)%len(enabled)]
			m.Step(g, int(pick>>8)%m.Alternatives(g))
		}
		if n, living := len(m.order), len(m.living()); n < 200 || living > n/2 {
			t.Errorf("%d goroutines, %d of them are said to live", n, living)
		}
		m.Rewind(marks[len(marks)/2])
		m.Rewind(marks[0])
	}
}

// TestLivingIsKept: a list in use has the same goroutines after steps that were undone.
func TestLivingIsKept(t *testing.T) {
	s := source(t, `package main
func main() {
	c, d := make(chan int), make(chan int, 1)
	go func() {
		d <- 1
		go func() { <-c }()
	}()
	for range 100 {
		go func() { <-c }()
	}
	<-c
}`)
	m := s.machine(t, Config{})
	list := m.living()
	was := slices.Clone(list)
	m.speculate(func() {
		m.Step(m.gs[1].ID, 0)
		if len(m.living()) != len(was)+1 {
			t.Errorf("%d goroutines, and %d before", len(m.living()), len(was))
		}
	})
	if !slices.Equal(list, was) || !slices.Equal(m.living(), was) {
		t.Errorf("%v are walked, and %v live", list, m.living())
	}
}
