// Prices of options, a block for each of three goroutines, in two runs (parsec/blackscholes of RaceBench).
package main

import (
	"sync"

	"hbcheck.dev/benchmarks/racebench/harness"
)

const goroutines, options, runs = 3, 6, 2

var bug = harness.Choose(
	&harness.Bug{
		Path:    []harness.Pass{{"d2", 3}, {"discount", 3}, {"d1", 6}},
		Pattern: harness.NoWait, Parts: []string{"normal", "normal"}, Locked: []int{1},
	},
	&harness.Bug{
		Path:    []harness.Pass{{"run", 3}, {"start", 3}, {"price", 1}},
		Pattern: harness.NoWait, Parts: []string{"option", "d1"}, Locked: []int{0, 1},
	},
)

var prices [options]int

// normal approximates the distribution of the logarithm of prices.
func normal(x int) int {
	bug.At("normal")
	if x < 0 {
		return 1000 - normal(-x)
	}
	y := 1000 / (1 + x)
	bug.At("polynomial")
	return 1000 - y*(319-y*357/1000)/1000
}

func price(spot, strike, time int) int {
	bug.At("price")
	d1 := (spot - strike) * 10 / time
	bug.At("d1")
	n1 := normal(d1)
	d2 := d1 - time
	bug.At("d2")
	n2 := normal(d2)
	bug.At("discount")
	return (spot*n1 - strike*n2) / 1000
}

func work(me int) {
	bug.At("start")
	for range runs {
		bug.At("run")
		for i := me * options / goroutines; i < (me+1)*options/goroutines; i++ {
			bug.At("option")
			prices[i] = price(100+i, 95+2*i%7, 1+i%3)
			bug.At("store")
		}
	}
	bug.At("end")
}

func main() {
	var wg sync.WaitGroup
	for me := range goroutines {
		wg.Go(func() { work(me) })
	}
	wg.Wait()
}
