// Deferred calls, panics and recovering from them.
package main

import "errors"

var errOdd = errors.New("odd")

func half(n int) (h int, err error) {
	defer func() {
		if e := recover(); e != nil {
			err = e.(error)
		}
	}()
	if n%2 == 1 {
		panic(errOdd)
	}
	return n / 2, nil
}

func count(n *int) {
	defer func() { *n++ }()
	defer func() { *n++ }()
}

func main() {
	odd, sum, calls := 0, 0, 0
	for i := range 600_000 {
		h, err := half(i)
		if errors.Is(err, errOdd) {
			odd++
		}
		sum += h
		count(&calls)
	}
	println(odd, sum, calls)
}
