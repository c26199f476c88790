// Peterson's lock (1981) for two goroutines, which wait for one of two things.
//
//	peterson 2 [broken]
package main

import (
	"os"
	"strconv"
	"sync"
	"sync/atomic"
)

type peterson struct {
	flag [2]atomic.Bool
	turn atomic.Int32
}

func (p *peterson) lock(me int32, broken bool) {
	if broken { // the wrong way round
		p.turn.Store(1 - me)
		p.flag[me].Store(true)
	} else {
		p.flag[me].Store(true)
		p.turn.Store(1 - me)
	}
	for p.flag[1-me].Load() && p.turn.Load() == 1-me {
	}
}

func main() {
	n := number(1)
	var p peterson
	count := 0
	var wg sync.WaitGroup
	wg.Add(n)
	for i := range n {
		go func() {
			defer wg.Done()
			p.lock(int32(i), len(os.Args) > 2)
			count++
			p.flag[i].Store(false)
		}()
	}
	wg.Wait()
	if count != n {
		panic("two were in the critical section")
	}
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}
