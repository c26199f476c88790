// Select statements: facts hold on the way of their case only.
package main

import "time"

var x, y, z int

func cases(a, b chan int) {
	print(0) // want mustjoin:"receive a before write .* in x" mustjoin:"send b before write .* in y" !mustjoin:".*before write .* in z" mustwait:"write .* in z"
	select {
	case <-a:
		x = 1
	case b <- 1:
		y = 1
	}
	z = 1
}

func withDefault(a chan int) {
	print(0) // want mustjoin:"receive a before write .* in x" !mustjoin:".* in y" !mustwait:".* in y" mustwait:".* in x" !mustwait:".* in z"
	select {
	case v := <-a:
		x = v
	default:
		y = 1
	}
	z = 1
}

func timeout(a chan int) {
	print(0) // want mustjoin:"receive a before write .* in x" !mustjoin:".* in y"
	select {
	case <-a:
		x = 1
	case <-time.After(1):
		y = 1
	}
}

// Two cases with the same channel.
func twice(a chan int) {
	print(0) // want mustjoin:"receive a before write .* in z"
	select {
	case <-a:
	case v, ok := <-a:
		_, _ = v, ok
	}
	z = 1
}

func forever() {
	print(0) // want fieldaccess:"none" mustwait:"none"
	select {}
	x = 1
}

func main() {
	cases(nil, nil)
	withDefault(nil)
	timeout(nil)
	twice(nil)
	if x == 0 {
		forever()
	}
}
