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

// start is Java's Thread.start: what it returns is closed when the goroutine has ended,
// which is what Thread.join waits for.
func start(run func()) <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		run()
	}()
	return ended
}

func main() {
	n, cushion := number(1), number(2)
	a := &airline{capacity: n - cushion}
	var threads []<-chan struct{}
	for range n {
		if a.stopSales {
			a.sold--
			break
		}
		threads = append(threads, start(a.sell))
	}
	if a.sold > a.capacity {
		panic("bug found")
	}
	for _, t := range threads {
		<-t
	}
}

func number(i int) int {
	n, err := strconv.Atoi(os.Args[i])
	if err != nil {
		panic(err)
	}
	return n
}
