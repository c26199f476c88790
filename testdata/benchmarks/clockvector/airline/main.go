// Airline: n goroutines sell a ticket each, until one of them finds that more than n-cushion
// have been sold; main, which starts them, looks at that only now and then, so that too
// many may be sold. The counter and the flag have no lock.
//
// Shared: sold and stopSales. Different from the Java text: main waits for everybody
// at its end, as the process would in Java.
//
//	airline n cushion
package main

import (
	"os"
	"strconv"
	"sync"
)

type airline struct {
	capacity  int
	sold      int
	stopSales bool
}

func (a *airline) sell() {
	a.sold++
	if a.sold > a.capacity {
		a.stopSales = true
	}
}

func main() {
	n, cushion := number(1), number(2)
	a := &airline{capacity: n - cushion}
	var wg sync.WaitGroup
	wg.Add(n)
	for i := range n {
		if a.stopSales {
			a.sold--
			wg.Add(i - n)
			break
		}
		go func() {
			defer wg.Done()
			a.sell()
		}()
	}
	if a.sold > a.capacity {
		panic("bug found")
	}
	wg.Wait()
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}
