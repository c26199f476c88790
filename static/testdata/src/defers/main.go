// Deferred calls, panics, recover.
package main

import (
	"runtime"
	"sync"
)

var x, y, z int

type S struct{ mu, nu sync.Mutex }

func set(p *int) { *p = 1 }

// Deferred calls run newest first.
func order() {
	defer func() { x = 1 }() // want mustlock:"lock mu before write .* in x"
	defer mu.Lock()
}

func inverted() {
	defer mu.Lock()
	defer func() { x = 1 }() // want !mustlock:".*before write .* in x"
}

// Nothing here panics before the lock is there, as it is a variable.
var mu sync.Mutex

func afterLock() {
	mu.Lock() // want mustlock:"lock mu before write .* in x"
	defer func() { x = 1 }()
}

// A panic can lead to the deferred call before the lock is there.
func panics(p *int) {
	defer func() { x = 1 }() // want !mustlock:".*before write .* in x" mustlock:"lock mu before write .* in y"
	print(*p)
	mu.Lock()
	y = 1
}

// A function that recovers continues after the call.
func recovers(p *int) {
	safely(p) // want !mustlock:".*before write .* in x"
	x = 1
}

func safely(p *int) {
	defer func() { recover() }()
	print(*p)
	mu.Lock()
}

func caller(p *int) {
	unsafely(p) // want mustlock:"lock mu before write .* in x"
	x = 1
}

func unsafely(p *int) {
	print(*p)
	mu.Lock()
}

// An explicit panic ends the path.
func ends(b bool) {
	print(b) // want mustlock:"lock mu before write .* in x"
	if b {
		panic(1)
	}
	mu.Lock()
	x = 1
}

func exits() {
	print(1) // want !fieldaccess:"write .* in x" fieldaccess:"write .* in y"
	defer func() { y = 1 }()
	runtime.Goexit()
	x = 1
}

// In a loop: any number of times.
func loop(s *S) {
	for range 3 {
		defer s.mu.Lock()
	}
	print(1) // want !mustlock:".*write .* in x"
	defer func() { x = 1 }()
}

func sometimes(s *S, b bool) {
	if b {
		defer s.nu.Lock()
	}
	defer s.mu.Lock()
	print(1) // want maynotify:"none"
}

// A loop over a function defers for the function around it.
func overFunc(seq func(func(int) bool)) {
	for range seq {
		defer set(&z)
	}
	print(1) // want fieldaccess:"write variable of type int.*"
}

func notify(c chan int) {
	defer close(c)
	defer mu.Unlock()
	print(1) // want maynotify:"close c" maynotify:"unlock mu"
	go func() { c <- 1 }()
	print(2) // want !maynotify:"send c"
}

func main() {
	s := &S{}
	order()
	inverted()
	afterLock()
	panics(&x)
	recovers(&x)
	caller(&x)
	ends(false)
	loop(s)
	sometimes(s, true)
	overFunc(func(yield func(int) bool) { yield(1) })
	notify(nil)
	if x == 0 {
		exits()
	}
}
