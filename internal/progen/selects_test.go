package progen_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"hbcheck.dev/hbcheck/internal/classes"
	"hbcheck.dev/hbcheck/por"
)

// dense is a program of a few goroutines that do nothing but operations on a few channels, more select than others: what two of them
// make of each other is seen more often than in generated programs of all kinds.
func dense(r *rand.Rand) string {
	var b strings.Builder
	chans := 2 + r.IntN(2)
	for c := range chans {
		room := r.IntN(3)
		fmt.Fprintf(&b, "c%d := make(chan int, %d)\n_ = c%d\n", c, room, c)
		if room > 0 && r.IntN(2) == 0 {
			fmt.Fprintf(&b, "c%d <- 9\n", c)
		}
	}
	op := func() string {
		if r.IntN(2) == 0 {
			return fmt.Sprintf("c%d <- 1", r.IntN(chans))
		}
		return fmt.Sprintf("<-c%d", r.IntN(chans))
	}
	stmt := func() string {
		switch k := r.IntN(40); {
		case k < 1:
			return fmt.Sprintf("close(c%d)", r.IntN(chans))
		case k < 5:
			return "select { case " + op() + ": default: }"
		case k < 6:
			return "select { case " + op() + ": case " + op() + ": default: }"
		case k < 17:
			return "select { case " + op() + ": case " + op() + ": }"
		case k < 19:
			return "select { case " + op() + ": case " + op() + ": case " + op() + ": }"
		}
		return op()
	}
	body := func() string {
		list := []string{stmt()}
		for range r.IntN(3) {
			list = append(list, stmt())
		}
		return strings.Join(list, "; ")
	}
	for range 1 + r.IntN(3) {
		fmt.Fprintf(&b, "go func() { %s }()\n", body())
	}
	return b.String() + body()
}

// TestSelects: each class of programs with selects is explored once.
func TestSelects(t *testing.T) {
	const perBatch = 100
	total := 800
	if *countFlag > 0 {
		total = *countFlag
	} else if testing.Short() {
		total = perBatch
	}
	checked, left, bad := 0, 0, 0
	for first := *seedFlag; checked+left < total; first += perBatch {
		var list []unit
		for i := range uint64(perBatch) {
			text := dense(rand.New(rand.NewPCG(first+i, 0x5e1)))
			list = append(list, unit{fmt.Sprintf("Dense%d", i), fmt.Sprintf("package main\n\nfunc Dense%d() {\n%s\n}\n", i, text)})
		}
		g := loadGroup(t, list)
		for i, u := range list {
			g.in(i, func() {
				o := &counter{observer: &observer{t: t, m: g.m, outcomes: map[string]bool{}, races: map[string]bool{}}}
				r := por.Optimal(g.m, o, por.Config{MaxExecutions: 5000, CheckDuplicates: true, PastsMemory: int64(1 + i%2<<25)})
				if o.restarts > 0 || o.crashes || r.Duplicate == nil && len(r.Incomplete) > 0 {
					left++
					return
				}
				all, err := classes.Merge(g.m, relation(g.m), 10000)
				if errors.As(err, new(classes.Limit)) {
					left++
					return
				}
				checked++
				if err != nil || uint64(all.Total()) != r.Executions || r.Duplicate != nil {
					bad++
					t.Errorf("seed %d: %d executions, %+v, %v, %v\n%s", first+uint64(i), r.Executions, all, err, r.Duplicate, u.Source)
				}
			})
			if bad > 2 {
				t.Fatal("enough")
			}
		}
	}
	t.Logf("%d programs checked, %d left out", checked, left)
}
